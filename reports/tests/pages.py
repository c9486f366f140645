"""Reads pages back, as strictly as a browser's validator would where it matters."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_VOID = {"meta", "input", "br", "hr", "img", "link"}
_LOADING = {"src", "srcset", "data", "poster", "action", "formaction", "background"}


class Page(HTMLParser):
    """Raises AssertionError for tags that do not nest, ids that are not unique, anything that is loaded."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.codes: list[str] = []
        self.text: list[str] = []
        assert html.startswith("<!DOCTYPE html>\n")
        self.feed(html)
        self.close()
        assert self.open == []
        assert len(self.ids) == len(set(self.ids))
        styles = "".join(re.findall(r"<style>(.*?)</style>", html, re.DOTALL))
        assert "url(" not in styles
        assert "@import" not in styles

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> repeats an attribute"
        assert not _LOADING & set(names), f"<{tag}> loads something"
        assert tag not in ("link", "iframe", "object", "embed", "img")
        for name, value in attrs:
            assert not name.startswith("on"), f"<{tag}> has a handler in its markup"
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                assert tag == "a"
                self.links.append(value or "")
        if tag in ("p", "summary") and self.open[-1:] == ["p"]:
            raise AssertionError(f"<{tag}> inside <p>")
        if tag in ("div", "ul", "dl", "table", "pre", "details", "section") and "p" in self.open:
            raise AssertionError(f"<{tag}> inside <p>")
        if tag == "code":
            self.codes.append("")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> without a beginning"
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()} closes another tag"

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if "code" in self.open:
            self.codes[-1] += data
