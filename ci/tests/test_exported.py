from pathlib import Path

import pytest

from steps import exported
from steps.paths import StepError

EFFECTS = [
    {"outcome": "error", "at": "item", "code": 900, "type": "c10::AcceleratorError"},
    {"outcome": "error", "at": "body", "type": "c10::Error"},
    {"outcome": "corrupt", "at": "y[0]", "want": "20", "got": "2"},
    {"outcome": "fail", "at": "cases/x.cpp:3"},
]
OUTPUT = """SEEN error 900 at item
     CUDA error: operation not permitted
SEEN error c10::Error at body
SEEN corrupt at y[0]: 2 instead of 20 (overwritten)
SEEN fail
     line 3: expected a == b
"""


def test_a_program_and_a_recorded_run_that_saw_the_same_are_told_in_the_same_lines() -> None:
    assert exported.said(OUTPUT, 1) == exported.lines_of({"outcome": "error", "effects": EFFECTS})


def test_a_crash_is_its_signal_and_nothing_seen_is_ok() -> None:
    crash = {"outcome": "crash", "signal": "SIGSEGV", "effects": []}
    assert exported.lines_of(crash) == exported.said("", -11)
    assert exported.lines_of({"outcome": "ok", "effects": []}) == exported.said("SEEN ok\n", 0)


def test_a_program_that_says_something_else_is_a_problem(tmp_path: Path) -> None:
    program = tmp_path / "build" / "one"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho SEEN ok >&2\n")
    program.chmod(0o755)
    assert exported.ran(tmp_path, exported.Recorded("area.one/wrong", 0, ("ok",))) == ""
    difference = exported.ran(tmp_path, exported.Recorded("area.one/wrong", 0, ("error 900 at item",)))
    assert difference == "recorded error 900 at item; the program said ok"


def test_every_misuse_is_found_in_the_sources() -> None:
    found = exported.misuses()
    assert "capture.item_inside" in found
    assert len(found) == len(set(found)) > 100


def test_a_release_without_a_recorded_run_is_refused() -> None:
    with pytest.raises(StepError, match=r"no recorded run of torch 1\.0\.0"):
        exported.recorded("1.0.0+cu130")
