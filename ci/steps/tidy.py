"""clang-tidy over what changed: what passed with the same sources, headers and settings is not read again."""

import hashlib
import json
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from steps import build, style
from steps.paths import ROOT, StepError, shown

UNITY_CHECKS = "--checks=-bugprone-suspicious-include"  # such a file is nothing but included sources
INCLUDED = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def run(folder: Path, output: Path, cases: bool) -> None:
    """Over runner/ or the areas of cases/. StepError when something was found; all of it is in output."""
    if not (folder / "compile_commands.json").exists():
        raise StepError(f"{shown(folder)}: no compile_commands.json: build first")
    passed = folder / "tidy"
    passed.mkdir(exist_ok=True)
    common = digest([*style.tracked("cases/*.h" if cases else "runner/*.h"), Path(".clang-tidy")], version())
    jobs = cases_jobs(folder) if cases else runner_jobs(folder)
    waiting = []
    for command, sources in jobs:
        mark = passed / digest(sources, common)
        if not mark.exists():
            waiting.append((command, mark))
    with ThreadPoolExecutor(build.jobs()) as pool:
        said = list(pool.map(lambda job: tidy(*job), waiting))
    found = [text for text in said if text]
    output.write_text("\n".join([*found, *in_short(found)]) or f"{len(waiting)} of {len(jobs)} read\n")
    if found:
        raise StepError(f"clang-tidy found something in {len(found)} of {len(jobs)}")


def runner_jobs(folder: Path) -> list[tuple[list[str], list[Path]]]:
    return [
        (["clang-tidy", "--quiet", "-p", str(folder), str(ROOT / path)], [path])
        for path in style.tracked("runner/*.cpp")
    ]


def cases_jobs(folder: Path) -> list[tuple[list[str], list[Path]]]:
    """The unity files that CMake compiles, each with its cases. StepError if there are none."""
    jobs = []
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        unity = Path(entry["file"])
        if unity.parent.name != "Unity":
            continue
        included = [Path(name) for name in INCLUDED.findall(unity.read_text())]
        flags = flags_only(shlex.split(entry["command"]))
        command = ["clang-tidy", "--quiet", UNITY_CHECKS, str(unity), "--", *flags]
        jobs.append((command, [path.resolve().relative_to(ROOT) for path in included]))
    if not jobs:
        raise StepError(
            f"{shown(folder)}: no unity file of an area in compile_commands.json: build the cases first"
        )
    return jobs


def flags_only(command: list[str]) -> list[str]:
    """A compile command without compiler, output and source. The precompiled header's path stays valid."""
    start = next(index for index, word in enumerate(command) if word.startswith("-"))
    flags = command[start:]
    for option in ("-o", "-c"):
        if option in flags:
            index = flags.index(option)
            del flags[index : index + 2]
    return flags


def tidy(command: list[str], mark: Path) -> str:
    """What clang-tidy found; empty, and the mark made, when nothing."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode == 0:
        mark.touch()
        return ""
    return result.stdout + "\n".join(line for line in result.stderr.splitlines() if "error" in line)


def in_short(found: list[str]) -> list[str]:
    """One line for each finding, once: a header's turn up in every file that includes it."""
    lines = (line.replace(f"{ROOT}/", "") for text in found for line in text.splitlines())
    return sorted({line.replace(",-warnings-as-errors]", "]") for line in lines if ": error: " in line})


def version() -> str:
    return subprocess.run(["clang-tidy", "--version"], capture_output=True, text=True, check=False).stdout


def digest(paths: list[Path], more: str) -> str:
    state = hashlib.sha256(more.encode())
    for path in sorted(paths):
        state.update(path.as_posix().encode() + b"\0" + (ROOT / path).read_bytes())
    return state.hexdigest()[:24]
