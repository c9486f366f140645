"""The committed recordings: every misuse shows its symptom, its right way is ok, and the pages hold them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from pages import Page

from cudasem_reports import diff, matrix, pools, render, report
from cudasem_reports.model import Result
from cudasem_reports.read import load

RECORDED = sorted((Path(__file__).parents[1] / "recorded").glob("*.ndjson.gz"))
needs_recordings = pytest.mark.skipif(not RECORDED, reason="reports/recorded/ holds no log")


def is_bug(result: Result) -> bool:
    expectation = result.plan.expectation
    return expectation is not None and expectation.bug and result.verdict == "as_expected"


@needs_recordings
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_every_misuse_shows_what_is_expected_and_its_right_way_is_ok(path: Path) -> None:
    log = load(path)
    assert log.finished
    wrong = [result for result in log.executed if result.plan.way == "wrong"]
    assert wrong
    assert [r.plan.id for r in wrong if r.verdict != "as_expected"] == []
    right = {result.plan.case: result for result in log.results if result.plan.way == "right"}
    outcomes = {r.plan.case: right[r.plan.case].outcome for r in wrong}
    # Where the wrong way itself shows nothing, a right way may be written down as a bug.
    bugs = {r.plan.case for r in wrong if r.outcome == "ok" and is_bug(right[r.plan.case])}
    assert {case: outcome for case, outcome in outcomes.items() if case not in bugs and outcome != "ok"} == {}


@needs_recordings
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_a_recording_becomes_a_report(path: Path) -> None:
    log = load(path)
    view = report.view(log)
    html, markdown = (render.render("report", form, run=view, recorded=[]) for form in render.FORMATS)
    codes = Page(html).codes
    for result in log.results:
        assert result.plan.id in codes
        assert f"`{result.plan.id}`" in markdown


@needs_recordings
def test_recordings_can_be_compared() -> None:
    for old, new in pairwise(RECORDED):
        view = diff.view(load(old), load(new), allow_different=True)
        for form in render.FORMATS:
            page = render.render("diff", form, diff=view)
            assert all(entry.id in page for entry in view.entries)


@needs_recordings
def test_recordings_become_a_matrix() -> None:
    logs = [load(path) for path in RECORDED]
    view = matrix.view(logs, show_all=True)
    html, markdown = (render.render("matrix", form, matrix=view) for form in render.FORMATS)
    codes = Page(html).codes
    for row in view.rows:
        assert row.id in codes
        assert f"`{row.id}`" in markdown
    planned = {result.plan.id for column in view.columns for result in column.results.values()}
    assert {name for name in planned if not name.endswith(".*")} <= {row.id for row in view.rows}


@needs_recordings
@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.name)
def test_every_timed_row_of_the_pool_study_has_a_median_or_an_error(path: Path) -> None:
    rows = [row for row in pools.study([load(path)]).rows if row.stage == "timing"]
    assert {row.variant for row in rows} >= {"eager", "split", "one_graph_many_pools", "shared_pool_handle"}
    assert [row.notes for row in rows if row.median_ms is None and not row.refusal] == []
    assert [row.notes for row in rows if row.median_ms is not None and row.cells["iterations"] < 200] == []
    assert sum(bool(row.unstable) for row in rows) <= 0.1 * len(rows)
