import json
from pathlib import Path
from typing import Any

import pytest

from steps import mutation
from steps.paths import StepError

FAIL = {"outcome": "fail", "at": "cases/a/b.cpp:3", "setup": False}
SETUP = {"outcome": "fail", "at": "cases/a/b.cpp:2", "setup": True}
CORRUPT = {"outcome": "corrupt", "at": "x"}


def log(folder: Path, ends: dict[str, dict[str, Any]], kind: str = "rule", turned: bool = True) -> Path:
    events: list[dict[str, Any]] = [
        {"event": "subject", "env": {"CUDASEM_MUTATED": "1"} if turned else {}},
    ]
    for id, end in ends.items():
        events.append({"event": "plan", "key": id, "id": id, "kind": kind})
        events.append({"event": "end", "key": id, "at": "", "effects": [], **end})
    path = folder / "log.ndjson"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def test_a_failed_or_corrupt_oracle_refutes_a_rule(tmp_path: Path) -> None:
    result = mutation.read(
        log(
            tmp_path,
            {
                "a.fail": {"outcome": "fail", "effects": [FAIL]},
                "a.corrupt": {"outcome": "corrupt", "effects": [CORRUPT]},
            },
        )
    )
    assert result.refuted == ["a.fail", "a.corrupt"]
    assert str(result) == "2 of 2 rules that ran were refuted"


def test_a_rule_that_is_still_ok_has_no_oracle(tmp_path: Path) -> None:
    result = mutation.read(log(tmp_path, {"a.b": {"outcome": "ok"}}))
    assert result.held == ["a.b"]
    assert "a.b: still ok with its oracles turned" in str(result)


def test_a_set_up_that_failed_or_a_crash_shows_nothing(tmp_path: Path) -> None:
    result = mutation.read(
        log(
            tmp_path,
            {
                "a.setup": {"outcome": "fail", "at": "cases/a/b.cpp:2", "effects": [SETUP]},
                "a.crash": {"outcome": "crash", "at": "free"},
            },
        )
    )
    assert result.broken == {"a.setup": "fail at cases/a/b.cpp:2", "a.crash": "crash at free"}


def test_a_run_that_was_not_turned_or_ran_no_rule_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StepError, match="not a run with CUDASEM_MUTATED=1"):
        mutation.read(log(tmp_path, {"a.b": {"outcome": "ok"}}, turned=False))
    for nothing in (log(tmp_path, {"a.b": {"outcome": "skip"}}),):
        with pytest.raises(StepError, match="no rule ran"):
            mutation.read(nothing)
    with pytest.raises(StepError, match="no rule ran"):
        mutation.read(log(tmp_path, {"a.b": {"outcome": "ok"}}, kind="observe"))


def test_a_run_that_was_green_is_a_failure_of_the_test(tmp_path: Path) -> None:
    with pytest.raises(StepError, match="ended with 0, not 1"):
        mutation.run(Path("/bin/true"), tmp_path, tmp_path / "log.ndjson")
