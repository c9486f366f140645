"""`cudasem report` starts this package; runs only where the program is built (CUDASEM_PROGRAM)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from logs import fine

PROGRAM = os.environ.get("CUDASEM_PROGRAM", "")
needs_program = pytest.mark.skipif(not os.access(PROGRAM, os.X_OK), reason="CUDASEM_PROGRAM names no program")


def start(*command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CUDASEM_PYTHON": sys.executable}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)


def test_the_package_starts_as_a_module(tmp_path: Path) -> None:
    log = fine().write(tmp_path / "log.ndjson")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-m", "cudasem_reports", "report", str(log), "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Fine: 3 of 3 as expected\n")


@needs_program
def test_the_program_starts_the_package(tmp_path: Path) -> None:
    log = fine().write(tmp_path / "log.ndjson")
    done = start(PROGRAM, "report", str(log), "--out", str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Fine: 3 of 3 as expected\n")


@needs_program
def test_the_program_passes_exit_codes_on(tmp_path: Path) -> None:
    assert start(PROGRAM, "report", str(tmp_path / "none.ndjson")).returncode == 2
    assert start(PROGRAM, "diff").returncode == 64
