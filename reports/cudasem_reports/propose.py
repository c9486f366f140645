"""`cudasem propose`: entries for expected/ from what runs showed, for a person to complete.

What a run showed is no reason to expect it: a new entry has an empty `why` and, where none stood before, an
empty `link`, and lint refuses both. From the release on that showed something else an entry ends and a new
one begins; an entry that no release needs any more is left out.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cudasem_reports.expectation_blocks import (
    HEAD,
    Block,
    ExpectationFile,
    Range,
    Release,
    narrowed,
    read_expectations,
    release,
)
from cudasem_reports.model import Effect, Log, Result

REVIEW_AFTER = datetime.timedelta(days=182)
PATTERN_LENGTH = 100
EXPECTABLE = ("ok", "error", "corrupt", "crash", "hang")


@dataclass(frozen=True)
class Proposal:
    """For one id: the entries that should stand, and what that changes, in words."""

    id: str
    file: ExpectationFile
    entries: tuple[str, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True)
class ByHand:
    """What runs showed and nobody can propose from it."""

    id: str
    why: str


@dataclass(frozen=True)
class _Choice:
    """What should hold from a release on: an entry that stands, a new one, or the default (neither)."""

    block: Block | None = None
    fresh: str = ""


def propose(logs: Sequence[Log], expected: Path, today: datetime.date) -> list[Proposal | ByHand]:
    """In the order of the ids. Raises LogError."""
    by_id: dict[str, dict[Release, Result]] = {}
    for log in logs:
        for result in log.results:
            by_id.setdefault(result.plan.id, {})[release(log.subject.release)] = result
    files: dict[str, ExpectationFile] = {}
    found: list[Proposal | ByHand] = []
    for name, seen in sorted(by_id.items()):
        if all(result.verdict in ("as_expected", "skipped") for result in seen.values()):
            continue
        area = next(iter(seen.values())).plan.area
        file = files.setdefault(area, read_expectations(expected / f"{area}.toml"))
        found.append(_for_case(name, seen, file, today))
    return found


def write(proposals: Iterable[Proposal | ByHand]) -> list[Path]:
    """Puts the entries into their files. Raises OSError."""
    changed: dict[Path, ExpectationFile] = {}
    for proposal in proposals:
        if isinstance(proposal, ByHand):
            continue
        path = proposal.file.path
        current = changed.get(path, proposal.file)
        path.write_text(current.replaced(proposal.id, proposal.entries), encoding="utf-8")
        changed[path] = read_expectations(path)
    return list(changed)


def _for_case(
    name: str, seen: Mapping[Release, Result], file: ExpectationFile, today: datetime.date
) -> Proposal | ByHand:
    blocks = file.of(name)
    if any(not block.plain for block in blocks):
        return ByHand(name, "its entries have conditions on more than torch")
    if any("one_of" in block.says for block in blocks):
        return ByHand(name, "it has an entry with one_of: another member needs its own reason")
    unfit = [r for r in seen.values() if r.verdict != "skipped" and not _expectable(r)]
    if unfit:
        what = unfit[0].observed
        return ByHand(name, f"{what.outcome} {what.detail}".strip() + " cannot be expected: see to the case")
    choices: dict[Release, _Choice] = {block.range.start: _Choice(block) for block in blocks}
    for when, result in seen.items():
        if result.verdict == "skipped":
            continue
        block = next((each for each in blocks if each.range.holds(when)), None)
        fits = result.verdict == "as_expected"
        choices[when] = _Choice(block) if fits else _Choice(fresh=_fresh(name, result, block, today))
    _from_the_oldest_on(choices, blocks, seen)
    return _entries(name, file, blocks, choices)


def _from_the_oldest_on(
    choices: dict[Release, _Choice], blocks: Sequence[Block], seen: Mapping[Release, Result]
) -> None:
    """What the oldest of the runs showed holds from the minor release on, where nothing stands before it."""
    oldest = min(seen)
    if not blocks and oldest in choices:
        choices[oldest[:2]] = choices.pop(oldest)
    elif oldest in choices and choices[oldest].fresh:
        covering = next((block.range for block in blocks if block.range.holds(oldest)), None)
        if covering and covering.start[:2] == oldest[:2]:
            choices[covering.start] = choices.pop(oldest)


def _entries(
    name: str, file: ExpectationFile, blocks: Sequence[Block], choices: Mapping[Release, _Choice]
) -> Proposal:
    starts = [
        start
        for number, start in enumerate(sorted(choices))
        if number == 0 or choices[start] != choices[sorted(choices)[number - 1]]
    ]
    ends: list[Release | None] = [*starts[1:], None]
    entries: list[str] = []
    changes: list[str] = []
    for start, end in zip(starts, ends, strict=True):
        choice = choices[start]
        if choice.block is None and not choice.fresh:
            continue
        last = choice.block.range.end if choice.block else None
        limits = Range(start, min(filter(None, (end, last)), default=None))
        text = choice.block.text if choice.block else choice.fresh
        if choice.block and choice.block.range == limits:
            entries.append(text)
            continue
        entries.append(narrowed(text, limits))
        what = f"line {choice.block.line} narrowed" if choice.block else "a new entry"
        changes.append(f"{what} to torch {limits.condition}")
    kept = [choice.block for choice in choices.values()]
    changes += [f"line {block.line} removed" for block in blocks if block not in kept]
    return Proposal(name, file, tuple(entries), tuple(changes))


def _expectable(result: Result) -> bool:
    return result.verdict == "as_expected" or result.outcome in EXPECTABLE


def _fresh(name: str, result: Result, old: Block | None, today: datetime.date) -> str:
    """An entry for what was observed; what a person has to add is empty."""
    plan, observed = result.plan, result.observed
    lines = [HEAD, f'case = "{name}"', 'torch = ""', f'outcome = "{observed.outcome}"']
    effects = list(observed.effects)
    if observed.outcome in ("error", "corrupt"):
        first = next(effect for effect in effects if effect.outcome == observed.outcome)
        effects.remove(first)
        lines += _fields_of(first)
    elif observed.outcome == "crash":
        lines.append(f'signal = "{observed.signal}"' if observed.signal else f"exit = {observed.exit}")
    if observed.outcome in ("crash", "hang") and observed.at:
        lines.append(f"at = {json.dumps(observed.at)}")
    if effects:
        lines.append(f"then = [{', '.join(_inline(effect) for effect in effects)}]")
    lines += _facts(result, old)
    if old and old.says.get("warning"):
        lines.append(f"warning = {json.dumps(old.says['warning'])}")
    link = str(old.says.get("link", "")) if old else next(iter(plan.links), "")
    lines.append('why = ""')
    if observed.outcome != "ok":
        lines.append(f"link = {json.dumps(link)}")
        if plan.kind == "rule" or plan.way == "right":
            lines += ["bug = true", f"review_by = {today + REVIEW_AFTER}"]
    return "\n".join(lines)


def _facts(result: Result, old: Block | None) -> list[str]:
    """The facts that the old entry named, as they are now."""
    named = old.says.get("facts", {}) if old else {}
    now = {key: result.observed.facts[key] for key in named if key in result.observed.facts}
    if not now:
        return []
    return ["facts = { " + ", ".join(f"{key} = {json.dumps(value)}" for key, value in now.items()) + " }"]


def _fields_of(effect: Effect) -> list[str]:
    pairs: list[tuple[str, str]] = [("at", effect.at)] if effect.at else []
    if effect.outcome == "error" and effect.code is not None:
        return [f"at = {json.dumps(effect.at)}", f"code = {effect.code}"]
    if effect.outcome == "error":
        pairs += [("type", effect.type), ("text", pattern(effect.normalised or effect.text))]
    else:
        pairs += [("class", effect.memory_class), ("want", effect.want), ("got", effect.got)]
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in pairs if value]


def _inline(effect: Effect) -> str:
    return "{ " + ", ".join([f'outcome = "{effect.outcome}"', *_fields_of(replace(effect))]) + " }"


def pattern(text: str) -> str:
    """A pattern for the first line of a text: what could stand for something else is escaped."""
    first = text.strip().splitlines()[0] if text.strip() else ""
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", first[:PATTERN_LENGTH].rstrip())
