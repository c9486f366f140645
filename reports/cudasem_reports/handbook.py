"""The handbook "Don't do this": a page for each misuse, by what it looks like, and an index of errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cudasem_reports import finding
from cudasem_reports.claims import Claim
from cudasem_reports.columns import Column
from cudasem_reports.listing import Line, mark_ways
from cudasem_reports.model import Effect, Expectation, Observed, Plan, Result
from cudasem_reports.render import render, styles, template_text
from cudasem_reports.wording import deciding_effect, effect_line, further_effects, observed_line, value_word

SYMPTOMS = {
    "error": ("An error", "The program is told; often later than where it went wrong."),
    "corrupt": ("Wrong values", "No error: numbers are silently wrong."),
    "crash": ("A crash", "The process dies."),
    "hang": ("A hang", "The process never goes on."),
    "growth": ("Memory growth", "No error: more memory is held than needed, or it never comes back."),
    "quiet": ("Nothing to see", "No error and no wrong value here: what was asked for is silently not done."),
    "unseen": ("Not recorded yet", "No recorded run could show these: most need a second GPU."),
}


@dataclass(frozen=True)
class Seen:
    """What one way showed, alike on these releases."""

    releases: tuple[str, ...]
    way: str
    lines: tuple[str, ...]
    text: str
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    plan: Plan
    symptom: str
    lines: tuple[Line, ...]
    seen: tuple[Seen, ...]
    texts: tuple[str, ...]  # each error text of the wrong way, as it was raised
    whys: tuple[tuple[str, str], ...]  # releases that it is about, `>=2.13`; why
    links: tuple[str, ...]
    claims: tuple[Claim, ...]
    tools: tuple[finding.Tool, ...]
    python: str  # the same in Python, written by hand, not run

    @property
    def file(self) -> str:
        return f"{self.plan.case}.html"

    @property
    def has_right_lines(self) -> bool:
        return any(line.way in ("right", "both") for line in self.lines)

    @property
    def summary(self) -> str:
        """What the newest release shows."""
        wrong = [each for each in self.seen if each.way == "wrong"]
        return ", then ".join(wrong[-1].lines) if wrong else ""


@dataclass(frozen=True)
class IndexEntry:
    text: str  # the first line of an error
    key: str  # its words, as a search compares them
    pages: tuple[Page, ...]


@dataclass(frozen=True)
class Handbook:
    groups: tuple[tuple[str, str, str, tuple[Page, ...]], ...]  # symptom, title, meaning, pages
    index: tuple[IndexEntry, ...]
    releases: tuple[str, ...]
    machines: tuple[str, ...]
    date: str

    @property
    def shown(self) -> int:
        """How many of the misuses a recorded run shows."""
        return sum(page.symptom != "unseen" for page in self.pages)

    @property
    def pages(self) -> tuple[Page, ...]:
        return tuple(page for group in self.groups for page in group[3])


def view(columns: Sequence[Column], claims: dict[str, Claim], python: Path) -> Handbook:
    """`python`: a folder with ID.py, the Python spelling of a misuse, for those that have one."""
    plans: dict[str, Plan] = {}
    for column in columns:
        for result in column.results.values():
            if result.plan.kind == "misuse" and result.plan.way == "wrong":
                plans[result.plan.case] = result.plan  # the newest
    pages = [_page(plan, columns, claims, python) for _, plan in sorted(plans.items())]
    groups = []
    for symptom, (title, meaning) in SYMPTOMS.items():
        found = tuple(page for page in pages if page.symptom == symptom)
        if found:
            groups.append((symptom, title, meaning, found))
    return Handbook(
        groups=tuple(groups),
        index=tuple(_index(pages)),
        releases=tuple(column.name for column in columns),
        machines=tuple(dict.fromkeys(gpu.name for column in columns for gpu in column.log.machine.gpus)),
        date=max((column.log.run.date for column in columns), default=""),
    )


def write(folder: Path, book: Handbook, formats: Sequence[str]) -> list[Path]:
    """index.html and a page a misuse, and handbook.md. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    texts: dict[str, str] = {}
    if "html" in formats:
        texts["handbook.css"] = styles()
        texts["handbook.js"] = template_text("handbook.js")
        texts["index.html"] = render("handbook_index", "html", book=book)
        for page in book.pages:
            texts[page.file] = render(
                "handbook_page", "html", book=book, misuse=page, title=SYMPTOMS[page.symptom][0]
            )
    if "md" in formats:
        texts["handbook.md"] = render("handbook", "md", book=book)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    return [folder / name for name in ("index.html", "handbook.md") if name in texts]


