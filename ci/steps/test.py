"""ci/test: sets up, then runs every test and check of the project.

All steps run even when one failed. The last line is the count of tests and checks.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from steps import build, libtorch, mutation, releases, setup, style, system_packages, tidy
from steps.counting import ONE_FAILED, ONE_PASSED, Counts, closing_line, read_junit
from steps.paths import ROOT, TOOLS_VENV, StepError, shown

LOGS = ROOT / "build" / "test-logs"
BIN = TOOLS_VENV / "bin"


@dataclass(frozen=True)
class Step:
    """Does one thing, writes what it has to say into the log, and counts."""

    name: str
    about: str
    do: Callable[[Path], Counts]
    only_full: bool = False


@dataclass
class Result:
    step: Step
    counts: Counts
    seconds: float
    message: str = ""


@dataclass
class Folders:
    """Where the steps find what earlier ones built."""

    torch: list[str] = field(default_factory=lambda: [release.torch for release in releases.supported()])

    @property
    def newest(self) -> str:
        return max(self.torch, key=releases.order)

    def of(self, torch: str) -> Path:
        return ROOT / "build" / f"torch-{torch}"


def steps(folders: Folders) -> list[Step]:
    newest = folders.newest
    older = [torch for torch in reversed(folders.torch) if torch != newest]
    planned = [
        Step("setup", f"system packages, tools, torch {newest}", lambda log: set_up([newest])),
        Step("build", f"runner and cases, torch {newest}", lambda log: compiled(newest)),
        Step("runner", "the runner's tests", lambda log: ctest(folders.of(newest), log, "-L", "^runner$")),
        Step("cases", f"cases that run here, torch {newest}", lambda log: cases(folders.of(newest), log)),
        Step(
            "mutation",
            "no rule holds with its oracles turned",
            lambda log: refuted(folders.of(newest), log),
        ),
        Step(
            "lint", "cases, expectations and claims fit together", lambda log: lint(folders.of(newest), log)
        ),
        Step("reports", "the reports' tests", lambda log: pytest("reports", folders.of(newest), log)),
        Step(
            "export",
            "ten exported misuses build, and say what was recorded",
            lambda log: exported(newest, log, 10),
        ),
        Step(
            "export-all",
            "so do all others",
            lambda log: exported(newest, log, 0),
            only_full=True,
        ),
        Step("ci", "the scripts' tests", lambda log: pytest("ci", folders.of(newest), log)),
        Step(
            "slurm",
            "shards on a real Slurm of one node",
            lambda log: slurm(folders.of(newest), log),
            only_full=True,
        ),
        Step("build-gcc", "the runner with the second compiler", lambda log: compiled_by_gcc()),
        Step(
            "runner-gcc", "its tests", lambda log: ctest(gcc_folder(), log, "-L", "^runner$"), only_full=True
        ),
        Step(
            "kills",
            "50 runs killed and resumed: nothing lost, nothing twice",
            lambda log: killed(folders.of(newest), log),
            only_full=True,
        ),
        Step(
            "bench",
            "the runner's speed and memory",
            lambda log: bench(folders.of(newest), log),
            only_full=True,
        ),
        Step("clang-format", "layout of C++", clang_format),
        Step("clang-tidy", "runner/", lambda log: tidied(folders.of(newest), log, of_cases=False)),
        Step(
            "clang-tidy-cases",
            "cases/",
            lambda log: tidied(folders.of(newest), log, of_cases=True),
            only_full=True,
        ),
        Step(
            "ruff",
            "Python: faults",
            lambda log: check([[BIN / "ruff", "check", "--output-format=concise", "ci", "reports"]], log),
        ),
        Step(
            "ruff-format",
            "Python: layout",
            lambda log: check([[BIN / "ruff", "format", "--check", "ci", "reports"]], log),
        ),
        Step("mypy", "Python: types", mypy),
        Step("shell", "shell scripts", shell),
        Step("deployment", "workflows and Dockerfile", deployment),
        Step("files", "length and size of files", files),
    ]
    for torch in older:
        planned += older_release(torch, folders.of(torch))
    return planned


def older_release(torch: str, folder: Path) -> list[Step]:
    return [
        Step(f"setup-{torch}", f"torch {torch}", lambda log: set_up([torch]), only_full=True),
        Step(
            f"build-{torch}", "cases and the runner", lambda log: compiled(torch, whole=False), only_full=True
        ),
        Step(f"cases-{torch}", "cases that run here", lambda log: cases(folder, log), only_full=True),
    ]


def set_up(torch: list[str]) -> Counts:
    options = ["--quiet"]
    for version in torch:
        options += ["--torch", version]
    setup.run(setup.arguments(options))
    return ONE_PASSED


def compiled(torch: str, whole: bool = True) -> Counts:
    targets = () if whole else ("cudasem", "cases/all")
    return all_built(build.build(libtorch.installed_torch_dir(torch), targets=targets))


def gcc_folder() -> Path:
    return build.folder_for(None, "g++")


def compiled_by_gcc() -> Counts:
    return all_built(build.build(None, "g++"))


def all_built(built: build.Built) -> Counts:
    build.report(built)
    if built.failed_areas or built.other_failures:
        raise StepError("not everything compiled")
    return ONE_PASSED


def ctest(folder: Path, log: Path, *selection: str) -> Counts:
    junit = log.with_suffix(".xml")
    junit.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(folder), "--output-on-failure", "--no-tests=error"]
    status = call([*command, "--output-junit", str(junit), f"-j{build.jobs()}", *selection], log)
    return counted(junit, status)


def cases(folder: Path, log: Path) -> Counts:
    return ctest(folder, log, "-L", "^cases$")


def pytest(
    project: str, folder: Path, log: Path, *selection: str, more_env: dict[str, str] | None = None
) -> Counts:
    junit = log.with_suffix(".xml")
    junit.unlink(missing_ok=True)
    program = folder / "runner" / "cudasem"
    status = call(
        [str(BIN / "python"), "-m", "pytest", f"--junitxml={junit}", *selection],
        log,
        cwd=ROOT / project,
        more_env=({"CUDASEM_PROGRAM": str(program)} if program.exists() else {}) | (more_env or {}),
    )
    return counted(junit, status)


def exported(torch: str, log: Path, count: int) -> Counts:
    """Those that need no GPU are run; with one, `python -m steps.exported --gpus 1` runs the others."""
    torch_dir = libtorch.installed_torch_dir(torch)
    options: list[str | Path] = ["--torch", torch, "--torch-dir", torch_dir, "--count", str(count)]
    command: list[str | Path] = [BIN / "python", "-m", "steps.exported", *options]
    return check([command], log, cwd=ROOT / "ci")


def slurm(folder: Path, log: Path) -> Counts:
    system_packages.install_for_full_test()
    return pytest("ci", folder, log, "tests/test_slurm.py", more_env={"CUDASEM_SLURM": "1"})


def counted(junit: Path, status: int) -> Counts:
    """The file's counts; a run that failed without a failed test, or ran nothing, is a failure too."""
    if not junit.exists():
        return ONE_FAILED
    counts = read_junit(junit)
    if (status != 0 and counts.failed == 0) or counts == Counts():
        return counts + ONE_FAILED
    return counts


