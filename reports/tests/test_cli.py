"""The command line: files, what is printed, and exit codes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from logs import H200, LogBuilder, fine, without_gpu
from test_diff import two_runs

from cudasem_reports.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as left:
        code = int(left.code or 0)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_report_writes_both_pages_under_their_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = fine().write(tmp_path / "log.ndjson.gz")
    code, out, err = run(capsys, "report", log, "--out", tmp_path / "new" / "out")
    stem = tmp_path / "new" / "out" / "report-2026-11-30-021500-torch-2.14.1"
    assert (code, err) == (0, "")
    assert out == f"Fine: 3 of 3 as expected\nwrote {stem}.html\nwrote {stem}.md\n"
    assert Path(f"{stem}.md").read_text().startswith("# Fine: 3 of 3 as expected\n")


def test_a_report_of_some_cases_does_not_replace_the_whole_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = fine().write(tmp_path / "log.ndjson")
    run(capsys, "report", log, "--out", tmp_path, "--format", "md", "--only", "capture.*")
    (path,) = tmp_path.glob("*.md")
    assert path.name == "report-2026-11-30-021500-torch-2.14.1-only-capture.md"
    assert "streams.order" not in path.read_text()


def test_report_names_the_profile_in_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = fine(profile="async").write(tmp_path / "log.ndjson")
    run(capsys, "report", log, "--out", tmp_path, "--format", "md")
    assert [path.name for path in tmp_path.glob("report-*")] == [
        "report-2026-11-30-021500-torch-2.14.1-async.md"
    ]


def test_report_shows_recorded_runs_beside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = without_gpu().write(tmp_path / "log.ndjson")
    recorded = fine().write(tmp_path / "recorded.ndjson.gz")
    code, out, _ = run(capsys, "report", log, "--beside", recorded, recorded, "--out", tmp_path)
    assert code == 0
    assert out.startswith(
        "Nothing was shown about the GPU: 1 host-only case ran, 3 need a GPU\n  No GPU: no NVIDIA device\n"
    )
    assert (
        "Recorded run: not from this machine"
        in (tmp_path / "report-2026-11-30-021500-torch-2.14.1.html").read_text()
    )


def test_diff_says_first_what_matters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (log.write(tmp_path / f"{number}.ndjson") for number, log in enumerate(two_runs()))
    code, out, err = run(capsys, "diff", old, new, "--changing", "torch", "--out", tmp_path)
    stem = tmp_path / "diff-2026-11-30-021500-torch-2.13.0-to-2.14.1"
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "May I upgrade? No: 1 regression, 1 missing, 1 improvement, 1 fact change, 1 gone case that expected/ does not foretell",
        "  Changed: torch from 2.13.0+cu130 to 2.14.1+cu130.",
        "  Not compared: 1 result that ran in neither run.",
        "  regression  shared_pool.order/wrong: error 1 at replay -> corrupt at second: 2 instead of 20 (overwritten)",
        "  missing  mem_pool.retain: ok -> missing (uncompiled)",
        "  improvement  streams.fixed: fail at x.cpp:1 -> ok",
        "  fact changed  random.offset: fact offset 4 -> 8",
        "  known change  capture.moved/wrong: error 900 at item -> error 1 at item (the allocator notices first)",
        "  error text drifted  errors.text: text",
        "  warnings changed  factories.warns: warnings",
        f"wrote {stem}.html",
        f"wrote {stem}.md",
    ]


def test_diff_exits_0_where_nothing_stops_the_upgrade(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = fine("2.13.0").write(tmp_path / "old.ndjson"), fine().write(tmp_path / "new.ndjson")
    assert run(capsys, "diff", old, new, "--out", tmp_path)[0] == 0


def test_diff_exits_2_where_runs_cannot_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = fine().write(tmp_path / "one.ndjson")
    killed = fine()
    killed.events.pop()
    others = {
        "gpus": fine(gpus=[H200, H200 | {"index": 1}]),
        "killed": killed,
        "empty": LogBuilder().finish(),
        "newer": LogBuilder(schema=2).finish(),
    }
    for name, log in others.items():
        other = log.write(tmp_path / f"{name}.ndjson")
        code, out, err = run(capsys, "diff", one, other, "--out", tmp_path)
        assert (code, out) == (2, "")
        assert err.startswith(f"cudasem diff: {other}:")
        assert err.count("\n") == 1
    assert run(capsys, "diff", one, tmp_path / "gpus.ndjson", "--allow-different", "--out", tmp_path)[0] == 0


@pytest.mark.parametrize("name", ["none.ndjson", "", "empty.ndjson", "text.ndjson"])
def test_bad_input_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (tmp_path / "empty.ndjson").write_bytes(b"")
    (tmp_path / "text.ndjson").write_text("hello\n")
    code, out, err = run(capsys, "report", tmp_path / name, "--out", tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith(f"cudasem report: {tmp_path / name}:")
    assert err.count("\n") == 1
    assert "expected" in err
    assert "found" in err


def test_a_folder_that_cannot_be_written_is_one_line_and_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = fine().write(tmp_path / "log.ndjson")
    code, _, err = run(capsys, "report", log, "--out", log)
    assert code == 2
    assert (
        err == f"cudasem report: {log}: expected to write there, found: File exists; choose another --out\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["report"],
        ["diff", "one"],
        ["unknown"],
        ["report", "x", "--format", "pdf"],
        ["diff", "a", "b", "--changing", "gpu"],
    ],
)
def test_wrong_usage_is_one_line_and_exit_64(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (64, "")
    assert err.count("\n") == 1
    assert "--help" in err


@pytest.mark.parametrize("command", ["report", "diff"])
def test_help_names_every_option(capsys: pytest.CaptureFixture[str], command: str) -> None:
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert out.startswith(f"usage: cudasem {command} ")
    assert {"report": "--beside", "diff": "--allow-different"}[command] in out


def test_two_runs_of_a_day_have_a_report_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, utc in enumerate(("2026-11-30T02:15:00Z", "2026-11-30T17:05:00Z")):
        log = fine(utc=utc).write(tmp_path / f"{number}.ndjson")
        run(capsys, "report", log, "--out", tmp_path, "--format", "md")
    assert len(list(tmp_path.glob("report-*"))) == 2


def test_a_reader_that_leaves_early_ends_the_program_in_silence(tmp_path: Path) -> None:
    log = fine().write(tmp_path / "log.ndjson")
    command = [sys.executable, "-m", "cudasem_reports", "report", str(log), "--out", str(tmp_path)]
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(command, stdout=write_end, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write_end)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")
