"""ci/bench: what a target says, and that everything which is measured works."""

import os
from pathlib import Path

import pytest

from steps import bench, bench_gpu
from steps.bench_folder import TrivialFolder
from steps.paths import StepError

PROGRAM = os.environ.get("CUDASEM_PROGRAM")
needs_program = pytest.mark.skipif(not PROGRAM, reason="needs the built runner: CUDASEM_PROGRAM")


@pytest.fixture
def folder(tmp_path: Path) -> TrivialFolder:
    return TrivialFolder(tmp_path, Path(str(PROGRAM)).parent)


def test_a_target_is_met_missed_or_grossly_missed() -> None:
    def speed(found: float) -> bench.Target:
        return bench.Target("speed", found, 65, "%", at_least=True, gross=30)

    assert (speed(65).met, speed(64).met, speed(64).grossly_missed, speed(29).grossly_missed) == (
        True,
        False,
        False,
        True,
    )
    assert "MISSED, grossly" in speed(29).line()
    memory = bench.Target("memory", 51, 50, "MB", at_least=False, gross=100)
    assert (memory.met, memory.grossly_missed) == (False, False)


def test_sides_take_turns_and_the_best_counts() -> None:
    order: list[str] = []
    times = {"a": iter([3.0, 1.0]), "b": iter([2.0, 5.0])}

    def side(name: str) -> float:
        order.append(name)
        return next(times[name])

    assert bench.best_of(2, lambda: side("a"), lambda: side("b")) == [1.0, 2.0]
    assert order == ["a", "b", "a", "b"]


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(StepError, match="was to end with"):
        bench.seconds(["/bin/false"], {})


@needs_program
def test_the_runner_passes_every_trivial_case(folder: TrivialFolder) -> None:
    assert bench.seconds(folder.run(2), folder.environment(20)) > 0
    assert bench.seconds(folder.run(2), folder.environment(20, "shared")) > 0
    assert bench.seconds(folder.list(), folder.environment(20)) > 0


@needs_program
def test_on_a_gpu_machine_verdicts_and_times_are_compared(folder: TrivialFolder, tmp_path: Path) -> None:
    options = bench_gpu.arguments(
        ["--cudasem", str(folder.programs / "cudasem"), "--cases", str(folder.path), "-j2", "--compared", "5"]
    )
    logs = tmp_path / "logs"
    logs.mkdir()
    found = bench_gpu.measure(options, logs)
    assert found["different_verdicts"] == []
    assert (found["cases"], found["compared_cases"], found["isolated_share"]) == (500, 5, 1.0)
