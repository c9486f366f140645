"""`cudasem export`: a program that stands alone and says what the suite says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cudasem_reports import cpp_blocks, export
from cudasem_reports.cli import main
from cudasem_reports.corpus_commands import recorded
from cudasem_reports.render import render, wrap_comment

CASES = export.TREE / "cases"
MISUSES = [case for case in export.all_cases(CASES) if case.kind == "MISUSE"]

GATE_H = """// A gate.
#pragma once

#include <c10/cuda/CUDAStream.h>

namespace cudasem {

/// Holds a stream.
void hold(int stream);

int unused();

}  // namespace cudasem
"""
GATE_CPP = """#include "support/gate.h"

#include "case.h"

namespace cudasem {

void hold(int stream) {
  require(stream > 0, "a stream");
}

int unused() {
  return 1;
}

}  // namespace cudasem
"""
TOPIC = """#include "case.h"
#include "support/gate.h"

static int helper() {
  return 1;
}

static int other() {
  return 2;
}

MISUSE(area, one,
       .title = "One \\"thing\\" (of two)",
       .needs = {.gpus = 0}) {
  if (wrong) hold(helper());  // don't
}

CASE(area, two, .title = "Two") {
  EXPECT_EQ(other(), 2);
}
"""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    root = tmp_path / "cases"
    for name, text in (("support/gate.h", GATE_H), ("support/gate.cpp", GATE_CPP), ("area/topic.cpp", TOPIC)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def exported(cases: Path, name: str) -> str:
    return render("export", "cpp", program=export.program(cases, export.find(cases, name)))


def test_only_what_the_case_uses_comes_along(cases: Path) -> None:
    text = exported(cases, "area.one")
    assert "int helper() {" in text
    assert "other()" not in text
    assert "unused()" not in text
    assert "EXPECT_EQ" not in text


def test_a_declaration_that_only_announces_its_definition_is_left_out_and_its_comment_stays(
    cases: Path,
) -> None:
    assert "/// Holds a stream.\nvoid hold(int stream) {" in exported(cases, "area.one")
    assert "void hold(int stream);" not in exported(cases, "area.one")


def test_a_rule_has_no_ways(cases: Path) -> None:
    text = exported(cases, "area.two")
    assert "void two() {" in text
    assert "int main() {" in text
    assert "wrong" not in text


def test_a_misuse_takes_its_way_from_the_command_line(cases: Path) -> None:
    text = exported(cases, "area.one/wrong")
    assert "void one(const bool wrong) {\n  if (wrong) hold(helper());  // don't\n}" in text
    assert 'one(way == "wrong");' in text
    assert text.startswith('// One "thing" (of two)\n')
    assert "CUDA_VISIBLE_DEVICES" not in text  # needs no GPU


def test_an_unknown_case_is_refused_with_names_that_are_alike(cases: Path) -> None:
    with pytest.raises(export.ExportError, match=r"area\.on: expected a case of .*did you mean area\.one\?"):
        export.find(cases, "area.on")


def test_every_misuse_exports_without_any_header_of_the_suite() -> None:
    assert len(MISUSES) > 100
    for case in MISUSES:
        text = render("export", "cpp", program=export.program(CASES, case))
        assert not re.search(r'#include "|gtest|nlohmann|namespace cudasem', text), case.id
        assert case.body in text


def test_the_program_says_what_recorded_runs_showed_and_where(tmp_path: Path) -> None:
    assert main(["export", "capture.item_inside", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "item_inside.cpp").read_text()
    assert "error 900 at item" in text
    assert "operation not permitted when stream is capturing" in text
    newest = recorded(None)[-1].log
    assert f"//   PyTorch version: {newest.subject.torch}\n" in text
    assert "add_executable(item_inside item_inside.cpp)" in (tmp_path / "CMakeLists.txt").read_text()


def test_text_of_a_log_cannot_leave_its_comment() -> None:
    lines = render_comment("a\nint x;\\\n" + "b" * 200 + " \\")
    assert all(line.startswith("//") and not line.endswith("\\") for line in lines)


def render_comment(text: str) -> list[str]:
    return wrap_comment(text, "// ", "// ").split("\n")


def test_names_behind_a_dot_or_a_scope_are_not_used_by_themselves() -> None:
    assert cpp_blocks.used('graph.replay(); c10::open(); pool->hold("text"); // row') == {
        "graph",
        "c10",
        "pool",
    }


def test_a_member_definition_declares_its_class() -> None:
    assert cpp_blocks.block("Gate::~Gate() {\n}").declares == {"Gate"}
    assert "open" not in cpp_blocks.block("void Gate::open() {\n}").declares


def test_everything_a_case_can_say_is_there_for_programs(tmp_path: Path) -> None:
    """What case.h declares, templates/reproducer.cpp defines."""
    declared = {
        name for each in cpp_blocks.cut((CASES / "case.h").read_text()).blocks for name in each.declares
    }
    reproducer = cpp_blocks.cut((Path(export.__file__).parent / "templates" / "reproducer.cpp").read_text())
    defined = {name for each in reproducer.blocks for name in each.declares}
    assert declared - defined <= {"Tensor"}
