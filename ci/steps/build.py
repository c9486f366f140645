"""ci/build: configures and builds one folder for each libtorch, keep-going, all output in build.log.

An area whose cases do not compile costs only itself: it is reported here, and by the runner as missing
(uncompiled). Its binary of an earlier build is removed, so that a run cannot take it for today's.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from steps import libtorch, releases
from steps.paths import ROOT, TOOLS_VENV, StepError, shown

MIB_A_JOB = 1500  # the largest compilation is the precompiled header: 0.8 GiB with clang, 1.4 GiB with g++
# No CCACHE_BASEDIR: it makes paths relative, and __FILE__ is how a case finds its embedded source.
CCACHE = {"CCACHE_SLOPPINESS": "pch_defines,time_macros"}


@dataclass
class Built:
    """What a build left behind."""

    folder: Path
    failed_areas: dict[str, str] = field(default_factory=dict)
    """Area → its first compiler error."""
    other_failures: list[str] = field(default_factory=list)
    """First errors outside the areas: the runner's tests, the support code's."""


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="ci/build", description=(__doc__ or "").split("\n\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--torch", metavar="VERSION", help="a release that ci/setup installed; default: the newest"
    )
    which.add_argument("--torch-dir", type=Path, metavar="DIR", help="this libtorch")
    which.add_argument("--no-torch", action="store_true", help="runner and reports alone, into build/dev")
    parser.add_argument(
        "--compiler", metavar="CXX", help="default: clang++ where there is one (2 x faster), else g++"
    )
    parser.add_argument("--strict", action="store_true", help="fail when anything failed to compile")
    return parser.parse_args(argv)


def build(torch_dir: Path | None, compiler: str | None = None, targets: tuple[str, ...] = ()) -> Built:
    """torch_dir None: runner and reports alone. StepError when there is no runner in the end."""
    compiler = compiler or default_compiler()
    folder = folder_for(torch_dir, compiler)
    log = folder / "build.log"
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    print(f"build: {shown(folder)} with {compiler}, {jobs()} at a time (log: {shown(log)})", flush=True)
    with log.open("w") as output:
        if run(configure_command(folder, torch_dir, compiler), output) != 0:
            output.flush()
            raise StepError(f"CMake could not configure {shown(folder)}: {first_cmake_error(log)}")
        whole = run(ninja(folder, *targets), output)
    built = Built(folder)
    if whole != 0:
        find_what_failed(built, log.read_text(errors="replace"))
    print(f"build: {shown(folder)} took {time.monotonic() - started:.0f} s", flush=True)
    return built


def default_compiler() -> str:
    found = next((name for name in ("clang++", "g++") if shutil.which(name)), None)
    if found is None:
        raise StepError("no C++ compiler (clang++ or g++): ci/setup installs one or says how")
    return found


def folder_for(torch_dir: Path | None, compiler: str) -> Path:
    """build/torch-2.14.1, build/dev; another compiler than the default one has folders of its own."""
    version = libtorch.check(torch_dir).split("+")[0] if torch_dir else ""
    name = f"torch-{version}" if torch_dir else "dev"
    suffix = "" if compiler == default_compiler() else f"-{Path(compiler).name}"
    return ROOT / "build" / f"{name}{suffix}"


def configure_command(folder: Path, torch_dir: Path | None, compiler: str) -> list[str]:
    settings = [f"-DCMAKE_CXX_COMPILER={compiler}", f"-DPython3_EXECUTABLE={TOOLS_VENV}/bin/python"]
    if torch_dir:
        settings.append(f"-DCUDASEM_TORCH_DIR={torch_dir.resolve()}")
    if shutil.which("ccache"):
        settings.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        if "clang" in compiler:  # a header's time in it would make every precompiled header a new one
            settings.append("-DCMAKE_CXX_FLAGS=-Xclang -fno-pch-timestamp")
    command = ["cmake", "--preset", "torch" if torch_dir else "dev", "-S", str(ROOT), "-B", str(folder)]
    if other_compiler(folder / "CMakeCache.txt", compiler):
        command.append("--fresh")
    return [*command, *settings]


def other_compiler(cache: Path, compiler: str) -> bool:
    if not cache.exists():
        return False
    used = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", cache.read_text(errors="replace"), re.MULTILINE)
    return used is None or Path(used[1]).name != Path(compiler).name


def ninja(folder: Path, *targets: str) -> list[str]:
    return [
        "cmake",
        "--build",
        str(folder),
        *(["--target", *targets] if targets else []),
        "--",
        "-k",
        "0",
        f"-j{jobs()}",
    ]


def jobs() -> int:
    """As many compilations as there are processors and memory for; CUDASEM_JOBS overrides."""
    asked = os.environ.get("CUDASEM_JOBS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return max(1, min(len(os.sched_getaffinity(0)), available_mib() // MIB_A_JOB))


def available_mib() -> int:
    """What the machine has free, or what a container's limit leaves."""
    free = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    available = int(free[1]) // 1024 if free else MIB_A_JOB
    try:
        limit, used = (
            Path("/sys/fs/cgroup", name).read_text().strip() for name in ("memory.max", "memory.current")
        )
        if limit != "max":
            available = min(available, (int(limit) - int(used)) // 2**20)
    except (OSError, ValueError):
        pass  # no such limit here
    return available


def run(command: list[str], output: IO[str] | int) -> int:
    result = subprocess.run(
        command,
        stdout=output,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **CCACHE},
        check=False,
    )
    return result.returncode


