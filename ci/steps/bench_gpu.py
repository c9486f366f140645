"""On a GPU machine: what the runner costs over bare processes, and what batches save.

Needs built programs and Python alone: `PYTHONPATH=ci python3 -m steps.bench_gpu --cudasem PATH --cases DIR`.
A process for each case is timed with ctest where there is one (--ctest), else with a loop that starts them.
Cases that fill tables are left out: they run alone, whoever starts them.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

WAIT_S = 0.002
JUDGED = ["--kind", "rule", "--kind", "misuse", "--kind", "observe"]


@dataclass(frozen=True)
class Case:
    id: str
    area: str
    isolation: str
    time_limit_s: float

    @property
    def shares(self) -> bool:
        return self.isolation == "shared" or (self.isolation == "right_shared" and self.id.endswith("/right"))


@dataclass(frozen=True)
class Place:
    cudasem: Path
    cases: Path
    environment: dict[str, str]

    def command(self, case: Case) -> list[str]:
        return [str(self.cases / f"cudasem_{case.area}"), "--run", case.id, "--record-fd", "3"]


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cudasem", type=Path, required=True, help="the program")
    parser.add_argument("--cases", type=Path, required=True, help="folder of case binaries")
    parser.add_argument("--torch", type=Path, help="another libtorch than subject.json names: its folder")
    parser.add_argument("--jobs", "-j", type=int, default=8, help="at once (8)")
    parser.add_argument(
        "--compared", type=int, default=60, help="cases in the comparison with a bare loop (60)"
    )
    parser.add_argument("--ctest", help="ctest to use; default: the one on PATH, else a loop")
    parser.add_argument("--out", type=Path, help="keep the logs and bench_gpu.json in this folder")
    return parser.parse_args(argv)


def library_path(cases: Path, torch: Path | None) -> dict[str, str]:
    """The variable with which the case binaries find libtorch, as the runner sets it."""
    subject = json.loads((cases / "subject.json").read_text())
    folders = [subject.get("torch_lib", ""), subject.get("cuda_lib", "")]
    if torch is not None:
        lib = torch / "lib" if (torch / "lib").is_dir() else torch
        folders = [str(lib), str(lib.parent.parent / "nvidia" / "cu13" / "lib")]
    folders.append(os.environ.get("LD_LIBRARY_PATH", ""))
    path = ":".join(folder for folder in folders if folder)
    return {"LD_LIBRARY_PATH": path} if path else {}


def catalogue(place: Place, torch: list[str]) -> list[Case]:
    command: list[str | Path] = [place.cudasem, "list", "--json", "--cases", place.cases, *JUDGED, *torch]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return [Case(one["id"], one["area"], one["isolation"], one["time_limit_s"]) for one in listed]


def bare_loop(place: Place, cases: list[Case], at_once: int) -> float:
    """Wall time of a process for each case; one over its limit twice is killed, as ctest would do."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    redirect = [(os.POSIX_SPAWN_DUP2, nowhere, fd) for fd in (0, 1, 2, 3)]
    environment = {**os.environ, **place.environment}
    waiting, running = list(reversed(cases)), dict[int, float]()
    started = time.monotonic()
    while waiting or running:
        while waiting and len(running) < at_once:
            case = waiting.pop()
            command = place.command(case)
            pid = os.posix_spawn(command[0], command, environment, file_actions=redirect, setpgroup=0)
            running[pid] = time.monotonic() + 2 * case.time_limit_s + 60
        pid, _ = os.waitpid(-1, os.WNOHANG)
        if pid:
            running.pop(pid, None)
            continue
        for late in [pid for pid, limit in running.items() if time.monotonic() > limit]:
            os.killpg(late, 9)
        time.sleep(WAIT_S)
    os.close(nowhere)
    return time.monotonic() - started


