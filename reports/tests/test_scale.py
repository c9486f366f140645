"""10,000 cases: what the commands take, and how large the pages are; `pytest -s` prints the figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from many import many
from pages import Page

CASES = 10_000
SLACK = 4
"""Machines that are shared are slower, by other work and by a factor of their own."""
PACKAGE = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def two_large_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("many")
    old = many(CASES, "2.13.0+cu130", utc="2026-11-29T02:15:00Z", run_id="0001")
    return old.write(folder / "old.ndjson.gz"), many(CASES, bad=500).write(folder / "new.ndjson.gz")


def seconds_of(folder: Path, *arguments: object) -> float:
    """Processor time of the command, as its user starts it: other work on the machine does not count."""
    command = [sys.executable, "-m", "cudasem_reports", *map(str, arguments), "--out", str(folder)]
    before = os.times()
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False)
    after = os.times()
    assert done.returncode in (0, 1), done.stderr
    return after.children_user + after.children_system - before.children_user - before.children_system


def test_a_report_of_10000_cases(two_large_runs: tuple[Path, Path], tmp_path: Path) -> None:
    seconds = seconds_of(tmp_path, "report", two_large_runs[1])
    (html,) = tmp_path.glob("*.html")
    size = html.stat().st_size
    print(f"\nreport of {CASES} cases: {seconds:.2f} s (wanted: 2), HTML {size / 1e6:.2f} MB (wanted: 3)")
    assert size <= 3_000_000
    assert seconds <= 2 * SLACK
    page = Page(html.read_text())
    assert len({code for code in page.codes if "a_fact_that" in code and not set("/ ") & set(code)}) == CASES
    assert "cudasem report new.ndjson.gz --only" in "".join(page.text)


def test_a_difference_of_10000_cases(two_large_runs: tuple[Path, Path], tmp_path: Path) -> None:
    seconds = seconds_of(tmp_path, "diff", *two_large_runs)
    (html,) = tmp_path.glob("*.html")
    size = html.stat().st_size
    print(f"\ndiff of {CASES} cases: {seconds:.2f} s (wanted: 3), HTML {size / 1e6:.2f} MB (wanted: 3)")
    assert size <= 3_000_000
    assert seconds <= 3 * SLACK
    Page(html.read_text())
