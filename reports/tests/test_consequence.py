"""What a flip means for somebody's code, in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from logs import LogBuilder
from test_diff import two_runs, view_of

from cudasem_reports import diff, render


def consequences(tmp_path: Path, old: LogBuilder, new: LogBuilder) -> dict[str, str]:
    return {entry.id: entry.consequence for entry in view_of(tmp_path, old, new).entries}


def test_a_foretold_flip_means_what_expected_says(tmp_path: Path) -> None:
    found = consequences(tmp_path, *two_runs())
    assert found["capture.moved/wrong"] == "the allocator notices first"


def test_every_other_class_says_what_follows_from_it(tmp_path: Path) -> None:
    found = consequences(tmp_path, *two_runs())
    for case_id, words in {
        "shared_pool.order/wrong": "told less loudly: now corrupt at second: 2 instead of 20",
        "mem_pool.retain": "Nothing is known",
        "streams.fixed": "a workaround for what it did before (fail at x.cpp:1) can go",
    }.items():
        assert words in found[case_id]
    details = ("random.offset", "errors.text", "factories.warns")
    assert {found[name] for name in (*details, "copies.new", "copies.gone", "copies.peer")} == {""}


@pytest.mark.parametrize(
    ("kind", "way", "before", "after", "words"),
    [
        ("rule", "", "ok", "hang", "Code that relies on this now sees hang."),
        ("misuse", "right", "ok", "error", "Code that relies on this now sees error"),
        ("misuse", "wrong", "corrupt", "crash", "is now told: crash"),
        ("misuse", "wrong", "crash", "ok", "luck or a new guarantee"),
        ("misuse", "wrong", "ok", "crash", "now sees crash; handlers"),
        ("observe", "", "ok", "crash", "Code that meets this now sees crash."),
    ],
)
def test_a_flip_that_nobody_foretold(
    tmp_path: Path, kind: str, way: str, before: str, after: str, words: str
) -> None:
    old, new = LogBuilder("2.13.0"), LogBuilder()
    name = "streams.a" + (f"/{way}" if way else "")
    old.case(name, before, kind=kind)
    new.case(name, after, "changed", kind=kind)
    assert words in consequences(tmp_path, old.finish(), new.finish())[name]


def test_the_commits_between_two_builds_are_a_link_where_both_are_known() -> None:
    one, other = "70d99e998b4955e0049d13a98d77ae1b14db1f45", "cf30153c4c131c8164ee7798e5022d810682e2cb"
    assert diff.upstream(one, other) == f"https://github.com/pytorch/pytorch/compare/{one}...{other}"
    for unknown in ("", "Unknown", '"><script>', one):
        assert diff.upstream(one, unknown) == ""


def test_both_pages_hold_the_sentence_and_the_link(tmp_path: Path) -> None:
    old, new = two_runs()
    for log, git in ((old, "a" * 40), (new, "b" * 40)):
        log.events[2]["git"] = git
    view = view_of(tmp_path, old, new)
    for form in render.FORMATS:
        page = render.render("diff", form, diff=view)
        assert f"compare/{'a' * 40}...{'b' * 40}" in page
        for entry in view.entries:
            assert entry.consequence.split(" (")[0] in page.replace("\\", "")
