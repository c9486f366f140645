"""Which times of a measure case are told as changed."""

from __future__ import annotations

from typing import Any

import pytest
from logs import LogBuilder
from test_diff import view_of

from cudasem_reports.model import Observed, TableRow
from cudasem_reports.timing import time_changes
from cudasem_reports.transition import Change


def run(*rows: dict[str, Any], table: str = "times") -> Observed:
    return Observed("ok", rows=tuple(TableRow(table, cells) for cells in rows))


def timed(median: float, low: float = 0, high: float = 0, **cells: Any) -> dict[str, Any]:
    return {"median_ms": median, "p10_ms": low or median, "p90_ms": high or median} | cells


def test_a_median_far_out_of_the_other_spread_is_told_with_the_row_it_stands_in() -> None:
    old = run(timed(1.0, variant="split", sections=8), timed(2.0, variant="shared", sections=8))
    new = run(timed(1.0, variant="split", sections=8), timed(4.0, variant="shared", sections=8))
    (found,) = time_changes(old, new)
    assert (found.label, found.old, found.new) == ("variant shared: median_ms", 2.0, 4.0)
    assert found.words == "2 times as long"


def test_faster_is_told_too() -> None:
    assert [each.words for each in time_changes(run(timed(3.0)), run(timed(2.0)))] == ["1.5 times as fast"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (timed(1.0), timed(1.2)),  # not by enough
        (timed(1.0, 0.9, 2.0), timed(1.5, 1.4, 1.6)),  # within the spread of the old run
        (timed(1.0, 0.9, 1.1), timed(1.5, 0.8, 1.6)),  # within the spread of the new one
        ({"host_ms": 1.0}, {"host_ms": 9.0}),  # no median
        ({"median_ms": None}, {"median_ms": 2.0}),
        ({"median_ms": 0}, {"median_ms": 2.0}),
    ],
)
def test_what_may_be_chance_is_not_told(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert time_changes(run(old), run(new)) == ()


def test_rows_of_other_settings_are_not_compared() -> None:
    old = run(timed(1.0, variant="a"), timed(1.0, variant="b"))
    assert time_changes(old, run(timed(9.0, variant="a"), timed(9.0, variant="c"))) == ()
    assert time_changes(old, run(timed(9.0, variant="a"))) == ()
    assert time_changes(run(timed(1.0)), run(timed(9.0), table="others")) == ()


def test_a_changed_time_is_a_class_of_its_own_that_never_stops_an_upgrade(tmp_path: Any) -> None:
    old, new = LogBuilder("2.13.0"), LogBuilder()
    old.case("measure.pass", kind="measure", rows=[{"table": "times", "cells": timed(1.0)}])
    new.case("measure.pass", kind="measure", rows=[{"table": "times", "cells": timed(3.0)}])
    view = view_of(tmp_path, old.finish(), new.finish())
    assert [entry.transition.change for entry in view.entries] == [Change.TIMING]
    assert (view.exit_code, view.headline.text) == (
        0,
        "Yes: 0 of 1 results are the same, 1 changed time",
    )
    assert view.entries[0].summary == "1 median, the farthest 3 times as long"
    assert view.entries[0].rows[1].new == ("3, 3 times as long",)
