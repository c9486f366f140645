"""Reading logs: whole, cut anywhere, damaged, or not logs at all."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from logs import LogBuilder, every_outcome, fine, without_gpu

from cudasem_reports.model import OUTCOMES, VERDICTS, Log
from cudasem_reports.read import LogError, load, parse


def error_of(path: Path) -> str:
    with pytest.raises(LogError) as caught:
        load(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_outcome_and_verdict_is_read(tmp_path: Path) -> None:
    log = load(every_outcome().write(tmp_path / "log.ndjson"))
    assert {result.outcome for result in log.results} == set(OUTCOMES)
    assert {result.verdict for result in log.results} == set(VERDICTS) - {"waived"}
    assert log.finished
    assert log.exit == 1


def test_compressed_and_plain_read_the_same(tmp_path: Path) -> None:
    plain = load(fine().write(tmp_path / "log.ndjson"))
    compressed = load(fine().write(tmp_path / "log.ndjson.gz"))
    assert compressed.results == plain.results
    (tmp_path / "renamed.ndjson").write_bytes((tmp_path / "log.ndjson.gz").read_bytes())
    assert load(tmp_path / "renamed.ndjson").results == plain.results


def cut(data: bytes) -> Log | None:
    """What can be read of it, or None where it was refused in one line."""
    try:
        return parse(data, "cut.ndjson")
    except LogError as error:
        line = str(error)
    assert line.startswith("cut.ndjson:")
    assert "\n" not in line
    return None


def test_a_log_cut_at_any_byte_is_read_from_its_first_line_on() -> None:
    data = fine().data()
    first_line = data.index(b"\n")
    for size in range(len(data)):
        log = cut(data[:size])
        assert (log is None) == (size < first_line)
        assert log is None or not log.finished


def test_a_compressed_log_cut_at_any_byte_is_read_or_refused() -> None:
    data = gzip.compress(every_outcome().data(), mtime=0)
    read = [log for size in range(len(data)) if (log := cut(data[:size]))]
    assert len(read) > len(data) // 2
    assert len(read[-1].results) == len(parse(data, "whole").results)


def test_what_was_planned_and_has_no_end_is_missing(tmp_path: Path) -> None:
    log = LogBuilder()
    log.plan("streams.a")
    log.begin(log.plan("streams.b"))
    key = log.plan("streams.c")
    log.end(key)
    read = load(log.write(tmp_path / "log.ndjson"))
    assert not read.finished
    assert [result.verdict for result in read.results] == ["missing"] * 3
    assert [result.judged.reason.split(";")[0] for result in read.results] == [
        "the run ended before this case began",
        "the run ended while this case ran",
        "the run ended before this result was judged",
    ]


def test_a_resumed_run_is_one_log_and_its_last_end_counts(tmp_path: Path) -> None:
    log = LogBuilder()
    key = log.plan("streams.a")
    log.begin(key)
    log.events += LogBuilder().events
    log.plan("streams.a")
    log.begin(key, 2)
    log.end(key, "ok", 2)
    log.verdict(key)
    read = load(log.finish().write(tmp_path / "log.ndjson"))
    assert [result.verdict for result in read.results] == ["as_expected"]
    assert read.finished


def test_a_second_run_in_a_log_is_refused(tmp_path: Path) -> None:
    log = fine()
    other = LogBuilder()
    other.events[0]["id"] = "another"
    log.events += other.events
    assert "expected one run, found a second one, `another`" in error_of(log.write(tmp_path / "log.ndjson"))


@pytest.mark.parametrize("event", ["begin", "end", "verdict"])
def test_an_event_about_what_was_not_planned_is_refused(tmp_path: Path, event: str) -> None:
    log = fine()
    log.events = [each for each in log.events if each["event"] != "plan"]
    log.events = [each for each in log.events if each["event"] in ("run", "machine", "subject", event)]
    assert f"expected a `plan` before this `{event}`" in error_of(log.write(tmp_path / "log.ndjson"))


def test_a_last_line_without_its_newline_is_ignored_as_torn() -> None:
    data = fine().data()
    assert parse(data, "whole").finished
    assert not parse(data.rstrip(b"\n"), "torn").finished


def test_further_members_and_events_of_this_schema_are_ignored(tmp_path: Path) -> None:
    log = fine()
    log.events.insert(3, {"event": "weather", "sun": True})
    log.events[0]["more"] = 1
    assert len(load(log.write(tmp_path / "log.ndjson")).results) == 3


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.ndjson"
    assert error_of(path) == f"{path}: expected an event log, no such file found; `cudasem run` writes one"


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert "found a directory; name a log" in error_of(tmp_path)


@pytest.mark.parametrize("data", [b"", b"\n\n", gzip.compress(b"")])
def test_an_empty_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "empty.ndjson"
    path.write_bytes(data)
    assert "found nothing in it" in error_of(path)


@pytest.mark.parametrize("data", [b"hello\n", b"\x00\xff\xfe\n", b"[1]\n", b'{"a": 1}\n', b"\x1f", b"3"])
def test_what_is_not_a_log_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "other.ndjson"
    path.write_bytes(data)
    assert "name the .ndjson that `cudasem run` wrote" in error_of(path)


def test_a_damaged_gzip_file_is_refused(tmp_path: Path) -> None:
    path = fine().write(tmp_path / "log.ndjson.gz")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    error_of(path)


def test_a_log_without_its_beginning_is_refused(tmp_path: Path) -> None:
    log = fine()
    del log.events[0]
    assert "expected the event `run` first, found `machine`" in error_of(log.write(tmp_path / "log.ndjson"))


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = LogBuilder(schema=2).write(tmp_path / "log.ndjson")
    assert error_of(path) == (
        f"{path}:1: expected schema 1 or older, found 2; a newer cudasem wrote it: read it with that one"
    )


def test_a_broken_line_in_the_middle_is_an_error_with_its_place(tmp_path: Path) -> None:
    lines = fine().data().split(b"\n")
    lines[4] = lines[4][:30]
    path = tmp_path / "log.ndjson"
    path.write_bytes(b"\n".join(lines))
    message = error_of(path)
    assert message.startswith(f"{path}:5: expected one JSON object")
    assert message.endswith("take another copy of it, or record it again")


@pytest.mark.parametrize(
    ("member", "value", "found"),
    [
        ("claims", "one", "expected a list of texts, found 'one'"),
        ("kind", "rumour", "expected one of rule, misuse, observe, measure, found `rumour`"),
        ("key", None, "expected a text, found nothing"),
        ("needs", 3, "expected an object, found 3"),
        ("line", True, "expected a whole number, found True"),
        ("expectation", {"where": "default"}, "`outcome` of `expectation`"),
    ],
)
def test_a_member_of_another_type_is_an_error_with_its_place(
    tmp_path: Path, member: str, value: Any, found: str
) -> None:
    log = LogBuilder()
    log.plan("streams.a")
    log.events[-1][member] = value
    message = error_of(log.write(tmp_path / "log.ndjson"))
    assert f"{tmp_path}/log.ndjson:4: " in message
    assert found in message


def test_an_expectation_may_be_null(tmp_path: Path) -> None:
    log = LogBuilder()
    log.case("streams.a", "ok", "missing", plan={"expectation": None})
    assert load(log.finish().write(tmp_path / "log.ndjson")).results[0].plan.expectation is None


def test_the_builder_writes_what_section_8_describes() -> None:
    for builder in (every_outcome(), fine(), without_gpu()):
        for line in builder.data().splitlines():
            event = json.loads(line)
            assert event.pop("event") in (
                "run",
                "machine",
                "subject",
                "plan",
                "begin",
                "end",
                "verdict",
                "gpu",
                "finish",
            )


def test_rows_of_tables_are_kept_in_order_and_are_no_facts(tmp_path: Path) -> None:
    log = LogBuilder()
    rows = [{"table": "t", "cells": {"n": n, "captured": True, "ms": 0.5}} for n in (2, 1)]
    log.case("measure.a", kind="measure", rows=rows)
    (result,) = load(log.finish().write(tmp_path / "log.ndjson")).results
    assert [(row.table, row.cells["n"]) for row in result.observed.rows] == [("t", 2), ("t", 1)]
    assert result.observed.facts == {}
