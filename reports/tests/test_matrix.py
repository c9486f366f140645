"""Cases against releases: which rows differ, what a cell says, and the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs import H200, LogBuilder, every_outcome, fine
from pages import Page
from releases import three_releases
from test_cli import run
from test_pages import check_golden

from cudasem_reports import matrix, render
from cudasem_reports.matrix import MatrixView
from cudasem_reports.read import load


def view_of(tmp_path: Path, *logs: LogBuilder, show_all: bool = False) -> MatrixView:
    paths = [log.write(tmp_path / f"{number}.ndjson") for number, log in enumerate(logs)]
    return matrix.view([load(path) for path in paths], show_all)


def cells(view: MatrixView, case_id: str) -> list[str]:
    (row,) = (row for row in view.rows if row.id == case_id)
    return [cell.text for cell in row.cells]


def page(view: MatrixView, form: str) -> str:
    return render.render("matrix", form, matrix=view)


def test_columns_are_ordered_by_release_not_by_text(tmp_path: Path) -> None:
    logs = [LogBuilder(torch).finish() for torch in ("2.14.1", "2.16.0", "2.16.0.dev20261101+cu132", "2.9.1")]
    labels = [column.label for column in view_of(tmp_path, *logs).columns]
    assert labels == ["2.9.1", "2.14.1", "2.16.0.dev20261101", "2.16.0"]


def test_two_builds_of_a_release_are_two_columns(tmp_path: Path) -> None:
    view = view_of(tmp_path, fine("2.14.1+cu130"), fine("2.14.1+cu132"))
    assert [column.name for column in view.columns] == ["2.14.1+cu130", "2.14.1+cu132"]


def test_gpus_and_profiles_are_named_where_they_differ(tmp_path: Path) -> None:
    two = [H200, H200 | {"index": 1}]
    view = view_of(tmp_path, fine(), fine(gpus=two), fine(profile="async"), fine(gpus=[]))
    assert [column.name for column in view.columns] == [
        "2.14.1 (2 × NVIDIA H200, native)",
        "2.14.1 (NVIDIA H200, async)",
        "2.14.1 (NVIDIA H200, native)",
        "2.14.1 (no GPU, native)",
    ]


def test_the_newest_of_two_runs_of_one_setting_stands_and_it_is_said(tmp_path: Path) -> None:
    new = fine(run_id="new", utc="2026-11-30T02:15:00Z")
    old = fine(run_id="old", utc="2026-11-01T02:15:00Z")
    view = view_of(tmp_path, new, old, fine("2.13.0"))
    assert [column.log.run.id for column in view.columns] == ["7f3a", "new"]
    assert view.notes == (
        "Two runs of torch 2.14.1+cu130, NVIDIA H200: the newer, new of 2026-11-30, stands; "
        "old of 2026-11-01 does not.",
    )


def test_a_few_cases_run_again_do_not_replace_a_whole_run(tmp_path: Path) -> None:
    whole = fine(run_id="whole", utc="2026-11-01T02:15:00Z")
    few = LogBuilder(run_id="few")
    few.case("streams.order", "hang", "regression")
    view = view_of(tmp_path, few.finish(), whole, fine("2.13.0"))
    assert [column.log.run.id for column in view.columns] == ["7f3a", "whole"]
    assert view.notes == (
        "Two runs of torch 2.14.1+cu130, NVIDIA H200: the newer, few of 2026-11-30, lacks 2 results "
        "of whole of 2026-11-01, which stands in its place.",
    )


def test_two_drivers_under_one_release_are_two_columns(tmp_path: Path) -> None:
    view = view_of(tmp_path, fine(), fine(driver="590.10"), fine("2.13.0"))
    assert [column.name for column in view.columns] == [
        "2.13.0",
        "2.14.1 (driver 580.159.03)",
        "2.14.1 (driver 590.10)",
    ]


def test_only_rows_that_differ_are_shown(tmp_path: Path) -> None:
    view = view_of(tmp_path, *three_releases())
    assert view.headline == "6 of 11 results differ between torch 2.9.1, 2.11.0 and 2.14.1"
    assert [row.id for row in view.rows] == [
        "capture.moved/wrong",
        "shared_pool.order/wrong",
        "errors.text",
        "allocator.large",
        "mem_pool.retain",
        "random.seed",
    ]


def test_all_shows_the_rows_that_agree_too(tmp_path: Path) -> None:
    view = view_of(tmp_path, *three_releases(), show_all=True)
    assert len(view.rows) == 11
    assert cells(view, "capture.item_inside/wrong") == ["error 900 at item"] * 3
    assert cells(view, "streams.destructor/wrong") == ["crash SIGABRT"] * 3


def test_times_in_tables_and_what_a_crash_prints_are_not_compared(tmp_path: Path) -> None:
    shown = {row.id for row in view_of(tmp_path, *three_releases()).rows}
    assert not shown & {"measure.times", "streams.destructor/wrong"}


def test_a_cell_says_shortly_what_was_shown(tmp_path: Path) -> None:
    view = view_of(tmp_path, *three_releases())
    assert cells(view, "shared_pool.order/wrong") == ["corrupt 7≠20", "corrupt 2≠20", "ok"]
    assert cells(view, "mem_pool.retain") == ["missing (uncompiled)", "skip (unsupported)", "ok"]
    (facts,) = (row.cells for row in view.rows if row.id == "allocator.large")
    assert [cell.more for cell in facts] == [("segment_MiB 20",), ("segment_MiB 20",), ("segment_MiB 32",)]


def test_cells_are_longer_where_they_would_read_the_same(tmp_path: Path) -> None:
    logs = [LogBuilder(torch) for torch in ("2.13.0", "2.14.1")]
    for log, at in zip(logs, ("first", "second"), strict=True):
        log.case("streams.a", "crash", at=at, signal="SIGSEGV", exit=None)
        log.finish()
    assert cells(view_of(tmp_path, *logs), "streams.a") == [
        "crash SIGSEGV at first",
        "crash SIGSEGV at second",
    ]


def test_a_row_is_found_by_each_verdict_in_it(tmp_path: Path) -> None:
    rows = {row.id: row.verdicts for row in view_of(tmp_path, *three_releases()).rows}
    assert rows["mem_pool.retain"] == ("missing", "as_expected")
    assert rows["random.seed"] == ("as_expected", "regression")


def test_a_fact_that_an_error_kept_from_being_recorded_is_no_second_difference(tmp_path: Path) -> None:
    good, bad = LogBuilder("2.13.0"), LogBuilder("2.14.1")
    good.case("streams.a", facts={"n": 1})
    bad.case("streams.a", "fail", "regression")
    (row,) = view_of(tmp_path, good.finish(), bad.finish()).rows
    assert [cell.more for cell in row.cells] == [(), ()]


def test_what_one_run_did_not_plan_is_not_a_difference(tmp_path: Path) -> None:
    view = view_of(tmp_path, *three_releases(), show_all=True)
    assert cells(view, "streams.added") == ["–", "–", "ok"]
    assert not next(row for row in view.rows if row.id == "streams.added").differs
    assert view.notes == ("1 result was not planned in every run (–): compared where there is one.",)


def test_a_killed_run_is_named(tmp_path: Path) -> None:
    killed = fine("2.13.0")
    killed.events.pop()
    notes = view_of(tmp_path, fine(), killed).notes
    assert notes == ("Killed before its end: 2.13.0. What has no result there is missing.",)


def test_one_run_has_nothing_to_compare(tmp_path: Path) -> None:
    view = view_of(tmp_path, every_outcome())
    assert view.headline == "Nothing to compare: 22 results of one run, torch 2.14.1"
    assert view.rows == ()
    Page(page(view, "html"))


def test_the_markdown_of_a_matrix(tmp_path: Path) -> None:
    check_golden("matrix.md", page(view_of(tmp_path, *three_releases()), "md"))


@pytest.mark.parametrize("show_all", [False, True])
def test_the_page_is_well_formed_and_lists_what_the_markdown_lists(tmp_path: Path, show_all: bool) -> None:
    view = view_of(tmp_path, *three_releases(), show_all=show_all)
    html, markdown = Page(page(view, "html")), page(view, "md")
    for row in view.rows:
        assert row.id in html.codes
        assert f"`{row.id}`" in markdown
    assert "the allocator notices first" in "".join(html.text)
    assert "the allocator notices first" in markdown


def test_every_outcome_has_a_colour(tmp_path: Path) -> None:
    css = (Path(render.__file__).parent / "templates" / "tables.css").read_text()
    view = view_of(tmp_path, every_outcome(), show_all=True)
    for outcome in {cell.outcome for row in view.rows for cell in row.cells} - {"skip"}:
        assert f".saw.{outcome}" in css


def test_the_command_prints_the_rows_that_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = [log.write(tmp_path / f"{number}.ndjson") for number, log in enumerate(three_releases())]
    code, out, err = run(capsys, "matrix", *logs, "--out", tmp_path)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "6 of 11 results differ between torch 2.9.1, 2.11.0 and 2.14.1"
    assert lines[2].split() == ["2.9.1", "2.11.0", "2.14.1"]
    assert lines[3].split("  ")[0] == "capture.moved/wrong"
    assert lines[-2:] == [f"wrote {tmp_path}/matrix-2026-11-30.{form}" for form in ("html", "md")]
    assert len(lines) == 11


def test_a_log_that_cannot_be_read_is_exit_2_and_none_is_64(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = fine().write(tmp_path / "good.ndjson")
    code, out, err = run(capsys, "matrix", good, tmp_path / "none.ndjson", "--out", tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith(f"cudasem matrix: {tmp_path / 'none.ndjson'}:")
    assert run(capsys, "matrix")[0] == 64
