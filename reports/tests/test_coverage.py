"""What is covered: nothing counts as shown that no recorded run shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import browser, needs_browser
from logs import LogBuilder, error

from cudasem_reports import claims, coverage
from cudasem_reports.cli import main
from cudasem_reports.columns import columns
from cudasem_reports.corpus_commands import CLAIMS, recorded
from cudasem_reports.read import load
from cudasem_reports.render import render, write_pages

SUBJECT = """section = "captures"
statements = 9
in_reach = 5

[[claim]]
id = "capture.claim"
statement = "What <b>capture</b> promises | this."
source = "a note"
link = "https://example.org/note"

[[claim]]
id = "capture.other"
statement = "Nobody shows this."
source = "a note"
link = "https://example.org/note"

[[claim]]
id = "capture.python"
statement = "This is Python's."
source = "a note"
link = "https://example.org/note"
reach = "python"
"""


def found(tmp_path: Path, *logs: LogBuilder) -> coverage.Coverage:
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "captures.toml").write_text(SUBJECT)
    runs = [load(log.write(tmp_path / f"{number}.ndjson")) for number, log in enumerate(logs)]
    return coverage.view(columns(runs)[0], claims.read(tmp_path / "claims"))


def states(view: coverage.Coverage) -> dict[str, str]:
    return {row.claim.id: row.state for subject in view.subjects for row in subject.rows}


def test_a_statement_is_shown_by_a_case_that_ran(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("capture.one", "ok")
    assert states(found(tmp_path, log)) == {
        "capture.claim": coverage.SHOWN,
        "capture.other": coverage.NOT_SHOWN,
        "capture.python": coverage.OUT_OF_REACH,
    }


def test_a_statement_whose_case_was_skipped_is_not_shown(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("capture.one", "skip", "skipped", detail="unsupported", text="needs 2 GPUs")
    assert states(found(tmp_path, log))["capture.claim"] == coverage.NOT_SHOWN


def test_a_question_says_what_each_release_did(tmp_path: Path) -> None:
    old, new = LogBuilder(torch="2.13.0+cu130", run_id="a"), LogBuilder(run_id="b")
    old.case("capture.one", "ok", kind="observe")
    new.case("capture.one", "error", kind="observe", effects=[error("item")])
    (question,) = found(tmp_path, old, new).questions
    assert [(each.releases, each.lines) for each in question.seen] == [
        (("2.13.0",), ("ok",)),
        (("2.14.1",), ("error 900 at item",)),
    ]


def test_html_and_markdown_say_the_same_and_statements_are_text(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("capture.one", "ok")
    view = found(tmp_path, log)
    html, markdown = (render("coverage", form, coverage=view) for form in ("html", "md"))
    for text in (html, markdown):
        assert "1 of 3 documented statements are shown" in text
        assert "<b>capture" not in text
    assert len(re.findall(r"^\| (?:shown|not shown|out of reach)", markdown, re.MULTILINE)) == 3


def test_the_recorded_runs_cover_every_subject(tmp_path: Path) -> None:
    view = coverage.view(recorded(None), claims.read(CLAIMS))
    assert {subject.subject.name for subject in view.subjects}
    assert all(subject.rows for subject in view.subjects)
    assert sum(sum(topic.kinds) for topic in view.topics) == len(
        {r.plan.case for column in recorded(None) for r in column.results.values()}
    )


def test_the_command_says_the_headline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--out", str(tmp_path)]) == 0
    assert "documented statements are shown by a case that ran" in capsys.readouterr().out
    assert len(list(tmp_path.glob("coverage-*"))) == 2


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_quiet_narrow_and_accessible(tmp_path: Path, theme: str) -> None:
    log = LogBuilder()
    log.case("capture.one", "ok")
    log.case("capture.two", "ok", kind="observe")
    view = found(tmp_path, log)
    (page,) = write_pages(tmp_path, "coverage", "coverage", ("html",), coverage=view)
    with browser() as window:
        window.open(page, width=360, theme=theme)
        assert window.overflow() <= 0
        assert not window.complaints()
        assert not window.requests()
        assert not window.serious_findings()
