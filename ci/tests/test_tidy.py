from pathlib import Path

from steps import tidy
from steps.paths import ROOT


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
