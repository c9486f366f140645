"""`cudasem propose`: what runs showed becomes entries that a person must complete."""

from __future__ import annotations

import datetime
import tomllib
from pathlib import Path
from typing import Any

import pytest
from logs import Json, LogBuilder
from test_cli import run

from cudasem_reports.expectation_blocks import narrowed, read_expectations, release, word
from cudasem_reports.propose import ByHand, Proposal, pattern, propose, write
from cudasem_reports.read import LogError, load

TODAY = datetime.date(2026, 11, 30)
OLD = """# The replay cases.

[[expect]]
case = "replay.kept/wrong"
torch = ">=2.11"
outcome = "error"  # since ever
at = "replay"
type = "c10::Error"
text = "not instantiated"
why = "nobody did"
link = "https://a.example"

[[expect]]
case = "replay.other/wrong"
torch = ">=2.11"
outcome = "ok"
why = "y"
"""


def refusal(text: str, **more: Any) -> Json:
    effect = {"outcome": "error", "at": "replay", "type": "c10::Error", "text": text, "normalised": text}
    return {"outcome": "error", "at": "replay", "text": text, "effects": [effect | more]}


def proposals(tmp_path: Path, *seen: tuple[str, str, Json], kind: str = "misuse") -> list[Proposal | ByHand]:
    """`seen`: release, verdict and what was observed of replay.kept, its wrong way if it is a misuse."""
    expected = tmp_path / "expected"
    expected.mkdir(exist_ok=True)
    if not (expected / "replay.toml").exists():
        (expected / "replay.toml").write_text(OLD)
    logs = []
    for torch, verdict, observed in seen:
        log = LogBuilder(torch)
        name = "replay.kept/wrong" if kind == "misuse" else "replay.kept"
        log.case(name, kind=kind, verdict=verdict, **observed)
        logs.append(load(log.finish().write(tmp_path / f"{torch}.ndjson")))
    return propose(logs, expected, TODAY)


def entries_of(proposal: Proposal | ByHand) -> list[Json]:
    assert isinstance(proposal, Proposal)
    return [tomllib.loads(entry)["expect"][0] for entry in proposal.entries]


def test_a_flip_ends_the_old_entry_and_begins_one_whose_why_is_empty(tmp_path: Path) -> None:
    (found,) = proposals(tmp_path, ("2.16.0", "changed", refusal("Call instantiate() first (line 3).")))
    old, new = entries_of(found)
    assert (old["torch"], old["why"]) == (">=2.11, <2.16", "nobody did")
    assert new == {
        "case": "replay.kept/wrong",
        "torch": ">=2.16",
        "outcome": "error",
        "at": "replay",
        "type": "c10::Error",
        "text": r"Call instantiate\(\) first \(line 3\)\.",
        "why": "",
        "link": "https://a.example",
    }


def test_a_release_between_two_that_agree_has_an_entry_of_its_own(tmp_path: Path) -> None:
    same = refusal("not instantiated")
    seen = (
        ("2.13.0", "as_expected", same),
        ("2.14.1", "changed", refusal("x", code=401)),
        ("2.15.0", "as_expected", same),
    )
    (found,) = proposals(tmp_path, *seen)
    assert [(e["torch"], e.get("code")) for e in entries_of(found)] == [
        (">=2.11, <2.14.1", None),
        (">=2.14.1, <2.15", 401),
        (">=2.15", None),
    ]


def test_an_entry_that_no_release_needs_is_removed(tmp_path: Path) -> None:
    crash = {"outcome": "crash", "at": "replay", "signal": "SIGSEGV"}
    seen = [(torch, "changed", crash) for torch in ("2.11.0", "2.15.0")]
    (found,) = proposals(tmp_path, *seen)
    (entry,) = entries_of(found)
    assert (entry["torch"], entry["outcome"], entry["signal"]) == (">=2.11", "crash", "SIGSEGV")
    assert isinstance(found, Proposal)
    assert found.changes == ("a new entry to torch >=2.11", "line 3 removed")


def test_a_broken_promise_is_a_bug_to_be_looked_at_again(tmp_path: Path) -> None:
    (found,) = proposals(tmp_path, ("2.15.0", "regression", refusal("no", code=700)), kind="rule")
    (entry,) = entries_of(found)
    assert (entry["torch"], entry["bug"], entry["review_by"]) == (">=2.15", True, datetime.date(2027, 5, 31))


def test_what_cannot_be_expected_is_left_to_a_person(tmp_path: Path) -> None:
    (found,) = proposals(tmp_path, ("2.15.0", "changed", {"outcome": "fail", "detail": "setup"}))
    assert found == ByHand("replay.kept/wrong", "fail setup cannot be expected: see to the case")


def test_what_is_as_expected_or_skipped_needs_nothing(tmp_path: Path) -> None:
    seen = (("2.14.1", "as_expected", {"outcome": "ok"}), ("2.15.0", "skipped", {"outcome": "skip"}))
    assert proposals(tmp_path, *seen) == []


def test_written_entries_stand_where_the_old_ones_did_and_the_rest_is_untouched(tmp_path: Path) -> None:
    (path,) = write(proposals(tmp_path, ("2.16.0", "changed", refusal("gone"))))
    text = path.read_text()
    assert text.startswith('# The replay cases.\n\n[[expect]]\ncase = "replay.kept/wrong"\n')
    assert 'outcome = "error"  # since ever' in text
    assert text.endswith(
        '[[expect]]\ncase = "replay.other/wrong"\ntorch = ">=2.11"\noutcome = "ok"\nwhy = "y"\n'
    )
    assert [block.case for block in read_expectations(path).blocks] == 2 * ["replay.kept/wrong"] + [
        "replay.other/wrong"
    ]


def test_a_range_that_cannot_be_narrowed_is_said(tmp_path: Path) -> None:
    (tmp_path / "expected").mkdir()
    (tmp_path / "expected" / "replay.toml").write_text(OLD.replace(">=2.11", "==2.11.0", 1))
    with pytest.raises(LogError, match="only `>=A` and `>=A, <B` can be narrowed"):
        proposals(tmp_path, ("2.16.0", "changed", refusal("gone")))


def test_the_command_prints_and_writes_only_when_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proposals(tmp_path, ("2.16.0", "changed", refusal("gone")))
    log, expected = tmp_path / "2.16.0.ndjson", tmp_path / "expected"
    code, out, _ = run(capsys, "propose", log, "--expected", expected)
    assert code == 1
    assert "replay.kept/wrong: line 3 narrowed to torch >=2.11, <2.16; a new entry to torch >=2.16" in out
    assert (expected / "replay.toml").read_text() == OLD
    code, out, _ = run(capsys, "propose", log, "--expected", expected, "--write")
    assert code == 1
    assert (expected / "replay.toml").read_text() != OLD
    assert 'fill in each `why = ""`' in out


def test_releases_and_patterns() -> None:
    assert release("2.16.0.dev20261101+cu132") == (2, 16, 0)
    assert word((2, 14, 0)) == "2.14"
    assert word((2, 14, 1)) == "2.14.1"
    assert pattern("a.b (c) [d]*\nmore") == r"a\.b \(c\) \[d\]\*"
    assert narrowed('[[expect]]\ncase = "a.b"\noutcome = "ok"', read_range()) == (
        '[[expect]]\ncase = "a.b"\ntorch = ">=2.11"\noutcome = "ok"'
    )


def read_range() -> Any:
    from cudasem_reports.expectation_blocks import Range

    return Range((2, 11))
