"""Which lines of a misuse are marked as the wrong way and which as the right one."""

from cudasem_reports.listing import mark_ways


def marks(source: str) -> list[str]:
    return [line.way for line in mark_ways(source)]


def test_a_single_statement_is_marked() -> None:
    assert marks("f();\nif (wrong) replay(g1);  // don't\ng();") == ["", "wrong", ""]


def test_a_negated_condition_is_the_right_way() -> None:
    assert marks("if (!wrong) joined.block(s);\nf();") == ["right", ""]


def test_a_statement_over_several_lines_is_marked_to_its_end() -> None:
    assert marks('if (wrong)\n  attempt("a;", [&] {\n    f();\n  });\ng();') == ["wrong"] * 4 + [""]


def test_a_block_and_its_else() -> None:
    source = "if (wrong) {\n  f();\n} else {\n  g();\n}\nh();"
    assert marks(source) == ["wrong", "wrong", "right", "right", "right", ""]


def test_the_else_of_a_negated_condition_is_the_wrong_way() -> None:
    assert marks("if (!wrong)\n  f();\nelse\n  g();") == ["right", "right", "wrong", "wrong"]


def test_both_ways_on_one_line() -> None:
    assert marks("if (wrong) f(); else g();") == ["both"]
    assert marks("auto& s = wrong ? side : main;") == ["both"]


def test_a_choice_over_several_lines_marks_each_branch() -> None:
    assert marks("f(wrong ? a::b(1, 2)\n        : c);\ng();") == ["wrong", "right", ""]
    assert marks("auto s =\n    wrong ? g([] { h(); })\n          : i;") == ["", "wrong", "right"]


def test_any_other_use_of_wrong_holds_both_ways() -> None:
    assert marks("f(/*non_blocking=*/!wrong);\nstatic void g(const bool wrong) {}") == ["both", ""]


def test_nested_statements_stay_inside() -> None:
    source = "if (wrong)\n  for (int i = 0; i < 2; ++i)\n    if (i) f();\n    else g();\nh();"
    assert marks(source) == ["wrong"] * 4 + [""]


def test_a_compound_condition_counts() -> None:
    assert marks("if (wrong && n > 1) f();") == ["wrong"]
    assert marks("if (n > 1 && !wrong) f();") == ["right"]


def test_comments_and_texts_are_not_code() -> None:
    source = '// if (wrong) f();\n/* if (wrong)\n */ f("if (wrong)");\nauto s = R"(if (wrong) {)";'
    assert marks(source) == ["", "", "", ""]


def test_unbalanced_source_does_not_fail() -> None:
    assert marks("if (wrong) {\n  f(") == ["wrong", "wrong"]
    assert marks("if") == [""]
