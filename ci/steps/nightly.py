"""ci/nightly: one night on a GPU: runs, reports, what changed since the last, a message if the state did."""

import argparse
import contextlib
import fcntl
import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from steps import libtorch, run, setup
from steps.paths import ROOT, StepError, shown

GOOD = ("as_expected", "skipped")
UNEXPECTED = ("regression", "improvement", "changed", "flaky", "missing")
STATE = "state.json"
MESSAGE = "message.md"
METRICS_HEAD = """\
# HELP cudasem_exit Exit status of the last run: 0 as expected, 1 not, 2 not valid.
# TYPE cudasem_exit gauge
# HELP cudasem_unexpected Cases of the last run that were not as expected, by verdict.
# TYPE cudasem_unexpected gauge
# HELP cudasem_finished_seconds When the last night was over, in seconds since the epoch.
# TYPE cudasem_finished_seconds gauge
"""


@dataclass(frozen=True)
class State:
    """What of a run is worth a message when it changes."""

    exit: int
    unexpected: dict[str, str] = field(default_factory=dict)
    """Id → verdict, of all that is not as expected."""

    def metrics(self, name: str) -> list[str]:
        """Samples in the text format of Prometheus."""
        torch, _, profile = name.partition("-")
        labels = f'torch="{torch}",profile="{profile}"'
        counts = {word: list(self.unexpected.values()).count(word) for word in UNEXPECTED}
        return [
            f"cudasem_exit{{{labels}}} {self.exit}",
            *(f'cudasem_unexpected{{{labels},verdict="{word}"}} {n}' for word, n in counts.items()),
        ]


