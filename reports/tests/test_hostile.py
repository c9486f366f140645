"""Text from cases is data: it appears as text, and breaks nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import browser, needs_browser
from hostile import hostile
from pages import Page

from cudasem_reports import diff, matrix, render, report
from cudasem_reports.read import load

NAMES = ("report", "diff", "matrix")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each page in both forms, made of hostile runs."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "old.ndjson").write_bytes(hostile("2.13.0+cu130"))
    (folder / "new.ndjson").write_bytes(hostile().replace(b'"outcome": "error"', b'"outcome": "fail"', 3))
    old, new = load(folder / "old.ndjson"), load(folder / "new.ndjson")
    values: dict[str, dict[str, object]] = {
        "report": {"run": report.view(new), "recorded": []},
        "diff": {"diff": diff.view(old, new)},
        "matrix": {"matrix": matrix.view([old, new], show_all=True)},
    }
    for name in NAMES:
        render.write_pages(folder, name, name, render.FORMATS, **values[name])
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_page_is_well_formed_and_links_nowhere_that_a_case_says(folder: Path, name: str) -> None:
    html = (folder / f"{name}.html").read_text(encoding="utf-8")
    page = Page(html)
    assert html.count("<script>") == 1
    assert [link for link in page.links if not link.startswith(("#", "https://"))] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", render.FORMATS)
def test_no_invisible_character_reaches_a_page(folder: Path, name: str, form: str) -> None:
    text = (folder / f"{name}.{form}").read_text(encoding="utf-8")
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", text) == []
    assert str(7 * 191) not in text


@pytest.mark.parametrize("form", render.FORMATS)
def test_what_was_printed_can_be_read(folder: Path, form: str) -> None:
    text = (folder / f"report.{form}").read_text(encoding="utf-8")
    shown = "".join(Page(text).text) if form == "html" else text
    for words in (
        "<script>window.broken = 'script'</script>",
        r"\x1b[31mred\x1b[0m",
        r"allowed \u202edeined\u202c",
        r"nul \x00 bell \x07",
        "{{ 7 * 191 }}",
        r"\ud800 alone",
        r"caf\xe9 \xff\xfe \xc3(",
    ):
        assert words in shown


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", render.FORMATS)
def test_a_line_of_a_megabyte_is_cut_and_says_so(folder: Path, name: str, form: str) -> None:
    path = folder / f"{name}.{form}"
    assert path.stat().st_size < 400_000
    if name == "report" and form == "html":
        assert "characters are left out; the log has them" in path.read_text(encoding="utf-8")


def test_markdown_holds_no_markup_of_a_case_outside_of_code(folder: Path) -> None:
    for name in NAMES:
        text = (folder / f"{name}.md").read_text(encoding="utf-8")
        text = re.sub(r"^(`{3,})[^\n]*\n.*?^\1$", "", text, flags=re.M | re.S)
        text = re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", text)
        for line in re.findall(r"^<details><summary>.*$", text, flags=re.M):
            assert re.findall(r"<(?!/?(?:details|summary|code)>)", line) == []
        text = re.sub(r"^<details><summary>.*</summary>$", "", text, flags=re.M)  # HTML: escaped as such
        assert re.findall(r"(?<!\\)<(?:script|img)|(?<!\\)\]\(javascript", text) == []


@needs_browser
def test_nothing_that_a_case_printed_runs_in_a_browser(folder: Path) -> None:
    with browser() as window:
        for name in NAMES:
            window.open(folder / f"{name}.html", width=360)
            window.run("for (const each of document.querySelectorAll('details')) each.open = true")
            assert window.run("return window.broken ?? 'nothing'") == "nothing"
            assert window.complaints() == []
            assert window.requests() == []
            assert window.overflow() <= 0
