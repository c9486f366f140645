"""The handbook "Don't do this": who has an error text finds its page; what cases say stays text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from browser import Browser, browser, needs_browser
from logs import LogBuilder, error

from cudasem_reports import claims, export, handbook
from cudasem_reports.cli import main
from cudasem_reports.columns import columns
from cudasem_reports.corpus_commands import CLAIMS, PYTHON, recorded
from cudasem_reports.read import load


@pytest.fixture(scope="module")
def book() -> handbook.Handbook:
    return handbook.view(recorded(None), claims.by_id(claims.read(CLAIMS)), PYTHON)


@pytest.fixture(scope="module")
def site(book: handbook.Handbook, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("handbook")
    handbook.write(folder, book, ("html", "md"))
    return folder


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser() as window:
        yield window


def of(log: LogBuilder, tmp_path: Path) -> handbook.Handbook:
    return handbook.view(columns([load(log.write(tmp_path / "run.ndjson"))])[0], {}, tmp_path)


def test_every_recorded_misuse_has_a_page_in_one_group(book: handbook.Handbook) -> None:
    misuses = {
        r.plan.case for column in recorded(None) for r in column.results.values() if r.plan.kind == "misuse"
    }
    assert sorted(page.plan.case for page in book.pages) == sorted(misuses)


def test_every_error_text_of_a_misuse_stands_in_the_index(book: handbook.Handbook) -> None:
    held = {(entry.key, page.plan.case) for entry in book.index for page in entry.pages}
    for page in book.pages:
        for text in page.texts:
            assert (handbook.search_key(text.strip().partition("\n")[0]), page.plan.case) in held


def test_html_and_markdown_tell_of_the_same_pages_and_errors(site: Path, book: handbook.Handbook) -> None:
    html, markdown = (site / "index.html").read_text(), (site / "handbook.md").read_text()
    in_html = set(re.findall(r'<li><a href="([^"]+)\.html">', html))
    assert in_html == set(re.findall(r'^### <a id="([^"]+)">', markdown, re.MULTILINE))
    assert in_html == {page.plan.case for page in book.pages}
    assert html.count("<tr data-key=") == len(book.index)
    assert all((site / page.file).is_file() for page in book.pages)


def test_a_page_says_what_each_release_shows(site: Path) -> None:
    text = unescape((site / "capture.item_inside.html").read_text())
    assert "error 900 at item" in text
    assert "operation not permitted when stream is capturing" in text
    assert "Written by hand, not run" in text


def test_text_of_a_case_is_data(tmp_path: Path) -> None:
    log = LogBuilder()
    text = "CUDA error: <script>alert(1)</script> \x1b[31m| `x` \x00 \u202e"
    plan = {"title": "<b>bold</b> | title", "source": "MISUSE(capture, x) {\n  <i>\n}\n"}
    log.case(
        "capture.item_inside/wrong", "error", kind="misuse", plan=plan, effects=[error("item", text=text)]
    )
    handbook.write(tmp_path, of(log, tmp_path), ("html", "md"))
    for name in ("index.html", "capture.item_inside.html"):
        page = (tmp_path / name).read_text()
        assert "<script>alert" not in page
        assert "<b>bold" not in page
        assert "<i>" not in page
        assert not re.search(r"[\x00\x1b\u202e]", page)
    assert not re.search(r"[\x00\x1b\u202e]", (tmp_path / "handbook.md").read_text())


def test_paths_numbers_and_addresses_do_not_matter_to_a_search() -> None:
    one = handbook.search_key("INTERNAL ASSERT FAILED at /a/b.cpp:12 for 0xdead, 4.00 GiB")
    assert one == handbook.search_key("internal assert failed at /other/place.cpp:99 for 0x1, 17 GiB")
    assert one != handbook.search_key("INTERNAL ASSERT PASSED")


def test_each_python_fragment_is_python_and_of_a_misuse() -> None:
    misuses = {case.id for case in export.all_cases(export.TREE / "cases") if case.kind == "MISUSE"}
    fragments = sorted(PYTHON.glob("*.py"))
    assert fragments
    for path in fragments:
        ast.parse(path.read_text(encoding="utf-8"))
        assert path.stem in misuses


def test_the_command_writes_site_and_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["handbook", "--out", str(tmp_path / "book")]) == 0
    assert (tmp_path / "book" / "index.html").is_file()
    assert "misuses" in capsys.readouterr().out


@needs_browser
def test_a_pasted_error_finds_its_page_at_once(
    site: Path, book: handbook.Handbook, chromium: Browser
) -> None:
    chromium.open(site / "index.html")
    missed = []
    for page in book.pages:
        for text in page.texts:
            pasted = (
                f'Traceback (most recent call last):\n  File "/home/me/x.py", line 3\nRuntimeError: {text}'
            )
            links = chromium.run(
                "const field = document.querySelector('textarea'); field.value = arguments[0];"
                "field.dispatchEvent(new Event('input'));"
                "return [...document.querySelectorAll('tr.best a')].map((a) => a.getAttribute('href'))",
                pasted,
            )
            if page.file not in links:
                missed.append((text[:80], page.file, links))
    assert not missed


@needs_browser
def test_a_search_can_be_linked_and_enter_opens_the_page(site: Path, chromium: Browser) -> None:
    chromium.open(site / "index.html", "error=capturing%20stream%20has%20unjoined%20work")
    assert len(chromium.shown(".errors tbody tr")) < 8
    chromium.find("textarea").send_keys("\n")
    assert chromium.driver.current_url.endswith("capture.side_stream_not_joined.html")


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "capture.item_inside.html"])
def test_pages_are_quiet_narrow_and_accessible(site: Path, chromium: Browser, name: str, theme: str) -> None:
    chromium.open(site / name, width=360, theme=theme)
    assert chromium.overflow() <= 0
    assert not chromium.complaints()
    assert not chromium.requests()
    assert not chromium.serious_findings()


@needs_browser
def test_without_scripts_everything_but_the_search_is_there(site: Path, book: handbook.Handbook) -> None:
    with browser(scripts=False) as window:
        window.open(site / "index.html")
        assert not window.shown("textarea")
        assert len(window.shown(".errors tbody tr")) == len(book.index)
