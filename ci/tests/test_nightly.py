"""ci/nightly: state, message, history, retention, lock."""

import fcntl
import gzip
import json
from pathlib import Path

import pytest

from steps import libtorch, nightly, releases, run, setup
from steps.nightly import Night, State
from steps.paths import StepError


def log_with(path: Path, verdicts: dict[str, str], unjudged: tuple[str, ...] = ()) -> Path:
    events = [{"event": "plan", "key": f"{name} | x", "id": name} for name in (*verdicts, *unjudged)]
    events += [{"event": "verdict", "key": f"{name} | x", "verdict": word} for name, word in verdicts.items()]
    path.write_text("".join(json.dumps(event) + "\n" for event in events) + '{"event": "fin')
    return path


def test_the_state_is_what_is_not_as_expected(tmp_path: Path) -> None:
    log = log_with(tmp_path / "log", {"a.b": "as_expected", "a.c": "flaky", "a.d": "skipped"}, ("a.e",))
    assert nightly.state_of(log, 1) == State(1, {"a.c": "flaky", "a.e": "missing"})


def test_a_message_only_when_the_state_changed() -> None:
    bad = {"2.15.0-native": State(1, {"a.b": "regression"})}
    assert nightly.message(bad, bad, "2026-11-30", Path("p")) == ""
    assert nightly.message({}, {"2.15.0-native": State(0)}, "2026-11-30", Path("p")) == ""
    worse = {"2.15.0-native": State(1, {"a.c": "improvement"})}
    assert nightly.message(bad, worse, "2026-11-30", Path("out/x")).splitlines() == [
        "**cudasem 2026-11-30: not as expected**",
        "",
        "- torch 2.15.0-native: exit 1",
        "  - new: `a.c` (improvement)",
        "  - gone: `a.b` (was regression)",
        "",
        "Pages: out/x",
    ]
    fine = nightly.message(bad, {"2.15.0-native": State(0)}, "2026-11-30", Path("p"))
    assert "exit 0, was 1" in fine
    assert "all as expected" in fine


def test_improvements_and_flakes_are_named_at_exit_0() -> None:
    text = nightly.message({"v": State(0)}, {"v": State(0, {"a.b": "flaky"})}, "d", Path("p"))
    assert "new: `a.b` (flaky)" in text


def test_a_broken_state_is_taken_for_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = {"v": State(1, {"a.b": "missing"})}
    nightly.write_states(tmp_path / "state.json", states)
    assert nightly.read_states(tmp_path / "state.json") == states
    (tmp_path / "state.json").write_text("{")
    assert nightly.read_states(tmp_path / "state.json") == {}
    assert "not what the last night wrote" in capsys.readouterr().err


def test_only_so_many_nights_and_logs_are_kept(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        (tmp_path / f"2026-11-0{day}T023000Z").mkdir()
        (tmp_path / "history").mkdir(exist_ok=True)
        for name in ("2.15.0-native", "2.13.0-native"):
            (tmp_path / "history" / f"2026-11-0{day}T0-{name}.ndjson.gz").touch()
    night = Night(tmp_path, "2026-11-03T023000Z")
    nightly.retire(night, ["2.15.0-native"], 2)
    assert sorted(path.name for path in tmp_path.glob("2026*")) == [
        "2026-11-02T023000Z",
        "2026-11-03T023000Z",
    ]
    assert len(list((tmp_path / "history").glob("*-2.15.0-native*"))) == 2
    assert len(list((tmp_path / "history").glob("*-2.13.0-native*"))) == 3


def test_metrics_are_samples_with_labels_for_each_run(tmp_path: Path) -> None:
    states = {"2.15.0-native": State(1, {"a.b": "flaky", "a.c": "flaky"}), "2.13.0-no_caching": State(0)}
    nightly.write_metrics(tmp_path / "cudasem.prom", states)
    lines = (tmp_path / "cudasem.prom").read_text().splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert 'cudasem_exit{torch="2.15.0",profile="native"} 1' in samples
    assert 'cudasem_unexpected{torch="2.15.0",profile="native",verdict="flaky"} 2' in samples
    assert 'cudasem_unexpected{torch="2.13.0",profile="no_caching",verdict="regression"} 0' in samples
    named = {line.split("{")[0].split(" ")[0] for line in samples}
    assert named == {line.split(" ")[2] for line in lines if line.startswith("# TYPE")}


def test_two_nights_at_once_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(StepError, match="another night"), nightly.only_one(tmp_path):
            pass


def test_a_night_runs_each_release_under_each_profile_and_survives_one_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[list[str]] = []

    def run_cases(folder: Path, out: Path, more: list[str]) -> run.Run:
        if "expandable_segments" in more:
            raise StepError("no event log was written")
        log = log_with(out / f"{len(calls)}.ndjson", {"a.b": "regression"})
        calls.append(more)
        return run.Run(folder, log, 1)

    pages: list[list[str]] = []

    def call(command: list[str]) -> int:
        pages.append(command)
        return 0

    found = [releases.Release("2.15.0", "13.2.2")]
    monkeypatch.setattr(setup, "run", lambda _: None)
    monkeypatch.setattr(setup, "wanted_releases", lambda _: found)
    monkeypatch.setattr(libtorch, "installed_torch_dir", lambda _: tmp_path)
    monkeypatch.setattr(run, "run_cases", run_cases)
    monkeypatch.setattr(run, "call", call)
    out = tmp_path / "nightly"
    profiles = ["--profile", "native", "--profile", "expandable_segments"]
    told = tmp_path / "told"
    assert nightly.main([*profiles, "--out", str(out), "--notify", f"cat > {told}", "--", "--area", "a"]) == 2
    assert calls == [["--require", "gpus>=1", "--profile", "native", "--area", "a"]]
    assert [command[1] for command in pages] == ["report", "history"]
    assert "`a.b` (regression)" in told.read_text()
    assert "torch 2.15.0-expandable_segments: exit 2" in told.read_text()
    assert (out / "latest" / "message.md").read_text() == told.read_text()
    (packed,) = (out / "history").glob("*-2.15.0-native.ndjson.gz")
    assert "regression" in gzip.decompress(packed.read_bytes()).decode()
