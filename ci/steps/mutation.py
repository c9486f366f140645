"""The mutation test: with its oracles turned against themselves no rule may come out ok.

`python -m steps.mutation CUDASEM CASES [LOG]` runs what can run here of kind rule with CUDASEM_MUTATED=1
and reads the log; with LOG it reads that one instead: of such a run on a GPU machine. Exit 0: every rule
that ran was refuted.
"""

import gzip
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steps.paths import StepError, shown


@dataclass
class Refuted:
    """What came of the rules of one run with turned oracles."""

    refuted: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    """Rules that came out ok all the same: they have no oracle that was reached."""
    broken: dict[str, str] = field(default_factory=dict)
    """Rules that never came to their oracles, with what happened instead: they show nothing here."""

    def __str__(self) -> str:
        lines = [f"{id}: still ok with its oracles turned: it has none that is reached" for id in self.held]
        lines += [f"{id}: {why} instead of a refuted oracle" for id, why in self.broken.items()]
        total = len(self.refuted) + len(self.held) + len(self.broken)
        return "\n".join([*lines, f"{len(self.refuted)} of {total} rules that ran were refuted"])


def read(log: Path) -> Refuted:
    text = gzip.decompress(log.read_bytes()) if log.suffix == ".gz" else log.read_bytes()
    events: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    if not any((event.get("env") or {}).get("CUDASEM_MUTATED") == "1" for event in events):
        raise StepError(f"{shown(log)}: not a run with CUDASEM_MUTATED=1: its subject says nothing of it")
    plans = {event["key"]: event for event in events if event["event"] == "plan"}
    ends = {event["key"]: event for event in events if event["event"] == "end"}
    result = Refuted()
    for key, end in ends.items():
        plan = plans[key]
        if plan.get("kind") != "rule" or end["outcome"] == "skip":
            continue
        sort(result, plan["id"], end)
    if not (result.refuted or result.held or result.broken):
        raise StepError(f"{shown(log)}: no rule ran: nothing was tested")
    return result


def sort(result: Refuted, id: str, end: dict[str, Any]) -> None:
    effects = end.get("effects") or []
    oracles = [
        e for e in effects if e["outcome"] == "corrupt" or (e["outcome"] == "fail" and not e.get("setup"))
    ]
    if oracles:
        result.refuted.append(id)
    elif end["outcome"] == "ok":
        result.held.append(id)
    else:
        result.broken[id] = f"{end['outcome']} at {end.get('at') or '?'}"


def run(cudasem: Path, cases: Path, log: Path) -> Path:
    """The log of the run. That its exit status is 1 is what is wanted."""
    log.unlink(missing_ok=True)
    command: list[str | Path] = [cudasem, "run", "--kind", "rule", "--cases", cases, "--out", log]
    ended = subprocess.run(
        command, env={**os.environ, "CUDASEM_MUTATED": "1"}, capture_output=True, text=True, check=False
    )
    if ended.returncode != 1 or not log.exists():
        raise StepError(
            f"the run with turned oracles ended with {ended.returncode}, not 1: {ended.stderr[-500:]}"
        )
    return log


def main(argv: list[str]) -> int:
    cudasem, cases, *given = map(Path, argv)
    try:
        result = read(given[0] if given else run(cudasem, cases, cases / "mutation.ndjson"))
    except StepError as error:
        print(error)
        return 1
    print(result)
    return 1 if result.held or result.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
