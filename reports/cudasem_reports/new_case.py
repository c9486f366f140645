"""`cudasem new-case`: a case, its claim and its expectation as stubs that lint, and whose oracle fails.

The case fails until somebody has put the fact in: a stub that passed would be taken for a case.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cudasem_reports.read import LogError

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
DOCUMENTATION = "https://docs.pytorch.org/docs/stable/notes/cuda.html"

RULE = """
CASE({area}, {name},
     .title = "TODO: a sentence from which a stranger can tell what happens ({area}.{name})",
     .claims = {{"{claim}"}}) {{
  const Tensor x = gpu_tensor(1);
  expect_equal(x + 1, 3);  // TODO: fails until it says what the documentation promises
}}
"""

MISUSE = """
MISUSE({area}, {name},
       .title = "TODO: a sentence from which a stranger can tell what goes wrong ({area}.{name})",
       .claims = {{"{claim}"}}) {{
  const Tensor x = gpu_tensor(1);
  if (wrong) attempt("misuse", [&] {{ x.add_(1); }});  // don't: TODO: say why, in a few words
  expect_intact(x, 3);                               // TODO: fails until it says what the right way gives
}}
"""

CLAIM = """
[[claim]]
id = "{claim}"
statement = "TODO: what the documentation promises, in a sentence of your own."
source = "TODO: which document, which section"
link = "{link}"
"""

ENTRY = """
[[expect]]
case = "{area}.{name}/wrong"
torch = ">={oldest}"
outcome = "error"
at = "misuse"
type = "c10::Error"
text = "TODO: what is telling in the message"
why = "TODO: why this happens"
link = "{link}"
"""


@dataclass(frozen=True)
class Written:
    path: Path
    what: str


def new_case(
    root: Path, area: str, name: str, misuse: bool, claim: str = "", topic: str = ""
) -> list[Written]:
    """Writes the stubs into the source tree `root`. `claim`: one that is there already. Raises LogError."""
    _check(root, area, name)
    source = root / "cases" / area / f"{topic or name}.cpp"
    known = {found: path for path in _claim_files(root) for found in _ids(path)}
    if claim and claim not in known:
        raise LogError(
            f"claim {claim} is in no file of expected/claims/: leave --claim out for a stub of one"
        )
    written = []
    if not claim:
        claim = f"todo.{area}.{name}".replace("_", "-")
        path = _subject_of(root, area, known)
        _append(path, CLAIM.format(claim=claim, link=DOCUMENTATION))
        written.append(Written(path, f"a stub of the claim {claim}"))
    if not source.exists():
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text('#include "case.h"\n#include "support/memory.h"\n', encoding="utf-8")
    _append(source, (MISUSE if misuse else RULE).format(area=area, name=name, claim=claim))
    written.append(Written(source, "the case"))
    if misuse:
        path = root / "expected" / f"{area}.toml"
        _append(path, ENTRY.format(area=area, name=name, oldest=_oldest(root), link=DOCUMENTATION))
        written.append(Written(path, "what its wrong way must show"))
    return written


def _check(root: Path, area: str, name: str) -> None:
    if not (root / "cases" / "case.h").exists():
        raise LogError(f"{root}: a source tree of cudasem was expected there; say --root")
    for word in (area, name):
        if not NAME.fullmatch(word):
            raise LogError(f"`{word}`: lower-case words with _ between them were expected")
    areas = sorted(path.name for path in (root / "cases").iterdir() if any(path.glob("*.cpp")))
    if area not in areas:
        raise LogError(
            f"`{area}` is no area: one of {', '.join(a for a in areas if a != 'support')} was expected"
        )
    taken = re.compile(rf"\((?:\s*){area},\s*{name},")
    for path in sorted((root / "cases" / area).glob("*.cpp")):
        if taken.search(path.read_text(encoding="utf-8")):
            raise LogError(f"{area}.{name} stands in {path.relative_to(root)} already: choose another name")


def _claim_files(root: Path) -> list[Path]:
    return sorted((root / "expected" / "claims").glob("*.toml"))


def _ids(path: Path) -> list[str]:
    return re.findall(r'^id = "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)


def _subject_of(root: Path, area: str, known: dict[str, Path]) -> Path:
    """The file of claims that the cases of the area cite most."""
    text = "".join(path.read_text(encoding="utf-8") for path in (root / "cases" / area).glob("*.cpp"))
    cited = [
        word
        for found in re.findall(r"\.claims = \{([^}]*)\}", text)
        for word in re.findall('"([^"]+)"', found)
    ]
    counted = Counter(known[claim] for claim in cited if claim in known)
    if not counted:
        raise LogError(f"no case of {area} cites a claim: say --claim")
    return counted.most_common(1)[0][0]


def _oldest(root: Path) -> str:
    """`2.11` of the releases that are supported."""
    text = (root / "expected" / "releases.toml").read_text(encoding="utf-8")
    found = re.search(r'^torch = "(\d+\.\d+)', text, re.MULTILINE)
    if found is None:
        raise LogError("expected/releases.toml: no release was found")
    return found[1]


def _append(path: Path, text: str) -> None:
    before = path.read_text(encoding="utf-8").rstrip() + "\n" if path.exists() else ""
    path.write_text(before + (text if before else text.lstrip()), encoding="utf-8")
