"""expected/claims/*.toml: the documented statements that cases cite."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


class ClaimsError(Exception):
    """A file of claims that cannot be read; `cudasem lint` says more."""


@dataclass(frozen=True)
class Claim:
    id: str
    statement: str
    source: str
    link: str
    reach: str  # why C++ on one GPU cannot show it; empty if it can


@dataclass(frozen=True)
class Subject:
    """One file: a subject of the documentation."""

    name: str
    statements: int  # how many the documentation makes, cited or not; 0 if nobody counted
    in_reach: int
    claims: tuple[Claim, ...]


def read(folder: Path) -> tuple[Subject, ...]:
    """Every subject, by file name; none where the folder is not there. Raises ClaimsError."""
    return tuple(_subject(path) for path in sorted(folder.glob("*.toml")))


def by_id(subjects: tuple[Subject, ...]) -> dict[str, Claim]:
    return {claim.id: claim for subject in subjects for claim in subject.claims}


def _subject(path: Path) -> Subject:
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClaimsError(
            f"{path}: expected a file of claims, found: {error}; `cudasem lint` says more"
        ) from error
    return Subject(
        name=str(entries.get("section", path.stem)),
        statements=int(entries.get("statements", 0)),
        in_reach=int(entries.get("in_reach", 0)),
        claims=tuple(
            Claim(*(str(claim.get(name, "")) for name in ("id", "statement", "source", "link", "reach")))
            for claim in entries.get("claim", [])
        ),
    )