def find_what_failed(built: Built, log: str) -> None:
    """Asks ninja target by target. Fills built; StepError when the runner is among what failed."""
    errors = first_errors(log)
    if not builds(built.folder, "cudasem"):
        error = errors.get("cudasem_runner") or errors.get("cudasem") or "see build.log"
        raise StepError(f"the runner did not compile: {error}")
    areas = areas_of(built.folder)
    support = not areas or builds(built.folder, "cudasem_case")
    for area in areas:
        target = f"cudasem_{area}"
        if support and builds(built.folder, target):
            continue
        built.failed_areas[area] = errors.get(target) or errors.get("cudasem_case") or "see build.log"
        (built.folder / "cases" / target).unlink(missing_ok=True)
    of_areas = {f"cudasem_{area}" for area in built.failed_areas} | {"cudasem_case"}
    built.other_failures = [error for target, error in errors.items() if target not in of_areas]


def builds(folder: Path, target: str) -> bool:
    return run(ninja(folder, target), subprocess.DEVNULL) == 0


def areas_of(folder: Path) -> list[str]:
    subject = folder / "cases" / "subject.json"
    areas = json.loads(subject.read_text())["areas"] if subject.exists() else []
    return [str(area) for area in areas if area]


def first_errors(log: str) -> dict[str, str]:
    """Target → the first error that its failed steps printed."""
    errors: dict[str, str] = {}
    for section in re.split(r"^FAILED: ", log, flags=re.MULTILINE)[1:]:
        head, _, output = section.partition("\n")
        target = re.search(r"CMakeFiles/(\w+)\.dir/", head)
        name = target[1] if target else Path(head.split()[-1]).name
        message = re.search(r"^.*(?:error: |undefined reference).*$", output, re.MULTILINE)
        errors.setdefault(name, from_root(message[0]) if message else head.strip())
    return errors


def from_root(message: str) -> str:
    """With paths as from the checkout's root, however the compiler was called."""
    return message.replace(f"{ROOT}/", "").removeprefix("../../")


def first_cmake_error(log: Path) -> str:
    said = log.read_text(errors="replace")
    error = re.search(r"CMake Error.*?(?=\n\n\n|\nCall Stack|\Z)", said, re.DOTALL)
    return " ".join((error[0] if error else said[-400:]).split())


def report(built: Built) -> None:
    for area, error in built.failed_areas.items():
        print(
            f"build: area {area} did not compile, the runner reports its cases as missing: {error}",
            flush=True,
        )
    for error in built.other_failures:
        print(f"build: did not compile: {error}", flush=True)


def main() -> int:
    options = arguments()
    try:
        torch_dir: Path | None = options.torch_dir
        if not options.no_torch and torch_dir is None:
            supported = releases.supported()
            release = releases.find(options.torch, supported) if options.torch else releases.newest(supported)
            torch_dir = libtorch.installed_torch_dir(release.torch)
        built = build(torch_dir, options.compiler)
    except StepError as error:
        print(f"build: {error}", file=sys.stderr)
        return 2
    report(built)
    return 1 if options.strict and (built.failed_areas or built.other_failures) else 0


if __name__ == "__main__":
    sys.exit(main())