def _page(plan: Plan, columns: Sequence[Column], claims: dict[str, Claim], python: Path) -> Page:
    results = [column.results[plan.id] for column in columns if plan.id in column.results]
    ran = [result for result in results if result.observed.ran]
    symptom = _symptom(ran[-1].observed) if ran else "unseen"
    texts = tuple(dict.fromkeys(text for result in ran for text in _texts(result.observed)))
    expectations = [result.plan.expectation for result in results if result.plan.expectation]
    cited = tuple(claims[name] for name in plan.claims if name in claims)
    links = [*(each.link for each in expectations if each.link), *plan.links]
    snippet = python / f"{plan.case}.py"
    return Page(
        plan=plan,
        symptom=symptom,
        lines=mark_ways(plan.source),
        seen=tuple(seen(plan.case, columns)),
        texts=texts,
        whys=tuple(dict.fromkeys((_condition(each), each.why) for each in expectations if each.why)),
        links=tuple(link for link in dict.fromkeys(links) if link not in {each.link for each in cited}),
        claims=cited,
        tools=finding.tools(symptom, plan.area, deciding_effect(ran[-1].observed).text if ran else ""),
        python=snippet.read_text(encoding="utf-8") if snippet.is_file() else "",
    )


def _condition(expectation: Expectation) -> str:
    return str(expectation.conditions.get("torch", ""))


def _symptom(observed: Observed) -> str:
    if observed.outcome == "ok":
        return "growth" if any("MiB" in name or "bytes" in name for name in observed.facts) else "quiet"
    return observed.outcome if observed.outcome in SYMPTOMS else "quiet"


def _texts(observed: Observed) -> Iterable[str]:
    """Of every error, also of those that follow the first."""
    effects: list[Effect] = [deciding_effect(observed), *further_effects(observed)]
    return (effect.text for effect in effects if effect.outcome in ("error", "crash") and effect.text.strip())


def seen(case: str, columns: Sequence[Column]) -> Iterable[Seen]:
    """What recorded runs showed of each way, releases that are alike together."""
    for way in ("wrong", "", "right"):
        alike: dict[tuple[object, ...], list[tuple[str, Result]]] = {}
        for column in columns:
            result = column.results.get(f"{case}/{way}" if way else case)
            if result is not None and result.observed.ran:
                alike.setdefault(_what(result.observed), []).append((column.name, result))
        for found in alike.values():
            observed = found[-1][1].observed
            yield Seen(
                releases=tuple(name for name, _ in found),
                way=way,
                lines=(observed_line(observed), *map(effect_line, further_effects(observed))),
                text=deciding_effect(observed).text,
                facts=tuple(f"{name} = {value_word(value)}" for name, value in observed.facts.items()),
            )


def _what(observed: Observed) -> tuple[object, ...]:
    """What must be equal for two releases to be told of in one line."""
    effects = (deciding_effect(observed), *further_effects(observed))
    return (
        observed_line(observed),
        *(effect_line(effect) for effect in effects),
        effects[0].normalised,
        *sorted(f"{name}={value}" for name, value in observed.facts.items()),
    )


def _index(pages: Iterable[Page]) -> Iterable[IndexEntry]:
    """Every distinct first line, with the pages on which it stands."""
    found: dict[str, tuple[str, list[Page]]] = {}
    for page in pages:
        for text in page.texts:
            line = text.strip().partition("\n")[0]
            held = found.setdefault(search_key(line), (line, []))
            if page not in held[1]:
                held[1].append(page)
    for key, (line, having) in sorted(found.items()):
        if key:
            yield IndexEntry(line, key, tuple(having))


def search_key(text: str) -> str:
    """The words of an error without what differs from machine to machine; handbook.js does the same."""
    text = re.sub(r"0x[0-9a-f]+|(?:/[^\s:,]+)+|\d[\d.]*", " ", text.lower())
    return " ".join(re.findall(r"[a-z_]{2,}", text))
