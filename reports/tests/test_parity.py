"""HTML and Markdown state the same verdicts: both are read back and compared result by result."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from logs import LogBuilder, every_outcome, fine, without_gpu
from many import many
from test_diff import two_runs
from test_recorded import RECORDED

from cudasem_reports import diff, render, report
from cudasem_reports.model import Log
from cudasem_reports.read import load
from cudasem_reports.transition import Change
from cudasem_reports.wording import VERDICT_SECTION, VERDICT_WORD

WORDS = "|".join(VERDICT_WORD.values())
TITLES = {title: word for word, (title, _) in diff.MEANING.items()}
SECTION = {title: VERDICT_WORD[verdict] for verdict, (title, _) in VERDICT_SECTION.items()}


def verdicts_in_html(page: str) -> set[tuple[str, str]]:
    """(id or case, verdict): of results that unfold from their badge, of listed cases from their list."""
    panel = rf'<section class="way" aria-label="([^"]+)">\s*<h4><span class="badge \w+">({WORDS})</span>'
    found = {(html.unescape(name), word) for name, word in re.findall(panel, page)}
    for verdicts, items in re.findall(
        r'<ul class="listed"[^>]*data-of-verdict="(\w+)">(.*?)</ul>', page, re.S
    ):
        found |= {(case, VERDICT_WORD[verdicts]) for case in re.findall(r"<li [^>]*><code>([^<]+)", items)}
    return found


def verdicts_in_markdown(page: str) -> set[tuple[str, str]]:
    """(id, verdict): of results that unfold from their line, of rows in tables from section or cell."""
    found = {(name, word) for word, name in re.findall(rf"^\*\*({WORDS})\*\* `([^`]+)`", page, re.M)}
    for part in re.split(r"^##+ ", page, flags=re.M)[1:]:
        section = SECTION.get(re.sub(r" \(\d.*", "", part.partition("\n")[0]))
        for name, own in re.findall(rf"^\| `([^`]+)`[^|]*?(?:\*\*({WORDS})\*\*)? \|", part, re.M):
            if section and "." in name:
                found.add((name, own or section))
    return found


def pages(log: Log) -> tuple[str, str]:
    html_page, markdown = (
        render.render("report", form, run=report.view(log), recorded=[]) for form in render.FORMATS
    )
    return html_page, markdown


@pytest.mark.parametrize("make", [every_outcome, fine, without_gpu])
def test_both_pages_state_the_verdict_of_every_result(tmp_path: Path, make: Callable[[], LogBuilder]) -> None:
    log = load(make().write(tmp_path / "log.ndjson"))
    stated = {(result.plan.id, VERDICT_WORD[result.verdict]) for result in log.results}
    in_html, in_markdown = pages(log)
    assert verdicts_in_html(in_html) == stated
    assert verdicts_in_markdown(in_markdown) == stated


@pytest.mark.skipif(not RECORDED, reason="reports/recorded/ holds no log")
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_both_pages_of_a_recording_state_the_same(path: Path) -> None:
    log = load(path)
    stated = {(result.plan.id, VERDICT_WORD[result.verdict]) for result in log.results}
    in_html, in_markdown = pages(log)
    assert verdicts_in_html(in_html) == verdicts_in_markdown(in_markdown) == stated


def test_both_pages_of_a_large_run_state_the_verdict_of_every_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "ALL_UNFOLD", 20)
    monkeypatch.setattr(report, "UNFOLD_OF_MANY", 3)
    log = load(many(60, bad=8).write(tmp_path / "log.ndjson"))
    in_html, in_markdown = (
        {(name.partition("/")[0], word) for name, word in found}
        for found in map(lambda read, page: read(page), (verdicts_in_html, verdicts_in_markdown), pages(log))
    )
    assert in_html == in_markdown
    assert len(in_html) == 60


def test_both_pages_of_a_difference_state_the_same_changes(tmp_path: Path) -> None:
    old, new = (log.write(tmp_path / f"{number}.ndjson") for number, log in enumerate(two_runs()))
    view = diff.view(load(old), load(new))
    stated = {(entry.id, entry.transition.change) for entry in view.entries}
    page = render.render("diff", "html", diff=view)
    entry = r'<details class="case" id="([^"]+)"[^>]*data-verdict="(\w+)"'
    assert {(name, Change[word.upper()]) for name, word in re.findall(entry, page)} == stated
    markdown = render.render("diff", "md", diff=view)
    found = set()
    for part in re.split(r"^## ", markdown, flags=re.M)[1:]:
        change = TITLES[re.sub(r" \(\d.*", "", part.partition("\n")[0])]
        if change is not Change.SAME:
            found |= {(name, change) for name in re.findall(r"<summary><code>([^<]+)</code>", part)}
    assert found == stated
