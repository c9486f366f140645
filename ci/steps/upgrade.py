"""ci/upgrade: may I upgrade? Runs the corpus on the old and the new release and says what flipped."""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from steps import build, libtorch, pip, releases, run, setup, venv
from steps.paths import ROOT, TORCH_VENVS, StepError, shown

OLD, NEW = "the old side", "the new side"


@dataclass(frozen=True)
class Side:
    """One side of the comparison: where its log comes from. Exactly one of the three is set."""

    log: Path | None = None
    torch: str = ""
    torch_dir: Path | None = None
    wheel: Path | None = None

    @property
    def is_recorded(self) -> bool:
        return self.log is not None


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ci/upgrade",
        description=__doc__,
        epilog="What follows -- goes to both `cudasem run`. Exit status: 0 nothing flipped that expected/"
        " does not foretell, 1 something did, 2 the two cannot be compared.",
    )
    old = parser.add_mutually_exclusive_group(required=True)
    old.add_argument("--from", dest="old", metavar="VERSION", help="the release in use")
    old.add_argument("--baseline", type=Path, metavar="LOG", help="an event log of it, e.g. a recorded one")
    old.add_argument("--from-dir", type=Path, metavar="DIR", help="the libtorch that is there")
    new = parser.add_mutually_exclusive_group(required=True)
    new.add_argument("--to", dest="new", metavar="VERSION", help="the release to come, a nightly included")
    new.add_argument("--to-log", type=Path, metavar="LOG", help="an event log of it")
    new.add_argument("--to-dir", type=Path, metavar="DIR", help="a libtorch that is there")
    new.add_argument("--to-wheel", type=Path, metavar="FILE", help="a wheel of torch")
    parser.add_argument(
        "--changing", choices=("torch", "cuda", "driver"), default="torch", help="what changes (torch)"
    )
    parser.add_argument("--allow-different", action="store_true", help="compare across GPUs or profiles too")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out", metavar="DIR", help="for logs and the page (out/)"
    )
    parser.add_argument("runner", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def sides(options: argparse.Namespace) -> tuple[Side, Side]:
    return (
        Side(options.baseline, options.old or "", options.from_dir),
        Side(options.to_log, options.new or "", options.to_dir, options.to_wheel),
    )


def torch_of(side: Side) -> Path:
    """Sets up what is not there. StepError."""
    if side.torch_dir:
        libtorch.check(side.torch_dir)
        return side.torch_dir
    if side.wheel:
        return libtorch_of_wheel(side.wheel)
    setup.run(setup.arguments(["--quiet", "--torch", side.torch]))
    return libtorch.installed_torch_dir(releases.find(side.torch, releases.supported()).torch)


def libtorch_of_wheel(wheel: Path) -> Path:
    """In an environment of its own, made anew when the file is another one."""
    if not wheel.is_file():
        raise StepError(f"{wheel}: no such file: a wheel of torch was expected")
    environment = TORCH_VENVS / f"wheel-{wheel.stem}"
    stamp = {"wheel": wheel.name, "bytes": str(wheel.stat().st_size)}
    if venv.read_stamp(environment) != stamp:
        venv.create(environment)
        pip.install(venv.python_of(environment), [str(wheel)], TORCH_VENVS / f"wheel-{wheel.stem}.pip.log")
        venv.write_stamp(environment, stamp)
    folder = libtorch.torch_dir_in(environment)
    if folder is None:
        raise StepError(f"{wheel}: installed, but it brought no torch")
    libtorch.check(folder)
    return folder


def log_of(side: Side, name: str, out: Path, more: list[str]) -> Path:
    """The log of one side, made now if it is not there. StepError when it cannot be had."""
    if side.log:
        if not side.log.is_file():
            raise StepError(f"{name}: {side.log}: no such file: an event log was expected")
        return side.log
    made = run.run_cases(torch_of(side), out, more)
    summary = run.read(made.log)
    print("\n".join(["", *run.lines_about(summary, recorded=False), f"event log: {shown(made.log)}"]))
    return made.log


def cudasem() -> str:
    """The program that compares: of any build; made if there is none."""
    found = sorted(ROOT.glob("build/*/runner/cudasem"), key=lambda path: path.stat().st_mtime)
    return str(found[-1]) if found else str(build.build(None).folder / "runner" / "cudasem")


def compare(old: Path, new: Path, options: argparse.Namespace) -> int:
    command = [cudasem(), "diff", str(old), str(new), "--expected", "expected"]
    command += ["--changing", options.changing, "--out", shown(options.out)]
    return run.call([*command, *(["--allow-different"] if options.allow_different else [])])


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    options.out = options.out.resolve()
    old, new = sides(options)
    try:
        logs = [
            log_of(side, name, options.out, options.runner).resolve()
            for side, name in ((old, OLD), (new, NEW))
        ]
        options.out.mkdir(parents=True, exist_ok=True)
        return compare(logs[0], logs[1], options)
    except StepError as error:
        print(f"upgrade: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
