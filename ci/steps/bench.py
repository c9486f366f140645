"""ci/bench: how fast the runner is, each figure as a ratio or against a limit, measured in one go.

Every comparison takes turns, so that a busy machine slows both sides; the best of the turns counts.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from steps.bench_folder import TrivialFolder
from steps.paths import ROOT, StepError

CASES = 500
MANY = 10_000
AT_ONCE = 2


@dataclass(frozen=True)
class Target:
    """One line of the table. A gross miss is one that no busy machine explains."""

    name: str
    found: float
    limit: float
    unit: str
    at_least: bool
    gross: float
    """Beyond it the target fails a test run; between it and `limit` it is told, no more."""

    @property
    def met(self) -> bool:
        return self.found >= self.limit if self.at_least else self.found <= self.limit

    @property
    def grossly_missed(self) -> bool:
        return self.found < self.gross if self.at_least else self.found > self.gross

    def line(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "met" if self.met else "MISSED, grossly" if self.grossly_missed else "MISSED"
        return f"{self.name:<58} {self.found:>8.2f} {self.unit:<4} {sign} {self.limit:g}  {verdict}"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ci/bench", description=__doc__)
    parser.add_argument(
        "--programs", type=Path, metavar="DIR", help="folder with cudasem and cudasem_trivial (newest build)"
    )
    parser.add_argument("--turns", type=int, default=3, help="turns of each comparison (3)")
    parser.add_argument(
        "--gross", action="store_true", help="exit with 1 only for gross misses (what ci/test --full does)"
    )
    return parser.parse_args(argv)


def newest_programs() -> Path:
    found = [path.parent for path in (ROOT / "build").glob("*/runner/cudasem_trivial")]
    if not found:
        raise StepError("no cudasem_trivial under build/: `ci/build --no-torch` makes it, or name --programs")
    return max(found, key=lambda folder: (folder / "cudasem").stat().st_mtime)


def seconds(command: list[str | Path], env: dict[str, str], accepted: tuple[int, ...] = (0,)) -> float:
    """How long it takes; StepError if it does not do what it should."""
    started = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, check=False)
    elapsed = time.perf_counter() - started
    if done.returncode not in accepted:
        said = (done.stdout + done.stderr).decode(errors="replace")[-2000:]
        raise StepError(
            f"{' '.join(map(str, command))} was to end with {accepted}, did with {done.returncode}:\n{said}"
        )
    return elapsed


def best_of(turns: int, *sides: Callable[[], float]) -> list[float]:
    """The best time of each side, turn about."""
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(turns):
        for side, taken in zip(sides, times, strict=True):
            taken.append(side())
    return [min(taken) for taken in times]


def against_bare_loop(folder: TrivialFolder, turns: int) -> list[Target]:
    one_case: list[str | Path] = [folder.binary, "--run", "trivial.case_00000", "--record-fd", "3"]
    bare, ours = best_of(
        turns,
        lambda: seconds([folder.programs / "cudasem_bare_spawn", str(CASES), str(AT_ONCE), *one_case], {}),
        lambda: seconds(folder.run(AT_ONCE), folder.environment(CASES)),
    )
    print(
        f"{CASES} children at -j{AT_ONCE}: bare loop {CASES / bare:.0f} a second, runner {CASES / ours:.0f}"
    )
    return [Target("(a) children a second, runner against a bare loop", 100 * bare / ours, 65, "%", True, 30)]


def against_ctest(folder: TrivialFolder, turns: int) -> list[Target]:
    if shutil.which("ctest") is None:
        print("no ctest here: (b) is left out")
        return []
    tests = folder.write_ctest(CASES)
    ctest, isolated, batched = best_of(
        turns,
        lambda: seconds(["ctest", "--test-dir", tests, f"-j{AT_ONCE}"], {}),
        lambda: seconds(folder.run(AT_ONCE), folder.environment(CASES)),
        lambda: seconds(folder.run(AT_ONCE), folder.environment(CASES, "shared")),
    )
    print(
        f"{CASES} cases at -j{AT_ONCE}: ctest {ctest:.2f} s, runner isolated {isolated:.2f} s, "
        f"batched {batched:.2f} s"
    )
    return [
        Target("(b) runner isolated, times as fast as ctest", ctest / isolated, 1.5, "x", True, 1.0),
        Target("(b) runner batched, times as fast as ctest", ctest / batched, 20, "x", True, 5),
    ]


def listing(folder: TrivialFolder, turns: int) -> list[Target]:
    (taken,) = best_of(turns + 2, lambda: seconds(folder.list(), folder.environment(MANY)))
    return [Target(f"(c) list of {MANY:,} cases", 1000 * taken, 100, "ms", False, 400)]


def memory(folder: TrivialFolder) -> list[Target]:
    environment = {**os.environ, **folder.environment(MANY, "shared")}
    with Path(os.devnull).open("w") as nowhere:
        program = subprocess.Popen(folder.run(AT_ONCE), env=environment, stdout=nowhere)
        _, status, usage = os.wait4(program.pid, 0)
    program.returncode = os.waitstatus_to_exitcode(status)
    if program.returncode != 0:
        raise StepError(f"a run of {MANY} cases ended with {program.returncode}")
    return [Target(f"(d) memory of a run of {MANY:,} cases", usage.ru_maxrss / 1024, 50, "MB", False, 100)]


def measure(programs: Path, turns: int) -> list[Target]:
    with tempfile.TemporaryDirectory(prefix="cudasem-bench-") as path:
        folder = TrivialFolder(Path(path), programs)
        return [
            *against_bare_loop(folder, turns),
            *against_ctest(folder, turns),
            *listing(folder, turns),
            *memory(folder),
        ]


def main() -> int:
    options = arguments()
    try:
        targets = measure((options.programs or newest_programs()).resolve(), options.turns)
    except StepError as error:
        print(f"ci/bench: {error}", file=sys.stderr)
        return 2
    print("\n".join(target.line() for target in targets))
    bad = [target for target in targets if (target.grossly_missed if options.gross else not target.met)]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
