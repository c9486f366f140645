"""The tools' environment, .venv: what reports need to run and tests to check."""

import hashlib
import subprocess
from pathlib import Path

from steps import pip, venv
from steps.paths import ROOT, TOOLS_VENV

REQUIREMENTS = ROOT / "ci" / "requirements.txt"


def install(environment: Path = TOOLS_VENV) -> str:
    """What was done, in a line. An environment that somebody made is added to, not replaced."""
    wanted = {"requirements": hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()}
    if venv.read_stamp(environment) == wanted:
        return "there"
    if not has_pip(environment):
        venv.create(environment)
    python = venv.python_of(environment)
    pip.install(python, ["--requirement", str(REQUIREMENTS)], environment / "pip.log")
    venv.write_stamp(environment, wanted)
    return "installed ci/requirements.txt"


def has_pip(environment: Path) -> bool:
    python = venv.python_of(environment)
    if not python.exists():
        return False
    return (
        subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0
    )
