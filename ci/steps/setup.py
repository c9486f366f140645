"""ci/setup: makes a machine ready to build and test. Does what is not done yet, and says which is which."""

import argparse
import contextlib
import fcntl
import sys
from collections.abc import Iterator
from pathlib import Path

from steps import libtorch, releases, system_packages, tools
from steps.paths import TORCH_VENVS, StepError

GPU_DEVICES = ("nvidia0", "nvidiactl", "dxg")


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ci/setup",
        description="Installs what is missing: system packages (as root on Debian or Ubuntu), .venv, and"
        " libtorch in .venvs/torch-VERSION. pip's own settings (PIP_INDEX_URL, PIP_FIND_LINKS …) hold.",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--torch",
        action="append",
        metavar="VERSION",
        help="this release (may be given several times); default: the newest in expected/releases.toml",
    )
    which.add_argument("--all-torch", action="store_true", help="every release in expected/releases.toml")
    which.add_argument(
        "--no-torch", action="store_true", help="no libtorch: enough for the runner and the reports"
    )
    which.add_argument(
        "--torch-dir", type=Path, metavar="DIR", help="check this libtorch instead of installing one"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="torch with all its dependencies (3 GB); the default where there is an NVIDIA device",
    )
    parser.add_argument(
        "--print-torch-dir",
        action="store_true",
        help="print the installed release's torch folder, do nothing else",
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing about what is there already")
    return parser.parse_args(argv)


def wanted_releases(options: argparse.Namespace) -> list[releases.Release]:
    if options.no_torch or options.torch_dir:
        return []
    supported = releases.supported()
    if options.all_torch:
        return supported
    if not options.torch:
        return [releases.newest(supported)]
    return [releases.find(asked, supported) for asked in options.torch]


def warn_if_unsupported(release: releases.Release) -> None:
    if release.cuda_toolkit is None:
        names = ", ".join(known.torch for known in releases.supported())
        say(f"torch {release.torch}: not among the supported releases ({names}): tried all the same")


def has_gpu() -> bool:
    return any(Path("/dev", name).exists() for name in GPU_DEVICES)


@contextlib.contextmanager
def only_one() -> Iterator[None]:
    """Keeps two set-ups of one checkout from undoing each other's work."""
    TORCH_VENVS.mkdir(exist_ok=True)
    with (TORCH_VENVS / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another ci/setup is at work in this checkout: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def say(text: str) -> None:
    print(f"setup: {text}", flush=True)


def report(what: str, outcome: str, options: argparse.Namespace) -> None:
    if not (options.quiet and (outcome == "all there" or outcome.startswith("there"))):
        say(f"{what}: {outcome}")


def run(options: argparse.Namespace) -> None:
    wanted = wanted_releases(options)
    if options.print_torch_dir:
        for folder in [options.torch_dir] if options.torch_dir else []:
            libtorch.check(folder)
            print(folder.resolve())
        for release in wanted:
            print(libtorch.installed_torch_dir(release.torch))
        return
    with only_one():
        report("system packages", system_packages.install_lacking(), options)
        report(".venv", tools.install(), options)
        for release in wanted:
            warn_if_unsupported(release)
            outcome = libtorch.install(release, options.full or has_gpu())
            report(f"torch {release.torch}", outcome, options)
        if options.torch_dir:
            report(f"torch {libtorch.check(options.torch_dir)}", f"there, in {options.torch_dir}", options)


def main() -> int:
    try:
        run(arguments())
    except StepError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("setup: stopped; run it again to finish", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
