"""ci/upgrade: where its two logs come from, and the gate on recorded runs."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from steps import run, upgrade
from steps.paths import ROOT, StepError

RECORDED = ROOT / "reports" / "recorded"
PROGRAM = os.environ.get("CUDASEM_PROGRAM")


def recorded(torch: str) -> Path:
    return next(RECORDED.glob(f"*torch-{torch}-*-native.ndjson.gz"))


@pytest.mark.skipif(not PROGRAM, reason="needs the built runner: CUDASEM_PROGRAM")
def test_two_recorded_runs_reproduce_the_known_flips_offline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(upgrade, "cudasem", lambda: str(PROGRAM))
    logs = ["--baseline", str(recorded("2.11.0")), "--to-log", str(recorded("2.14.1"))]
    status = upgrade.main([*logs, "--out", str(tmp_path)])
    said = capfd.readouterr().out
    assert status == 0, said
    assert re.search(r"May I upgrade\? Yes", said)
    assert "known change  replay.kept_graph_before_instantiate/wrong: ok -> error" in said
    assert len(list(tmp_path.glob("diff-*-torch-2.11.0-to-2.14.1.*"))) == 2


def test_a_log_or_wheel_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert upgrade.main(["--baseline", str(tmp_path / "no.ndjson"), "--to-log", str(tmp_path / "no2")]) == 2
    assert "the old side: " in capsys.readouterr().err
    with pytest.raises(StepError, match="a wheel of torch was expected"):
        upgrade.libtorch_of_wheel(tmp_path / "torch.whl")


def test_both_sides_have_to_be_said() -> None:
    for arguments in (
        ["--from", "2.13.0"],
        ["--to", "2.15.0"],
        ["--from", "1", "--baseline", "x", "--to", "2"],
    ):
        with pytest.raises(SystemExit):
            upgrade.arguments(arguments)


def test_a_side_without_a_log_is_set_up_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Path, list[str]]] = []

    def run_cases(folder: Path, out: Path, more: list[str]) -> run.Run:
        asked.append((folder, more))
        log = out / f"{folder.name}.ndjson"
        log.write_text('{"event": "subject", "torch": "x"}\n')
        return run.Run(folder, log, 0)

    compared: list[tuple[str, str]] = []

    def compare(old: Path, new: Path, options: object) -> int:
        compared.append((old.name, new.name))
        return 1

    monkeypatch.setattr(run, "run_cases", run_cases)
    monkeypatch.setattr(upgrade, "torch_of", lambda side: Path(f"/torch-{side.torch}"))
    monkeypatch.setattr(upgrade, "compare", compare)
    ends = ["--from", "2.13.0", "--to", "2.15.0", "--out", str(tmp_path)]
    assert upgrade.main([*ends, "--", "--area", "capture"]) == 1
    assert asked == [(Path(f"/torch-{v}"), ["--area", "capture"]) for v in ("2.13.0", "2.15.0")]
    assert compared == [("torch-2.13.0.ndjson", "torch-2.15.0.ndjson")]


def test_the_script_starts_it() -> None:
    done = subprocess.run(
        ["bash", "-n", str(ROOT / "ci" / "upgrade")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
