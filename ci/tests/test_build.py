from pathlib import Path

import pytest

from steps import build
from steps.paths import StepError

LOG = """\
[1/9] Building CXX object cases/CMakeFiles/cudasem_copies.dir/copies/pinned.cpp.o
[2/9] Building CXX object cases/CMakeFiles/cudasem_replay.dir/replay/keep_graph.cpp.o
FAILED: cases/CMakeFiles/cudasem_replay.dir/replay/keep_graph.cpp.o
/usr/bin/clang++ -O1 -o cases/CMakeFiles/cudasem_replay.dir/replay/keep_graph.cpp.o -c keep_graph.cpp
../../cases/replay/keep_graph.cpp:21:5: error: no member named 'x'
../../cases/replay/keep_graph.cpp:22:5: error: a later one
2 errors generated.
[3/9] Linking CXX executable runner/runner_test
FAILED: [code=1] runner/runner_test
/usr/bin/ld: a.o: undefined reference to `f()'
"""


def test_each_target_gets_its_first_error_from_the_root() -> None:
    assert build.first_errors(LOG) == {
        "cudasem_replay": "cases/replay/keep_graph.cpp:21:5: error: no member named 'x'",
        "runner_test": "/usr/bin/ld: a.o: undefined reference to `f()'",
    }


def test_a_failed_area_costs_itself_and_its_old_binary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = tmp_path / "cases"
    cases.mkdir()
    (cases / "subject.json").write_text('{"areas": ["copies", "replay"]}')
    for area in ("copies", "replay"):
        (cases / f"cudasem_{area}").touch()
    monkeypatch.setattr(build, "builds", lambda folder, target: target != "cudasem_replay")
    built = build.Built(tmp_path)
    build.find_what_failed(built, LOG)
    assert list(built.failed_areas) == ["replay"]
    assert built.other_failures == ["/usr/bin/ld: a.o: undefined reference to `f()'"]
    assert [path.name for path in sorted(cases.glob("cudasem_*"))] == ["cudasem_copies"]


def test_no_runner_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "builds", lambda folder, target: False)
    with pytest.raises(StepError, match="the runner did not compile"):
        build.find_what_failed(build.Built(tmp_path), LOG)


def test_memory_limits_the_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDASEM_JOBS", raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(64)))
    monkeypatch.setattr(build, "available_mib", lambda: 4 * build.MIB_A_JOB)
    assert build.jobs() == 4
    monkeypatch.setattr(build, "available_mib", lambda: 100)
    assert build.jobs() == 1


def test_another_compiler_is_noticed_in_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "CMakeCache.txt"
    assert not build.other_compiler(cache, "clang++")
    cache.write_text("CMAKE_CXX_COMPILER:STRING=/usr/bin/clang++\n")
    assert not build.other_compiler(cache, "clang++")
    assert build.other_compiler(cache, "g++")
