"""pip's failures, as pip writes them, and what a person is told."""

from pathlib import Path

import pytest

from steps import pip
from steps.paths import StepError

PYTHON = Path("/nowhere/bin/python")


def test_a_missing_version_names_the_newest_there_are() -> None:
    log = (
        "ERROR: Could not find a version that satisfies the requirement torch==9.9.9"
        " (from versions: 2.11.0, 2.13.0, 2.14.1)\nERROR: No matching distribution found for torch==9.9.9\n"
    )
    said = pip.explain(log, ["--no-deps", "torch==9.9.9"], PYTHON)
    assert said.startswith("torch==9.9.9: pip finds no such version")
    assert "2.11.0, 2.13.0, 2.14.1" in said


def test_no_version_at_all_points_at_python_and_index() -> None:
    log = "ERROR: … (from versions: none)\nERROR: No matching distribution found for torch==2.14.1\n"
    said = pip.explain(log, ["torch==2.14.1"], PYTHON)
    assert "no version of it at all for Python 3" in said
    assert "PIP_INDEX_URL" in said


def test_an_unreachable_index_is_not_a_missing_version() -> None:
    log = (
        "WARNING: Retrying … Failed to establish a new connection: [Errno -2] Name or service not known\n"
        "ERROR: … (from versions: none)\nERROR: No matching distribution found for torch==2.14.1\n"
    )
    assert "could not be reached" in pip.explain(log, ["torch==2.14.1"], PYTHON)


def test_a_full_disk_says_how_much_is_free() -> None:
    log = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"
    said = pip.explain(log, ["torch==2.14.1"], PYTHON)
    assert "the disk is full" in said
    assert "GiB are free" in said


def test_a_failing_pip_leaves_its_log(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ERROR: something else'\nexit 1\n")
    python.chmod(0o755)
    log = tmp_path / "pip.log"
    with pytest.raises(StepError, match=r"x==1: pip failed: something else \(log: .*pip\.log\)"):
        pip.install(python, ["x==1"], log)
    assert "something else" in log.read_text()
