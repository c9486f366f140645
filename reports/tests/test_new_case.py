"""`cudasem new-case`: stubs that lint, in the right files, and never over what is there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from test_cli import run

from cudasem_reports.new_case import new_case
from cudasem_reports.read import LogError

CASE = 'CASE(replay, known,\n     .title = "Known", .claims = {"rep.known"}) {\n}\n'


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("cases/replay", "cases/support", "expected/claims"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cases/case.h").write_text("")
    (tmp_path / "cases/replay/lifetime.cpp").write_text('#include "case.h"\n\n' + CASE)
    (tmp_path / "cases/support/run.cpp").write_text("")
    head = 'section = "replay"\nstatements = 9\n\n'
    claim = head + '[[claim]]\nid = "{}"\nstatement = "s"\nsource = "s"\nlink = "l"\n'
    (tmp_path / "expected/claims/capture.toml").write_text(claim.format("cap.other"))
    (tmp_path / "expected/claims/replay.toml").write_text(claim.format("rep.known"))
    (tmp_path / "expected/releases.toml").write_text('[[release]]\ntorch = "2.11.0"\n')
    return tmp_path


def test_a_rule_gets_a_file_and_a_claim_in_the_file_that_its_area_cites(tree: Path) -> None:
    written = new_case(tree, "replay", "after_reset", misuse=False)
    assert [each.path.relative_to(tree).as_posix() for each in written] == [
        "expected/claims/replay.toml",
        "cases/replay/after_reset.cpp",
    ]
    source = written[1].path.read_text()
    assert source.startswith('#include "case.h"\n#include "support/memory.h"\n\nCASE(replay, after_reset,\n')
    claims = tomllib.loads(written[0].path.read_text())["claim"]
    assert [claim["id"] for claim in claims] == ["rep.known", "todo.replay.after-reset"]
    assert f'.claims = {{"{claims[1]["id"]}"}}' in source


def test_a_misuse_gets_an_entry_over_all_supported_releases(tree: Path) -> None:
    written = new_case(tree, "replay", "after_reset", misuse=True, claim="rep.known", topic="lifetime")
    source, entry = (each.path for each in written)
    assert source.read_text().startswith('#include "case.h"\n\n' + CASE + "\nMISUSE(replay, after_reset,\n")
    (says,) = tomllib.loads(entry.read_text())["expect"]
    assert (says["case"], says["torch"]) == ("replay.after_reset/wrong", ">=2.11")
    assert all(says[field] for field in ("at", "type", "text", "why", "link"))


@pytest.mark.parametrize(
    ("area", "name", "claim", "text"),
    [
        ("replay", "known", "", "replay.known stands in cases/replay/lifetime.cpp already"),
        ("reply", "x", "", "`reply` is no area: one of replay was expected"),
        ("replay", "After", "", "`After`: lower-case words"),
        ("replay", "x", "rep.none", "claim rep.none is in no file"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    tree: Path, area: str, name: str, claim: str, text: str
) -> None:
    before = {path: path.read_text() for path in tree.rglob("*.*") if path.is_file()}
    with pytest.raises(LogError, match=text):
        new_case(tree, area, name, misuse=True, claim=claim)
    assert {path: path.read_text() for path in tree.rglob("*.*") if path.is_file()} == before


def test_the_command_says_what_it_wrote_and_what_comes_next(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "new-case", "replay", "after_reset", "--misuse", "--root", tree)
    assert code == 0
    assert "cases/replay/after_reset.cpp: the case" in out
    assert out.splitlines()[-1].startswith("next: replace each TODO")
