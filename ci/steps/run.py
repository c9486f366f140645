"""ci/run: sets up, builds, runs every case that this machine can run, and writes a dated report."""

import argparse
import json
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from steps import build, libtorch, setup
from steps.paths import ROOT, StepError, shown

RECORDED = ROOT / "reports" / "recorded"


@dataclass
class Log:
    """What the last lines of ci/run tell of an event log."""

    torch: str = ""
    gpus: int = 0
    no_gpu_because: str = ""
    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: dict[str, int] = field(default_factory=dict)

    @property
    def executed(self) -> int:
        return sum(n for outcome, n in self.outcomes.items() if outcome not in ("skip", "missing"))


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ci/run",
        description=(__doc__ or ""),
        epilog="What follows -- goes to `cudasem run` (--area capture, --require 'gpus>=1' …). Exit status:"
        " the runner's (0 all as expected, 1 not, 2 the run is not valid), the worst of several releases.",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--torch",
        action="append",
        metavar="VERSION",
        help="this release (several times); default: the newest",
    )
    which.add_argument("--all-torch", action="store_true", help="every supported release")
    which.add_argument("--torch-dir", type=Path, metavar="DIR", help="the libtorch that is there")
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out", metavar="DIR", help="for logs and reports (out/)"
    )
    parser.add_argument("runner", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def torch_dirs(options: argparse.Namespace) -> list[Path]:
    """Sets up what is asked for, and says where it is."""
    if options.torch_dir:
        libtorch.check(options.torch_dir)
        return [options.torch_dir]
    command = ["--quiet", *(["--all-torch"] if options.all_torch else [])]
    for version in options.torch or []:
        command += ["--torch", version]
    wanted = setup.arguments(command)
    setup.run(wanted)
    return [libtorch.installed_torch_dir(release.torch) for release in setup.wanted_releases(wanted)]


@dataclass
class Run:
    """What the runner left: its log, perhaps, and its exit status."""

    folder: Path
    log: Path
    status: int

    @property
    def cudasem(self) -> str:
        return str(self.folder / "runner" / "cudasem")


def run_cases(torch_dir: Path, out: Path, more: list[str]) -> Run:
    """Builds and runs for one libtorch. StepError when no log was written."""
    built = build.build(torch_dir)
    build.report(built)
    out.mkdir(parents=True, exist_ok=True)
    log = out / f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}-{built.folder.name}.ndjson"
    made = Run(built.folder, log, 0)
    command = [made.cudasem, "run", "--cases", str(built.folder / "cases"), "--out", shown(log), *more]
    made.status = call(command)
    if not log.exists():
        raise StepError(f"no event log was written (cudasem exited with {made.status})")
    return made


def run_one(torch_dir: Path, out: Path, more: list[str]) -> int:
    """Builds, runs, reports for one libtorch. The runner's exit status."""
    made = run_cases(torch_dir, out, more)
    summary = read(made.log)
    recorded = [] if summary.gpus else recorded_logs()
    print("\n".join(["", *lines_about(summary, bool(recorded)), f"event log: {shown(made.log)}"]))
    beside = ["--beside", *map(str, recorded)] if recorded else []
    if call([made.cudasem, "report", shown(made.log), "--out", shown(out), *beside]) != 0:
        print("run: the report could not be written; the event log is whole", file=sys.stderr)
        return made.status or 2
    return made.status


def call(command: list[str]) -> int:
    """From the checkout's root, so that what it prints is as short as what we print."""
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def read(log: Path) -> Log:
    """A torn last line is left out, as everywhere."""
    found = Log()
    with log.open() as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                continue
            take(event, found)
    return found


def take(event: dict[str, Any], found: Log) -> None:
    match event.get("event"):
        case "machine":
            found.gpus = len(event.get("gpus") or [])
            found.no_gpu_because = event.get("error") or ""
        case "subject":
            found.torch = event.get("torch", "")
        case "end":
            found.outcomes[event.get("outcome", "")] += 1
        case "finish":
            found.verdicts = event.get("counts", {})


def recorded_logs(folder: Path = RECORDED) -> list[Path]:
    """Logs of real GPU runs; the report takes the newest of the fitting release for each GPU."""
    return sorted(path for path in folder.glob("**/*") if path.name.endswith((".ndjson", ".ndjson.gz")))


def lines_about(summary: Log, recorded: bool) -> list[str]:
    """What ran, what did not, and what that means where there is no GPU."""
    skipped, missing = summary.outcomes["skip"], summary.outcomes["missing"]
    verdicts = ", ".join(f"{n} {verdict.replace('_', ' ')}" for verdict, n in summary.verdicts.items() if n)
    lines = [
        f"torch {summary.torch}: {summary.executed} ran, {skipped} skipped, {missing} missing"
        f" ({verdicts or 'the run did not finish'})"
    ]
    if summary.gpus == 0:
        why = f" ({summary.no_gpu_because})" if summary.no_gpu_because else ""
        lines.append(f"No GPU here{why}: only host-only cases ran, and NOTHING WAS SHOWN ABOUT A GPU.")
        if recorded:
            lines.append("The report has recorded runs of real GPUs beside this one.")
    return lines


def main() -> int:
    options = arguments()
    try:
        return max(run_one(folder, options.out.resolve(), options.runner) for folder in torch_dirs(options))
    except StepError as error:
        print(f"run: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