def with_ctest(ctest: str, place: Place, cases: list[Case], at_once: int, folder: Path) -> float:
    folder.mkdir()
    quoted = [" ".join(f'"{word}"' for word in place.command(case)[:-1]) + ' "2"' for case in cases]
    lines = [f'add_test("{case.id}" {command})' for case, command in zip(cases, quoted, strict=True)]
    lines += [
        f'set_tests_properties("{case.id}" PROPERTIES TIMEOUT {2 * case.time_limit_s + 60:g})'
        for case in cases
    ]
    (folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
    started = time.monotonic()
    subprocess.run(
        [ctest, "--test-dir", folder, f"-j{at_once}"],
        env={**os.environ, **place.environment},
        stdout=subprocess.DEVNULL,
        check=False,  # cases that crash on purpose fail there
    )
    return time.monotonic() - started


@dataclass(frozen=True)
class Ran:
    seconds: float
    """From the first process of a case to the last: the log's clock."""
    wall: float
    """With looking around: libraries, catalogue, probe."""
    outcomes: dict[str, str]
    verdicts: dict[str, str]
    processes: int


def run(place: Place, log: Path, *options: str) -> Ran:
    command: list[str | Path] = [place.cudasem, "run", "--cases", place.cases, "--out", log, *options]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, check=False)
    wall = time.monotonic() - started
    if done.returncode not in (0, 1):
        said = (done.stdout + done.stderr).decode(errors="replace")[-2000:]
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{said}")
    events = [json.loads(line) for line in log.read_text().splitlines()]
    began = [event for event in events if event["event"] == "begin"]
    ended = [event for event in events if event["event"] == "end"]
    ids = {event["key"]: event["id"] for event in events if event["event"] == "plan"}
    return Ran(
        (ended[-1]["t_ms"] - began[0]["t_ms"]) / 1000 if began else 0.0,
        wall,
        {ids[event["key"]]: event["outcome"] for event in ended},
        {ids[event["key"]]: event["verdict"] for event in events if event["event"] == "verdict"},
        len({event["pid"] for event in began}),
    )


def isolation(cudasem: Path) -> list[str]:
    """The options with which every case has a process of its own; a runner without batches needs none."""
    said = subprocess.run([cudasem, "run", "--help"], check=True, capture_output=True, text=True).stdout
    return ["--isolate", "all"] if "--isolate" in said else []


def comparable(cases: list[Case], isolated: Ran, most: int) -> list[Case]:
    """Cases that end by themselves, spread over all areas: after a crash the runner asks the GPU, and a hang
    takes as long as its limit."""
    calm = [
        case
        for case in cases
        if case.isolation != "exclusive"
        and isolated.outcomes.get(case.id) not in ("crash", "hang", "skip", "missing")
    ]
    return calm[:: max(1, len(calm) // most)][:most]


def differences(one: Ran, other: Ran) -> list[str]:
    return [
        f"{id}: {verdict} in processes of their own, {other.verdicts.get(id)} in batches"
        for id, verdict in one.verdicts.items()
        if other.verdicts.get(id) != verdict
    ]


def measure(options: argparse.Namespace, folder: Path) -> dict[str, object]:
    place = Place(options.cudasem, options.cases, library_path(options.cases, options.torch))
    torch = ["--torch", str(options.torch)] if options.torch else []
    jobs = f"-j{options.jobs}"
    cases = catalogue(place, torch)
    batched = run(place, folder / "batched.ndjson", jobs, *JUDGED, *torch)
    alone_each = isolation(options.cudasem)
    isolated = run(place, folder / "isolated.ndjson", jobs, *alone_each, *JUDGED, *torch)
    ran = [case for case in cases if isolated.outcomes.get(case.id) != "skip"]
    ctest = options.ctest or shutil.which("ctest")
    each = (
        with_ctest(ctest, place, ran, options.jobs, folder / "ctest")
        if ctest
        else bare_loop(place, ran, options.jobs)
    )
    compared = comparable(cases, isolated, options.compared)
    ids = [case.id for case in compared]
    bare = bare_loop(place, compared, options.jobs)
    same = run(place, folder / "same.ndjson", jobs, *alone_each, *torch, *ids)
    bare = min(bare, bare_loop(place, compared, options.jobs))
    alone = sum(not case.shares for case in ran)
    return {
        "jobs": options.jobs,
        "cases": len(ran),
        "isolated_cases": alone,
        "isolated_share": round(alone / max(1, len(ran)), 3),
        "compared_cases": len(compared),
        "bare_s": round(bare, 2),
        "runner_s": round(same.seconds, 2),
        "runner_to_bare": round(same.seconds / bare, 3),
        "process_each_by": "ctest" if ctest else "a loop",
        "process_each_s": round(each, 2),
        "isolated_s": round(isolated.wall, 2),
        "batched_s": round(batched.wall, 2),
        "batched_processes": batched.processes,
        "times_as_fast": round(each / batched.wall, 2),
        "different_verdicts": differences(isolated, batched),
    }


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="cudasem-bench-") as path:
        folder = Path(path)
        if options.out:
            folder = options.out
            folder.mkdir(parents=True)
        found = measure(options, folder)
        if options.out:
            (folder / "bench_gpu.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    ratio, faster = found["runner_to_bare"], found["times_as_fast"]
    print(f"runner against bare processes: {ratio} x as long (target ≤ 1.1)")
    print(f"as shipped against a process for each case: {faster} x as fast (target ≥ 3)")
    print(f"verdicts that differ: {len(found['different_verdicts'])} (target 0)")  # type: ignore[arg-type]
    good = float(str(ratio)) <= 1.1 and float(str(faster)) >= 3 and not found["different_verdicts"]
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