def refuted(folder: Path, log: Path) -> Counts:
    result = mutation.read(
        mutation.run(folder / "runner" / "cudasem", folder / "cases", log.with_suffix(".ndjson"))
    )
    log.write_text(f"{result}\n")
    return Counts(passed=len(result.refuted), failed=len(result.held) + len(result.broken))


def lint(folder: Path, log: Path) -> Counts:
    cudasem, cases = folder / "runner" / "cudasem", folder / "cases"
    command: list[str | Path] = [cudasem, "lint", "--cases", cases]
    return check([command], log)


def bench(folder: Path, log: Path) -> Counts:
    """Missed targets are in the log; a step fails for gross misses alone, which no busy machine explains."""
    return check([[ROOT / "ci" / "bench", "--gross", "--programs", folder / "runner"]], log)


def killed(folder: Path, log: Path) -> Counts:
    command: list[str | Path] = [folder / "runner" / "runner_test", "--gtest_filter=Killed.*"]
    return check([command], log, more_env={"CUDASEM_KILLS": "50"})


def clang_format(log: Path) -> Counts:
    sources = style.tracked("runner/*.h", "runner/*.cpp", "cases/*.h", "cases/*.cpp")
    return check([[BIN / "clang-format", "--dry-run", "-Werror", *sources]], log)


