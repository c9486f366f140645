"""Calls pip and turns its failures into one message."""

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from steps.paths import StepError, shown

UNREACHABLE = re.compile(
    r"Failed to establish a new connection|Name or service not known|Temporary failure in name resolution"
    r"|ProxyError|Cannot connect to proxy|ConnectTimeout|Read timed out|Network is unreachable|SSLError"
)


def install(python: Path, arguments: list[str], log: Path) -> None:
    """`pip install` into python's environment. pip's own settings (PIP_INDEX_URL, PIP_FIND_LINKS …) hold."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    command += ["install", "--progress-bar", "off", *arguments]
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as output:
        output.write(f"$ {' '.join(command)}\n")
        output.flush()
        status = subprocess.run(
            command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False
        ).returncode
    if status != 0:
        raise StepError(f"{explain(log.read_text(errors='replace'), arguments, python)} (log: {shown(log)})")


def explain(log: str, arguments: list[str], python: Path) -> str:
    """Why pip failed, and what to do."""
    asked = " ".join(argument for argument in arguments if not argument.startswith("-"))
    if "No space left on device" in log:
        return f"{asked}: the disk is full; {free_space(python.parent)}, and pip unpacks in TMPDIR"
    unreachable = UNREACHABLE.search(log)
    if unreachable:
        return (
            f"{asked}: the package index could not be reached ({unreachable[0]}). Try again, or say where"
            " packages are with pip's own variables (PIP_INDEX_URL, PIP_FIND_LINKS, PIP_PROXY)"
        )
    absent = re.search(r"No matching distribution found for (\S+)", log)
    if absent:
        return missing(absent[1], log)
    errors = re.findall(r"^ERROR: (.*)$", log, re.MULTILINE)
    return f"{asked}: pip failed: {errors[-1] if errors else log.strip().splitlines()[-1]}"


def missing(requirement: str, log: str) -> str:
    """No such version: which there are."""
    here = f"Python {sys.version_info.major}.{sys.version_info.minor} on {platform.machine()}"
    listed = re.search(r"\(from versions: (.*?)\)", log)
    versions = [] if listed is None or listed[1] in ("", "none") else listed[1].split(", ")
    if not versions:
        return (
            f"{requirement}: pip finds no version of it at all for {here}. Either the index cannot be reached"
            " (PIP_INDEX_URL names another one), or it has nothing for this Python"
            " (PYTHON=/path/to/python3.12 ci/setup)"
        )
    return (
        f"{requirement}: pip finds no such version for {here}; the newest that it finds are"
        f" {', '.join(versions[-5:])}. Ask for one of them, or name an index that has it"
        " (PIP_EXTRA_INDEX_URL)"
    )


def free_space(where: Path) -> str:
    while not where.exists():
        where = where.parent
    return f"{shutil.disk_usage(where).free / 2**30:.1f} GiB are free at {shown(where)}"
