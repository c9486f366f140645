"""History: what changed when, and how often ways flake, over a folder of logs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from browser import browser, needs_browser
from logs import LogBuilder, error

from cudasem_reports import history
from cudasem_reports.cli import main
from cudasem_reports.read import LogError
from cudasem_reports.render import render, write_pages


def night(day: int, outcome: str = "ok", profile: str = "native") -> LogBuilder:
    log = LogBuilder(utc=f"2026-11-{day:02}T02:00:00Z", run_id=f"night-{day}", profile=profile)
    effects = [error("item", text="CUDA error: no")] if outcome == "error" else []
    log.case("capture.one", outcome, "as_expected" if outcome == "ok" else "regression", effects=effects)
    log.case("capture.steady", "ok")
    return log


def found(folder: Path, *logs: LogBuilder) -> history.History:
    for number, log in enumerate(logs):
        log.write(folder / f"{number}.ndjson")
    return history.view(*history.read_folder(folder))


def test_the_first_run_of_a_change_is_named(tmp_path: Path) -> None:
    (series,) = found(tmp_path, night(1), night(2), night(3, "error"), night(4, "error")).series
    (change,) = series.changes
    assert (change.id, change.run.run.date, change.before.run.date) == (
        "capture.one",
        "2026-11-03",
        "2026-11-02",
    )
    assert (change.old, change.new, change.what) == ("ok", "error 900 at item", "outcome")


def test_runs_are_put_in_the_order_of_time(tmp_path: Path) -> None:
    (series,) = found(tmp_path, night(4, "error"), night(1)).series
    strip = next(strip for strip in series.strips if strip.plan.id == "capture.one")
    assert "".join(span.glyphs for span in strip.spans) == "·e"
    assert series.changes[0].run.run.date == "2026-11-04"


def test_another_text_is_a_change_of_its_own(tmp_path: Path) -> None:
    old, new = night(1, "error"), LogBuilder(utc="2026-11-02T02:00:00Z", run_id="other")
    new.case("capture.one", "error", "regression", effects=[error("item", text="CUDA error: another")])
    (change,) = found(tmp_path, old, new).series[0].changes
    assert (change.what, change.new) == ("text", "CUDA error: another")


def test_a_skipped_run_between_two_alike_is_no_change(tmp_path: Path) -> None:
    skipped = LogBuilder(utc="2026-11-02T02:00:00Z", run_id="skipped")
    skipped.case("capture.one", "skip", "skipped", detail="resource", text="too little memory")
    assert not found(tmp_path, night(1), skipped, night(3)).series[0].changes


def test_other_gpus_and_profiles_are_series_of_their_own(tmp_path: Path) -> None:
    both = found(tmp_path, night(1), night(2, "error", profile="expandable")).series
    assert [series.name for series in both] == ["NVIDIA H200", "NVIDIA H200, expandable"]
    assert not any(series.changes for series in both)


def test_a_flaky_way_has_its_rate(tmp_path: Path) -> None:
    flaky = LogBuilder(utc="2026-11-02T02:00:00Z", run_id="flaky")
    flaky.case("capture.one", "ok", "flaky")
    (strip,) = found(tmp_path, night(1), flaky, night(3)).series[0].flaky
    assert (strip.plan.id, strip.flake_rate) == ("capture.one", "1 of 3")


def test_a_copy_of_a_run_counts_once_and_a_broken_log_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.ndjson").write_text("nonsense\n")
    view = found(tmp_path, night(1), night(1))
    assert len(view.series[0].runs) == 1
    assert "1 copy of a run left out" in view.notes
    assert any("broken.ndjson" in note for note in view.notes)


def test_a_folder_without_logs_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(LogError, match="expected event logs"):
        history.read_folder(tmp_path)
    assert main(["history", str(tmp_path / "nowhere")]) == 2
    assert "expected a folder of event logs" in capsys.readouterr().err


def test_html_and_markdown_tell_of_the_same_changes(tmp_path: Path) -> None:
    view = found(tmp_path, night(1), night(2, "error"), night(3))
    html, markdown = (render("history", form, history=view, glyphs=history.GLYPHS) for form in ("html", "md"))
    assert len(re.findall(r'<th scope="row">2026-11-\d\d<br>', html)) == 2
    assert len(re.findall(r"^\| 2026-11-\d\d, torch", markdown, re.MULTILINE)) == 2
    assert "capture.steady" in html
    assert "1 steady way" in markdown


def test_the_command_writes_both_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    night(1).write(tmp_path / "logs.ndjson")
    assert main(["history", str(tmp_path), "--out", str(tmp_path / "out")]) == 0
    assert "1 run: 0 changes, 0 flaky ways" in capsys.readouterr().out
    assert len(list((tmp_path / "out").iterdir())) == 2


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_quiet_narrow_and_accessible(tmp_path: Path, theme: str) -> None:
    view = found(tmp_path, night(1), night(2, "error"), night(3))
    (page,) = write_pages(tmp_path, "h", "history", ("html",), history=view, glyphs=history.GLYPHS)
    with browser() as window:
        window.open(page, width=360, theme=theme)
        assert window.overflow() <= 0
        assert not window.complaints()
        assert not window.requests()
        assert not window.serious_findings()
