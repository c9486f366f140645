"""The words in which reports speak of outcomes, verdicts and numbers."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from cudasem_reports.model import Effect, Expectation, Expected, Gpu, Observed

VERDICT_WORD = {
    "regression": "regression",
    "missing": "missing",
    "changed": "changed",
    "flaky": "flaky",
    "improvement": "improvement",
    "waived": "waived",
    "skipped": "skipped",
    "as_expected": "as expected",
}

VERDICT_SECTION = {
    "regression": ("Regressions", "A promise no longer holds, or a misuse has become quieter."),
    "missing": ("Missing", "Planned, and without a result. Never a pass."),
    "changed": ("Changed", "Neither better nor worse, but not what expected/ says."),
    "flaky": ("Flaky", "The attempts do not agree with each other."),
    "improvement": ("Improvements", "Better than expected/ says: the entry is out of date."),
    "waived": ("Waived", "Not as expected, known, and lived with until the day that the waiver names."),
    "skipped": ("Skipped", "Did not run here. Neither a pass nor a failure."),
    "as_expected": ("As expected", "What expected/ says, and nothing else."),
}


def plural(count: int, one: str, many: str = "") -> str:
    """`1 case`, `2 cases`."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def count_verdict(verdict: str, count: int) -> str:
    """`2 regressions`, `1 changed`."""
    if verdict in ("regression", "improvement"):
        return plural(count, verdict)
    return f"{count} {VERDICT_WORD[verdict]}"


def listed(parts: Iterable[str]) -> str:
    """`a, b and c`."""
    items = list(parts)
    return " and ".join([", ".join(items[:-1]), items[-1]]) if len(items) > 1 else "".join(items)


def effect_line(effect: Effect | Expected, signal: str = "") -> str:
    """`error 900 at capture_end`, `corrupt at second: 2 instead of 20 (overwritten)`; no texts."""
    words = [effect.outcome]
    if effect.outcome == "error":
        words.append(str(effect.code) if effect.code is not None else effect.type)
    if effect.outcome == "crash":
        words.append(signal)
    detail = "setup" if isinstance(effect, Effect) and effect.setup else effect.detail
    if detail:
        words.append(f"({detail.replace('_', ' ')})")
    if effect.at:
        words.append(f"at {effect.at}")
    line = " ".join(word for word in words if word)
    if effect.outcome == "corrupt" and effect.got:
        line += f": {effect.got} instead of {effect.want}"
    return f"{line} ({effect.memory_class})" if effect.memory_class else line


def deciding_effect(observed: Observed) -> Effect:
    """The effect that made the outcome; a crash, a hang or a missing result is one of its own."""
    for effect in observed.effects:
        if effect.outcome == observed.outcome:
            return effect
    return Effect(
        observed.outcome, observed.at, text=observed.text, normalised=observed.text, detail=observed.detail
    )


def further_effects(observed: Observed) -> tuple[Effect, ...]:
    deciding = deciding_effect(observed)
    return tuple(effect for effect in observed.effects if effect is not deciding)


def observed_line(observed: Observed) -> str:
    deciding = deciding_effect(observed)
    line = effect_line(deciding, observed.signal or exit_word(observed))
    if observed.detail and f"({observed.detail.replace('_', ' ')})" not in line:
        line = line.replace(observed.outcome, f"{observed.outcome} ({observed.detail.replace('_', ' ')})", 1)
    return line


def exit_word(ending: Observed | Expected) -> str:
    return "" if ending.exit in (None, 0) else f"exit {ending.exit}"


def expected_line(expectation: Expectation | None) -> str:
    """`error 900 at item, then error 901 at capture_end`; alternatives are joined by `or`."""
    if expectation is None:
        return "no entry in expected/"
    return " or ".join(one_expected_line(option) for option in expectation.allowed)


def one_expected_line(option: Expected) -> str:
    first = effect_line(option, option.signal or exit_word(option))
    return ", then ".join([first, *(effect_line(later) for later in option.then)])


def value_word(value: Any) -> str:
    """A fact, or what is expected of it: `6`, `1 to 3`, `at least 2`."""
    if isinstance(value, Mapping) and value and set(value) <= {"min", "max"}:
        if len(value) == 2:
            return f"{value_word(value['min'])} to {value_word(value['max'])}"
        return (
            f"at least {value_word(value['min'])}"
            if "min" in value
            else f"at most {value_word(value['max'])}"
        )
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def gpus_word(gpus: tuple[Gpu, ...]) -> str:
    """`2 × NVIDIA H200`, `NVIDIA H200 (MIG)`, or `none`."""
    names = Counter(f"{gpu.name} (MIG)" if gpu.mig else gpu.name for gpu in gpus)
    return ", ".join(f"{count} × {name}" if count > 1 else name for name, count in names.items()) or "none"


def duration_word(ms: float | None) -> str:
    """`840 ms`, `12.3 s`, `4 min 10 s`."""
    if ms is None:
        return ""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 60_000:
        return f"{ms / 1000:.1f} s"
    minutes, seconds = divmod(round(ms / 1000), 60)
    return f"{minutes} min {seconds} s"


def shortened(text: str, longest: int = 160) -> str:
    """The first line, cut where it is longer than `longest` characters; the whole stands with the case."""
    line = text.partition("\n")[0]
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def cut(text: str, most: int = 16_000) -> str:
    """The beginning and the end of a very long text: a page has to be usable; the log holds the whole."""
    if len(text) <= most:
        return text
    head, tail = text[: most * 3 // 4], text[-most // 4 :]
    return (
        f"{head}\n… {len(text) - len(head) - len(tail)} characters are left out; the log has them …\n{tail}"
    )


def visible(text: str) -> str:
    """Control bytes but tab and newline as `\\x1b`: a page holds no invisible or invalid character."""
    return _DOUBTFUL.sub(_escaped, text.replace("\r\n", "\n")) if not text.isprintable() else text


_DOUBTFUL = re.compile(r"[^\n\t -~]")


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character.isprintable() or unicodedata.category(character) == "Zs":
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that was no UTF-8
        return f"\\x{ord(character) - 0xDC00:02x}"
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"