@dataclass(frozen=True)
class Night:
    """The folders of one night; history and state outlive it."""

    root: Path
    date: str

    @property
    def folder(self) -> Path:
        return self.root / self.date

    @property
    def history(self) -> Path:
        return self.root / "history"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ci/nightly",
        description=__doc__,
        epilog="What follows -- goes to each `cudasem run`. A run without a GPU is not valid (exit 2). Exit"
        " status: the worst of all runs. ci/node/nightly.timer and nightly.cron start it every night.",
    )
    parser.add_argument("--torch", action="append", metavar="VERSION", help="several times; default: newest")
    parser.add_argument(
        "--profile", action="append", metavar="NAME", help="several times; default: native alone"
    )
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="each case N times (1)")
    parser.add_argument("--keep", type=int, default=60, metavar="N", help="nights and logs to keep (60)")
    parser.add_argument(
        "--notify", metavar="COMMAND", help="gets the message on stdin, only when the state changed"
    )
    parser.add_argument(
        "--metrics", type=Path, metavar="FILE", help="a text file for Prometheus' node exporter (*.prom)"
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "out" / "nightly", metavar="DIR", help="(out/nightly/)"
    )
    parser.add_argument("runner", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args(argv)


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """StepError while another night is not over."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StepError(f"another night is at work in {shown(folder)}: wait for it or end it") from None
        yield


def state_of(log: Path, exit_status: int) -> State:
    """The last verdict of each id; a torn last line is left out."""
    names: dict[str, str] = {}
    verdicts: dict[str, str] = {}
    with log.open() as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except json.JSONDecodeError:
                continue
            if event.get("event") == "plan":
                names[event["key"]] = event["id"]
                verdicts[event["id"]] = "missing"
            elif event.get("event") == "verdict" and event["key"] in names:
                verdicts[names[event["key"]]] = event["verdict"]
    return State(exit_status, {name: word for name, word in verdicts.items() if word not in GOOD})


def message(before: dict[str, State], now: dict[str, State], date: str, page: Path) -> str:
    """Markdown for a chat or an issue; empty where every run stands as it did."""
    parts = [part for name, state in now.items() for part in about(name, before.get(name), state)]
    if not parts:
        return ""
    worst = max(state.exit for state in now.values())
    head = {0: "all as expected", 1: "not as expected", 2: "not valid"}.get(worst, f"exit {worst}")
    return "\n".join([f"**cudasem {date}: {head}**", "", *parts, "", f"Pages: {page}", ""])


def about(name: str, before: State | None, now: State) -> list[str]:
    """What became of one run since the night before."""
    if before == now or (before is None and now == State(0)):
        return []
    old = before.unexpected if before else {}
    came = [f"{case} ({word})" for case, word in now.unexpected.items() if old.get(case) != word]
    went = [f"{case} (was {word})" for case, word in old.items() if case not in now.unexpected]
    was = f", was {before.exit}" if before and before.exit != now.exit else ""
    lines = [f"- torch {name}: exit {now.exit}{was}"]
    lines += [f"  - new: {listed(came)}"] if came else []
    return lines + ([f"  - gone: {listed(went)}"] if went else [])


def listed(words: list[str], most: int = 12) -> str:
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(f"`{word.partition(' ')[0]}` {word.partition(' ')[2]}" for word in words[:most]) + more


def read_states(path: Path) -> dict[str, State]:
    """None were there before the first night; a broken file is said, not believed."""
    try:
        return {name: State(**each) for name, each in json.loads(path.read_text()).items()}
    except FileNotFoundError:
        return {}
    except (json.JSONDecodeError, TypeError, AttributeError) as error:
        print(
            f"nightly: {shown(path)}: not what the last night wrote ({error}): taken for none",
            file=sys.stderr,
        )
        return {}


def write_states(path: Path, states: dict[str, State]) -> None:
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_text(json.dumps({name: vars(state) for name, state in states.items()}, indent=1) + "\n")
    unfinished.rename(path)


def write_metrics(path: Path, states: dict[str, State]) -> None:
    """Whole or not at all: the exporter may read at any moment."""
    samples = sorted(line for name, state in states.items() for line in state.metrics(name))
    text = METRICS_HEAD + "".join(f"{line}\n" for line in samples)
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.write_text(f"{text}cudasem_finished_seconds {int(datetime.now(UTC).timestamp())}\n")
    unfinished.rename(path)


def keep(log: Path, history: Path, name: str) -> Path:
    """Packs a log into the history. Returns it."""
    history.mkdir(parents=True, exist_ok=True)
    packed = history / f"{log.stem}-{name}.ndjson.gz"
    with log.open("rb") as source, gzip.open(packed, "wb") as target:
        shutil.copyfileobj(source, target)
    return packed


def previous(history: Path, name: str, packed: Path) -> Path | None:
    """The log of the same release and profile before this one."""
    older = sorted(path for path in history.glob(f"*-{name}.ndjson.gz") if path.name < packed.name)
    return older[-1] if older else None


def retire(night: Night, names: list[str], most: int) -> None:
    """Removes the oldest nights, and of each run the oldest logs."""
    nights = sorted(path for path in night.root.glob("2???-??-??*") if path.is_dir())
    for folder in nights[:-most]:
        shutil.rmtree(folder)
    for name in names:
        for log in sorted(night.history.glob(f"*-{name}.ndjson.gz"))[:-most]:
            log.unlink()


def point_latest(night: Night) -> None:
    unfinished = night.root / "latest.new"
    unfinished.unlink(missing_ok=True)
    unfinished.symlink_to(night.folder.name)
    unfinished.rename(night.root / "latest")


def run_all(options: argparse.Namespace, night: Night) -> dict[str, State]:
    """Every release under every profile; a run that could not be made is not valid, and the others go on."""
    command = ["--quiet"]
    for version in options.torch or []:
        command += ["--torch", version]
    wanted = setup.arguments(command)
    setup.run(wanted)
    states = {}
    for release in setup.wanted_releases(wanted):
        for profile in options.profile or ["native"]:
            name = f"{release.torch}-{profile}"
            try:
                states[name] = one_run(
                    libtorch.installed_torch_dir(release.torch), profile, name, options, night
                )
            except StepError as error:
                print(f"nightly: torch {name}: {error}", file=sys.stderr)
                states[name] = State(2)
    return states


def one_run(torch_dir: Path, profile: str, name: str, options: argparse.Namespace, night: Night) -> State:
    more = ["--require", "gpus>=1", "--profile", profile]
    more += ["--repeat", str(options.repeat)] if options.repeat > 1 else []
    made = run.run_cases(torch_dir, night.folder, [*more, *options.runner])
    packed = keep(made.log, night.history, name)
    pages(made, packed, name, night)
    return state_of(made.log, made.status)


def pages(made: run.Run, packed: Path, name: str, night: Night) -> None:
    """The report, the difference to the night before, and the trend. A page that fails costs itself."""
    out = ["--out", shown(night.folder)]
    run.call([made.cudasem, "report", shown(made.log), *out])
    if before := previous(night.history, name, packed):
        run.call([made.cudasem, "diff", shown(before), shown(packed), *out])
    run.call([made.cudasem, "history", shown(night.history), *out])


def notify(text: str, command: str | None, night: Night) -> None:
    (night.folder / MESSAGE).write_text(text)
    print(text, end="")
    if command and subprocess.run(command, shell=True, input=text, text=True, check=False).returncode:
        print(f"nightly: the message was not taken by `{command}`; it is in {shown(night.folder / MESSAGE)}")


def main(argv: list[str] | None = None) -> int:
    options = arguments(argv)
    night = Night(options.out.resolve(), f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}")
    try:
        with only_one(night.root):
            night.folder.mkdir(parents=True)
            before = read_states(night.root / STATE)
            states = run_all(options, night)
            point_latest(night)
            if text := message(before, states, night.date, night.folder):
                notify(text, options.notify, night)
            if options.metrics:
                write_metrics(options.metrics, states)
            write_states(night.root / STATE, before | states)
            retire(night, list(states), options.keep)
            return max(state.exit for state in states.values())
    except StepError as error:
        print(f"nightly: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
