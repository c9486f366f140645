"""Checks of the tree that no tool of others makes: file lengths, sizes, and the look of shell scripts."""

import subprocess
from pathlib import Path

from steps.paths import ROOT, StepError

LONGEST = 500
DATA = ("reports/recorded/", "reports/tests/golden/", "expected/", "LICENSE")
DATA_SUFFIXES = (".ndjson", ".gz", ".json", ".svg", ".html", ".lock")
TREE_MIB, RECORDED_MIB = 10, 4
WIDEST_SHELL_LINE = 120


def tracked(*patterns: str) -> list[Path]:
    """Files of the checkout that git knows, relative to its root."""
    result = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", *patterns], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise StepError(f"git ls-files failed, is this a clone? {result.stderr.strip()}")
    paths = [Path(name) for name in result.stdout.split("\0") if name]
    return [path for path in paths if (ROOT / path).is_file()]


def is_data(path: Path) -> bool:
    return path.as_posix().startswith(DATA) or path.suffix in DATA_SUFFIXES


def problems_of_files(paths: list[Path], root: Path = ROOT) -> list[str]:
    """Files longer than one idea, and a tree heavier than a clone should be."""
    found = []
    for path in paths:
        if not is_data(path):
            lines = (root / path).read_bytes().count(b"\n")
            if lines > LONGEST:
                found.append(f"{path}: {lines} lines; over {LONGEST} it is two ideas: split it")
    sizes = {path: (root / path).stat().st_size for path in paths}
    for what, limit, size in (
        ("the tracked files", TREE_MIB, sum(sizes.values())),
        (
            "reports/recorded",
            RECORDED_MIB,
            sum(size for path, size in sizes.items() if path.as_posix().startswith("reports/recorded/")),
        ),
    ):
        if size > limit * 2**20:
            found.append(f"{what}: {size / 2**20:.1f} MiB, more than the {limit} MiB that were agreed on")
    return found


def is_shell(path: Path, root: Path = ROOT) -> bool:
    with (root / path).open("rb") as file:
        first = file.readline(80)
    return first.startswith(b"#!") and (b"bash" in first or first.rstrip().endswith(b"/sh"))


def problems_of_shell(path: Path, root: Path = ROOT) -> list[str]:
    """What shellcheck does not look at: strictness, indentation, width, the executable bit."""
    text = (root / path).read_text()
    found = []
    if "set -euo pipefail" not in text and text.startswith("#!/usr/bin/env bash"):
        found.append(f"{path}: `set -euo pipefail` is missing: a failing command would go unnoticed")
    if not (root / path).stat().st_mode & 0o100:
        found.append(f"{path}: has a #! line and is not executable: chmod +x, or take the line away")
    for number, line in enumerate(text.splitlines(), 1):
        if line != line.rstrip() or "\t" in line:
            found.append(f"{path}:{number}: tab or trailing space")
        if len(line) > WIDEST_SHELL_LINE:
            found.append(f"{path}:{number}: {len(line)} columns, more than {WIDEST_SHELL_LINE}")
    return found