def tidied(folder: Path, log: Path, of_cases: bool) -> Counts:
    tidy.run(folder, log, of_cases)
    return ONE_PASSED


def mypy(log: Path) -> Counts:
    return sum(
        (check([[BIN / "mypy"]], log, cwd=ROOT / project, mode="a") for project in ("ci", "reports")),
        Counts(),
    )


def shell(log: Path) -> Counts:
    scripts = [path for path in style.tracked() if style.is_shell(path)]
    counts = check([["shellcheck", *scripts]], log)
    return counts + listed([problem for path in scripts for problem in style.problems_of_shell(path)], log)


def deployment(log: Path) -> Counts:
    workflows = style.tracked(".github/workflows/*.yml")
    schema: list[str | Path] = [
        BIN / "check-jsonschema",
        "--builtin-schema",
        "vendor.github-workflows",
        *workflows,
    ]
    return check([schema], log) + check([[BIN / "hadolint", "ci/docker/Dockerfile"]], log, mode="a")


def files(log: Path) -> Counts:
    return listed(style.problems_of_files(style.tracked()), log)


def listed(problems: list[str], log: Path) -> Counts:
    with log.open("a") as output:
        output.writelines(f"{problem}\n" for problem in problems)
    return ONE_FAILED if problems else ONE_PASSED


def check(
    commands: list[list[str | Path]],
    log: Path,
    cwd: Path = ROOT,
    mode: str = "w",
    more_env: dict[str, str] | None = None,
) -> Counts:
    """One check: passed when every command is content."""
    statuses = [
        call(command, log, cwd, more_env, "a" if number else mode) for number, command in enumerate(commands)
    ]
    return ONE_FAILED if any(statuses) else ONE_PASSED


def call(
    command: list[str] | list[str | Path],
    log: Path,
    cwd: Path = ROOT,
    more_env: dict[str, str] | None = None,
    mode: str = "w",
) -> int:
    path = f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"
    with log.open(mode) as output:
        try:
            return subprocess.run(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=cwd,
                env={**os.environ, "PATH": path, **(more_env or {})},
                check=False,
            ).returncode
        except FileNotFoundError as error:
            raise StepError(
                f"{shown(Path(error.filename))} is not there: ci/setup or a build would have brought it"
            ) from error


def run_step(step: Step) -> Result:
    log = LOGS / f"{step.name}.log"
    log.unlink(missing_ok=True)
    started = time.monotonic()
    try:
        counts, message = step.do(log), ""
    except StepError as error:
        counts, message = ONE_FAILED, str(error)
    result = Result(step, counts, time.monotonic() - started, message)
    print(line_of(result), flush=True)
    if closing := closing_line(log.read_text(errors="replace") if log.exists() else ""):
        print(closing, flush=True)
    if counts.failed and log.exists():
        tail = log.read_text(errors="replace").splitlines()[-40:]
        print("\n".join(f"    {line}" for line in tail), flush=True)
        print(f"    (all of it: {shown(log)})", flush=True)
    return result


def line_of(result: Result) -> str:
    verdict = "FAILED" if result.counts.failed else "ok"
    text = f"{result.step.name:<18} {verdict:<6} {result.seconds:>6.1f} s  {result.counts.short}"
    return f"{text}: {result.message}" if result.message else f"{text} ({result.step.about})"


def arguments(known: list[Step], argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ci/test",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="steps:\n"
        + "\n".join(
            f"  {step.name:<18} {step.about}{' (--full)' if step.only_full else ''}" for step in known
        ),
    )
    parser.add_argument("--full", action="store_true", help="every supported release, and what takes long")
    parser.add_argument(
        "--only",
        action="append",
        metavar="STEP",
        choices=[step.name for step in known],
        help="this step alone (may be given several times), on what earlier runs built",
    )
    return parser.parse_args(argv)


def main() -> int:
    known = steps(Folders())
    options = arguments(known)
    chosen = [step for step in known if options.full or not step.only_full]
    if options.only:
        chosen = [step for step in known if step.name in options.only]
    LOGS.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    results = [run_step(step) for step in chosen]
    total = sum((result.counts for result in results), Counts())
    print(f"\n{len(results)} steps in {time.monotonic() - started:.0f} s")
    for result in results:
        print(f"  {line_of(result)}")
    print(f"cudasem: {total}", flush=True)
    return 0 if total.failed == 0 and total.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
