import json
from pathlib import Path

import pytest

from steps import tidy
from steps.paths import ROOT, StepError


def test_a_finding_in_a_header_is_said_once() -> None:
    line = f"{ROOT}/runner/process.h:4:2: error: a copy [performance-move,-warnings-as-errors]"
    found = [f"{line}\n  f(x);\n", f"{line}\n  f(x);\n"]
    assert tidy.in_short(found) == ["runner/process.h:4:2: error: a copy [performance-move]"]


def test_a_batch_is_read_with_the_flags_of_its_files() -> None:
    flags = ["-DX", "-O1", "-Xclang", "-include-pch", "-Xclang", "a.pch"]
    assert tidy.flags_only(["ccache", "/usr/bin/clang++", *flags, "-o", "b.o", "-c", "b.cpp"]) == flags


def test_a_changed_source_or_setting_is_read_again() -> None:
    source = Path("ci/setup")
    assert tidy.digest([source], "settings") == tidy.digest([source], "settings")
    assert tidy.digest([source], "settings") != tidy.digest([source], "others")
    assert tidy.digest([source], "settings") != tidy.digest([Path("ci/build")], "settings")


def test_cases_are_read_by_the_unity_files_that_were_compiled(tmp_path: Path) -> None:
    unity = tmp_path / "Unity" / "unity_0_cxx.cxx"
    unity.parent.mkdir()
    unity.write_text(f'/* made by CMake */\n#include "{ROOT}/cases/replay/keep_graph.cpp"\n')
    entries = [
        {"file": str(unity), "command": "clang++ -DX -o a.o -c a.cxx"},
        {"file": "/elsewhere/record.cpp", "command": "clang++ -o b.o -c b.cpp"},
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    assert tidy.cases_jobs(tmp_path) == [
        (
            ["clang-tidy", "--quiet", tidy.UNITY_CHECKS, str(unity), "--", "-DX"],
            [Path("cases/replay/keep_graph.cpp")],
        )
    ]


def test_a_build_without_cases_is_no_clean_bill(tmp_path: Path) -> None:
    (tmp_path / "compile_commands.json").write_text("[]")
    with pytest.raises(StepError, match="no unity file"):
        tidy.cases_jobs(tmp_path)
