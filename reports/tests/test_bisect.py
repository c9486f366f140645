"""`cudasem bisect`: recorded logs first, runs only for what they leave open."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs import Json, LogBuilder
from test_cli import run

from cudasem_reports.bisect import Flip, bisect
from cudasem_reports.model import Log
from cudasem_reports.read import LogError, load

RELEASES = ("2.11.0", "2.13.0", "2.14.1", "2.15.0")
OK: Json = {"outcome": "ok"}
CRASH: Json = {"outcome": "crash", "signal": "SIGSEGV"}


def logs_of(tmp_path: Path, **observed: Json) -> list[Log]:
    """`v2_11_0={…}`: what the case showed there."""
    logs = []
    for word, what in observed.items():
        torch = word.removeprefix("v").replace("_", ".")
        log = LogBuilder(f"{torch}+cu130")
        log.case("replay.kept", kind="rule", **what)
        logs.append(load(log.finish().write(tmp_path / f"{torch}.ndjson")))
    return logs


def nobody(release: str) -> Log | None:
    raise AssertionError(f"{release} was run although a log shows it")


def flip_of(logs: list[Log]) -> Flip:
    return bisect("replay.kept", "2.11.0", "2.15.0", logs, RELEASES, nobody)


def test_recorded_logs_alone_can_tell(tmp_path: Path) -> None:
    flip = flip_of(logs_of(tmp_path, v2_11_0=OK, v2_13_0=OK, v2_14_1=CRASH, v2_15_0=CRASH))
    assert (flip.before.release, flip.after.release, flip.exact) == ("2.13.0", "2.14.1", True)


def test_a_release_without_a_log_is_run(tmp_path: Path) -> None:
    logs = logs_of(tmp_path, v2_11_0=OK, v2_13_0=OK, v2_15_0=CRASH)
    (extra,) = logs_of(tmp_path, v2_14_1=OK)
    asked: list[str] = []

    def real(release: str) -> Log | None:
        asked.append(release)
        return extra

    flip = bisect("replay.kept", "2.11.0", "2.15.0", logs, RELEASES, real)
    assert asked == ["2.14.1"]
    assert (flip.before.release, flip.after.release) == ("2.14.1", "2.15.0")


def test_what_could_not_be_run_stays_open(tmp_path: Path) -> None:
    logs = logs_of(tmp_path, v2_11_0=OK, v2_15_0=CRASH)
    flip = bisect("replay.kept", "2.11.0", "2.15.0", logs, RELEASES, lambda _: None)
    assert (flip.before.release, flip.after.release) == ("2.11.0", "2.15.0")
    assert (flip.between, flip.exact) == (("2.13.0", "2.14.1"), False)


def test_a_changed_fact_is_a_flip(tmp_path: Path) -> None:
    few, many = OK | {"facts": {"nodes": 1}}, OK | {"facts": {"nodes": 2}}
    flip = flip_of(logs_of(tmp_path, v2_11_0=few, v2_13_0=many, v2_14_1=many, v2_15_0=many))
    assert flip.after.release == "2.13.0"


def test_ends_that_agree_or_are_not_there_are_refused(tmp_path: Path) -> None:
    agree = logs_of(tmp_path, v2_11_0=OK, v2_15_0=OK)
    with pytest.raises(LogError, match=r"shows the same on 2\.11\.0 and on 2.15.0: ok"):
        flip_of(agree)
    with pytest.raises(LogError, match=r"has no result on 2\.13\.0"):
        bisect("replay.kept", "2.13.0", "2.15.0", agree, RELEASES, lambda _: None)
    with pytest.raises(LogError, match=r"2\.12\.0 is no supported release"):
        bisect("replay.kept", "2.12.0", "2.15.0", agree, RELEASES, lambda _: None)
    with pytest.raises(LogError, match="has to be older"):
        bisect("replay.kept", "2.15.0", "2.11.0", agree, RELEASES, nobody)


def test_the_command_names_the_flip_and_where_it_was_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs_of(tmp_path, v2_11_0=OK, v2_13_0=OK, v2_14_1=CRASH, v2_15_0=CRASH)
    (tmp_path / "releases.toml").write_text("".join(f'[[release]]\ntorch = "{each}"\n' for each in RELEASES))
    ends = ("--good", "2.11.0", "--bad", "2.15.0", "--expected", tmp_path)
    code, out, _ = run(capsys, "bisect", "replay.kept", *ends, "--logs", *sorted(tmp_path.glob("*.ndjson")))
    assert code == 0
    assert out.splitlines()[0] == "replay.kept flipped between torch 2.13.0 and 2.14.1"
    assert "  2.13.0  ok  (2.13.0.ndjson)" in out
    assert "https://github.com/pytorch/pytorch/compare/" in out
