"""Virtual environments, and the stamp that says one was finished.

The stamp is written last. A folder without it, or with other contents than wanted, is unfinished or outdated:
an interrupted install leaves exactly that.
"""

import json
import subprocess
import sys
from pathlib import Path

from steps.paths import StepError, shown

STAMP = "cudasem.json"
Stamp = dict[str, str]


def python_of(venv: Path) -> Path:
    return venv / "bin" / "python"


def read_stamp(venv: Path) -> Stamp | None:
    """None: never finished, or the Python that it was made with is gone."""
    try:
        stamp = json.loads((venv / STAMP).read_text())
    except (OSError, json.JSONDecodeError):
        return None
    return stamp if isinstance(stamp, dict) and python_of(venv).exists() else None


def write_stamp(venv: Path, stamp: Stamp) -> None:
    unfinished = venv / f"{STAMP}.new"
    unfinished.write_text(json.dumps(stamp, indent=1) + "\n")
    unfinished.rename(venv / STAMP)


def create(venv: Path) -> None:
    """A fresh environment in place of whatever is there."""
    result = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", str(venv)], capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        lines = (result.stdout + result.stderr).strip().splitlines()
        said = " ".join(line.strip() for line in lines[:4] if line.strip())
        raise StepError(f"{shown(venv)}: `{sys.executable} -m venv` failed: {said}")
