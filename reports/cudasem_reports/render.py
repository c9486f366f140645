"""Fills the templates: HTML that stands alone, and Markdown that says the same."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cudasem_reports.choices import alike, choices
from cudasem_reports.listing import BOTH, RIGHT, WRONG, Line
from cudasem_reports.transition import Change
from cudasem_reports.wording import VERDICT_WORD, count_verdict, duration_word, plural, visible

FORMATS = ("html", "md")
_TEMPLATES = Path(__file__).parent / "templates"


def render(page: str, form: str, **values: Any) -> str:
    """`page` is report, diff, matrix or pools, `form` one of FORMATS."""
    text = _environment().get_template(f"{page}.{form}.j2").render(values)
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n" if form == "md" else text


def write_pages(folder: Path, stem: str, page: str, formats: tuple[str, ...], **values: Any) -> list[Path]:
    """Writes `stem.html` and `stem.md` into `folder`, which is made where it is not there. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for form in formats:
        path = folder / f"{stem}.{form}"
        path.write_text(render(page, form, **values), encoding="utf-8", errors="replace")
        paths.append(path)
    return paths


def template_text(name: str) -> str:
    """A file of templates/ as it is."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def styles() -> str:
    """All style sheets, for pages that share one file of them."""
    return "\n".join(template_text(name) for name in ("page.css", "cases.css", "tables.css", "handbook.css"))


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters |= {
        "code": inline_code,
        "cell": table_cell,
        "prose": prose,
        "fence": fence,
        "listing": listing_diff,
        "is_link": is_link,
        "one_line": one_line,
        "first_line": lambda text: text.strip().partition("\n")[0],
        "wrap_comment": wrap_comment,
        "plural": plural,
        "duration": duration_word,
        "alike": alike,
        "svg": Markup,  # of our own plot alone
        "verdict": VERDICT_WORD.__getitem__,
        "count_verdict": lambda count, verdict: count_verdict(verdict, count),
    }
    environment.globals |= {
        "choices": choices,
        "verdict_words": VERDICT_WORD,
        "change_words": {change.name.lower(): change.value for change in Change},
    }
    return environment


def _finalize(value: object) -> object:
    """No page holds control bytes, whatever a case printed."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def one_line(text: str) -> str:
    """For a line comment: no text of a log can end it, nor go on with the next line."""
    return " ".join(visible(text).split()).rstrip("\\")


def wrap_comment(text: str, first: str, rest: str) -> str:
    """`text` as line comments of at most 110 columns."""
    words = one_line(text)
    lines = textwrap.wrap(words, 110, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
    return "\n".join(line.rstrip("\\") for line in lines)


def is_link(text: str) -> bool:
    """Only web addresses become links: a log must not be able to put a script into a page."""
    return text.startswith(("https://", "http://"))


def _ticks(text: str, least: int) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    return "`" * max(least, longest + 1)


def inline_code(text: str) -> str:
    text = " ".join(visible(text).split()) or " "
    ticks = _ticks(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def table_cell(values: tuple[str, ...] | str) -> str:
    """Inline code for a table, one line for each value."""
    values = (values,) if isinstance(values, str) else values
    return "<br>".join(inline_code(value).replace("|", r"\|") for value in values) or "–"


def prose(text: str) -> str:
    """Text that no character of is taken for Markdown."""
    text = " ".join(visible(text).split())
    text = re.sub(r"([\\`*\[\]<>|#&])", r"\\\1", text)
    return re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\_", text)


def fence(text: str, language: str = "") -> str:
    text = visible(text).rstrip("\n")
    ticks = _ticks(text, 3)
    return f"{ticks}{language}\n{text}\n{ticks}"


def listing_diff(lines: tuple[Line, ...]) -> str:
    """A listing: the wrong way's lines begin with `-`, the right way's with `+`, both ways' with `!`."""
    signs = {WRONG: "-", RIGHT: "+", BOTH: "!"}
    if not any(line.way for line in lines):
        return fence("\n".join(line.text for line in lines), "cpp")
    return fence("\n".join(f"{signs.get(line.way, ' ')} {line.text}".rstrip() for line in lines), "diff")
