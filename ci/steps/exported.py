"""Exports cases as programs of their own and builds each with the CMakeLists.txt beside it. Those that can
run here must show what the recorded run of that release shows.

On a machine without a compiler `--no-build` runs what was built elsewhere, with LD_LIBRARY_PATH set.
"""

import argparse
import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from steps import build, releases
from steps.paths import ROOT, StepError, shown

REPORTS = ROOT / "reports"
SEEN = re.compile(r"^SEEN (.*)$", re.MULTILINE)
LONGEST_S = 120


@dataclass(frozen=True)
class Recorded:
    """What the recorded run of a release shows of one way."""

    id: str
    gpus: int
    lines: tuple[str, ...]  # as an exported program says them; the last is `signal SIGSEGV` where it crashed


def recorded(torch: str) -> dict[str, Recorded]:
    """Every way that ran of every case that is still the same, by id. Raises StepError."""
    release = torch.partition("+")[0]
    found: dict[str, Recorded] = {}
    for path in sorted((REPORTS / "recorded").glob(f"*-torch-{release}-*-native.ndjson.gz")):
        plans: dict[str, Any] = {}
        for line in gzip.decompress(path.read_bytes()).splitlines():
            event = json.loads(line)
            if event["event"] == "plan":
                plans[event["key"]] = event
            if event["event"] == "end" and event["outcome"] not in ("skip", "missing"):
                plan = plans[event["key"]]
                if plan["source"] not in text_of(plan["file"]):
                    continue  # the case has changed since
                found[plan["id"]] = Recorded(plan["id"], plan["needs"]["gpus"], lines_of(event))
    if not found:
        raise StepError(f"no recorded run of torch {release} in {shown(REPORTS / 'recorded')}")
    return found


@cache
def text_of(file: str) -> str:
    path = ROOT / file
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def lines_of(event: dict[str, Any]) -> tuple[str, ...]:
    """The effects of an `end` event without values and texts."""
    lines = [line_of(effect) for effect in event["effects"]]
    if event["outcome"] == "crash":
        lines.append(f"signal {event['signal']}")
    return tuple(lines or ["ok"])


def line_of(effect: dict[str, Any]) -> str:
    match effect["outcome"]:
        case "error":
            return f"error {effect.get('code') or effect.get('type')} at {effect['at']}"
        case "corrupt":
            return f"corrupt at {effect['at']}"
        case "skip":
            return f"skip ({effect['detail']})"
    return str(effect["outcome"])


def said(output: str, status: int) -> tuple[str, ...]:
    """What an exported program said, as lines_of() puts it."""
    lines = [re.sub(r"^(corrupt at .*): \S+ instead of .*$", r"\1", line) for line in SEEN.findall(output)]
    if status < 0:
        lines.append(f"signal {signal.Signals(-status).name}")
    return tuple(lines)


def misuses() -> list[str]:
    """Every misuse of the source tree, recorded or not."""
    paths = (path for path in (ROOT / "cases").glob("*/*.cpp") if path.parent.name != "support")
    texts = (path.read_text(encoding="utf-8") for path in paths)
    heads = (match for text in texts for match in re.finditer(r"^MISUSE\((\w+), (\w+)", text, re.MULTILINE))
    return sorted(f"{head[1]}.{head[2]}" for head in heads)


def export(names: list[str], folder: Path) -> None:
    command = [sys.executable, "-m", "cudasem_reports", "export", *names, "--out", str(folder)]
    env = {**os.environ, "PYTHONPATH": str(REPORTS)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise StepError(f"cudasem export failed: {done.stderr.strip()}")


def built(folder: Path, torch_dir: Path) -> str:
    """Builds one exported case; returns what went wrong, or nothing."""
    configure: list[str | Path] = [
        "cmake",
        "-S",
        folder,
        "-B",
        folder / "build",
        "-G",
        "Ninja",
        f"-DTORCH_DIR={torch_dir}",
    ]
    configure.append(f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'clang++')}")
    if shutil.which("ccache"):
        configure.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    build_it: list[str | Path] = ["cmake", "--build", folder / "build"]
    for command in (configure, build_it):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors = [line for line in (done.stdout + done.stderr).splitlines() if "rror" in line]
            return errors[0] if errors else f"{command[0]} ended with {done.returncode}"
    return ""


def ran(folder: Path, want: Recorded) -> str:
    """Runs one way of a built case; returns how it differs from the recorded run, or nothing."""
    case, _, way = want.id.partition("/")
    program = folder / "build" / case.partition(".")[2]
    command = [str(program), *([way] if way else [])]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=LONGEST_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {LONGEST_S} s"
    got = said(done.stderr, done.returncode)
    if got == want.lines:
        return ""
    if not got:
        return f"said nothing, exit {done.returncode}: {done.stderr.strip()[-200:]}"
    return f"recorded {', then '.join(want.lines)}; the program said {', then '.join(got)}"


def run(options: argparse.Namespace) -> int:
    """Prints what failed and one line of figures; returns how many failed."""
    runs = recorded(options.torch)
    chosen = options.case or misuses()
    if options.count:
        chosen = sorted(random.Random(options.seed).sample(chosen, min(options.count, len(chosen))))
    problems = [] if options.no_build else build_all(chosen, options)
    ways = [
        each for each in runs.values() if each.id.partition("/")[0] in chosen and each.gpus <= options.gpus
    ]
    for each in ways:
        difference = ran(options.out / each.id.partition("/")[0], each)
        if difference:
            problems.append(f"{each.id}: {difference}")
    print("\n".join(problems) if problems else "no differences")
    figures = f"{len(chosen)} cases, {len(ways)} ways run, {len(problems)} problems (seed {options.seed})"
    print(f"exported: {figures}")
    return len(problems)


def build_all(chosen: list[str], options: argparse.Namespace) -> list[str]:
    if options.torch_dir is None:
        raise StepError("--torch-dir is needed to build: the folder with lib/libtorch.so")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        export([name], options.out / name)
    with ThreadPoolExecutor(build.jobs()) as pool:
        outcomes = pool.map(lambda name: built(options.out / name, options.torch_dir), chosen)
        return [f"{name}: {problem}" for name, problem in zip(chosen, outcomes, strict=True) if problem]


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    newest = max((release.torch for release in releases.supported()), key=releases.order)
    parser = argparse.ArgumentParser(prog="python -m steps.exported", description=__doc__)
    parser.add_argument("case", nargs="*", metavar="CASE", help="default: every misuse")
    parser.add_argument("--count", type=int, default=0, help="only so many of them, chosen by --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--torch", default=newest, help=f"release to compare with (default: {newest})")
    parser.add_argument("--torch-dir", type=Path, help="the folder with lib/libtorch.so to build against")
    parser.add_argument("--gpus", type=int, default=0, help="run what needs at most so many (default: 0)")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "exported")
    return parser.parse_args(argv)


if __name__ == "__main__":
    try:
        sys.exit(1 if run(arguments()) else 0)
    except StepError as error:
        sys.exit(f"exported: {error}")
