"""The entries of `expected/<area>.toml` as blocks of text, and the ranges of releases for which they hold.

Entries are kept as they were written, comments included; only whole entries are replaced.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudasem_reports.read import LogError

Release = tuple[int, ...]
"""`2.14.1` as (2, 14, 1)."""

HEAD = "[[expect]]"


@dataclass(frozen=True)
class Range:
    """From `start` on, up to but without `end`; None: without an end."""

    start: Release
    end: Release | None = None

    def holds(self, release: Release) -> bool:
        return self.start <= release and (self.end is None or release < self.end)

    @property
    def condition(self) -> str:
        """`>=2.11, <2.14`"""
        return f">={word(self.start)}" + (f", <{word(self.end)}" if self.end else "")


@dataclass(frozen=True)
class Block:
    """One entry: its text, without the blank lines around it, and what it says."""

    text: str
    says: Mapping[str, Any]
    line: int

    @property
    def case(self) -> str:
        return str(self.says.get("case", ""))

    @property
    def plain(self) -> bool:
        """Whether releases alone decide where it holds."""
        return not {"cuda", "driver", "cc", "gpus", "profile"} & set(self.says)

    @property
    def range(self) -> Range:
        """Raises LogError for a condition that is not `>=A` or `>=A, <B`."""
        condition = str(self.says.get("torch", ""))
        found = re.fullmatch(r"\s*(?:>=\s*([\d.]+))?\s*,?\s*(?:<\s*([\d.]+))?\s*", condition)
        if found is None:
            raise LogError(f"{self.case}: `torch` is {condition!r}: only `>=A` and `>=A, <B` can be narrowed")
        start = release(found[1]) if found[1] else (0,)
        return Range(start, release(found[2]) if found[2] else None)


@dataclass(frozen=True)
class ExpectationFile:
    path: Path
    before: str  # what stands before the first entry
    blocks: tuple[Block, ...]

    def of(self, case: str) -> tuple[Block, ...]:
        return tuple(block for block in self.blocks if block.case == case)

    def replaced(self, case: str, entries: Sequence[str]) -> str:
        """The whole file with these entries in the place of all of the case, at the end if it had none."""
        texts: list[str] = []
        put = False
        for block in self.blocks:
            if block.case != case:
                texts.append(block.text)
            elif not put:
                texts += entries
                put = True
        texts += () if put else entries
        head = self.before.strip()
        return "\n\n".join(([head] if head else []) + texts) + "\n"


def read_expectations(path: Path) -> ExpectationFile:
    """An area without a file has no entries. Raises LogError for text that is not TOML."""
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        says = tomllib.loads(text).get("expect", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LogError(f"{path}: TOML was expected: {error}") from error
    starts = [found.start() for found in re.finditer(rf"^{re.escape(HEAD)}", text, re.MULTILINE)]
    ends = [*starts[1:], len(text)]
    pieces = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    if len(pieces) != len(says):
        raise LogError(f"{path}: {len(says)} entries, but {len(pieces)} lines that begin with {HEAD}")
    lines = [text.count("\n", 0, start) + 1 for start in starts]
    blocks = tuple(map(Block, pieces, says, lines))
    return ExpectationFile(path, text[: starts[0]] if starts else text, blocks)


def release(text: str) -> Release:
    """The release segment: `2.16.0.dev1+cu132` is (2, 16, 0). Raises LogError."""
    found = re.match(r"\d+(\.\d+)*", text)
    if found is None:
        raise LogError(f"`{text}` is no release: one like 2.14.1 was expected")
    return tuple(int(part) for part in found[0].split(".")[:3])


def word(of: Release) -> str:
    """`2.14` of (2, 14, 0) and of (2, 14)."""
    parts = list(of)
    while len(parts) > 2 and parts[-1] == 0:
        parts.pop()
    return ".".join(map(str, parts))


def narrowed(text: str, to: Range) -> str:
    """The entry with another range of releases."""
    line = f'torch = "{to.condition}"'
    if re.search(r"^torch\s*=", text, re.MULTILINE):
        return re.sub(r"^torch\s*=.*$", lambda _: line, text, count=1, flags=re.MULTILINE)
    return re.sub(r"^(case\s*=.*)$", lambda found: f"{found[1]}\n{line}", text, count=1, flags=re.MULTILINE)
