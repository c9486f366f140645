"""Marks, in the body of a misuse, the lines that only its wrong or only its right way runs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cudasem_reports.model import Plan

WRONG, RIGHT, BOTH = "wrong", "right", "both"

_TOKEN = re.compile(
    r"""
      (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    | R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | :: | \w+
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}


@dataclass(frozen=True)
class Line:
    text: str
    way: str = ""  # wrong, right, both (a line that holds both ways), or nothing


@dataclass(frozen=True)
class _Token:
    text: str
    line: int  # from 0


def mark_ways(source: str) -> tuple[Line, ...]:
    """The lines of `source`: those under `if (wrong)` are marked wrong, those under its else right.

    `wrong ? a : b` marks its branches likewise; any other line that uses `wrong` holds both ways.
    """
    ways: dict[int, str] = {}
    tokens = _tokens(source)
    in_conditions: set[int] = set()
    for index, token in enumerate(tokens):
        if token.text == "if":
            in_conditions.update(range(index, _after(tokens, index + 1)))
            _mark_if(tokens, index, ways)
    for index, token in enumerate(tokens):
        if token.text == "wrong" and index not in in_conditions:
            _mark_use(tokens, index, ways)
    lines = source.rstrip("\n").split("\n")
    return tuple(Line(text, ways.get(number, "")) for number, text in enumerate(lines))


def listing_of(plan: Plan) -> tuple[Line, ...]:
    """The source of a case, with the ways of a misuse marked."""
    if plan.kind == "misuse":
        return mark_ways(plan.source)
    return tuple(map(Line, plan.source.rstrip().split("\n")))


def _tokens(source: str) -> list[_Token]:
    tokens = []
    line = 0
    for match in _TOKEN.finditer(source):
        if match["skip"] is None:
            tokens.append(_Token(match[0], line))
        line += match[0].count("\n")
    return tokens


def _mark_if(tokens: list[_Token], start: int, ways: dict[int, str]) -> None:
    condition = _after(tokens, start + 1)
    way = _way_of([token.text for token in tokens[start + 1 : condition]])
    if not way:
        return
    end = _statement_end(tokens, condition)
    _mark(tokens[start:end], way, ways)
    if end < len(tokens) and tokens[end].text == "else":
        _mark(tokens[end : _statement_end(tokens, end + 1)], RIGHT if way == WRONG else WRONG, ways)


def _mark_use(tokens: list[_Token], index: int, ways: dict[int, str]) -> None:
    """`wrong ? a : b`, or any other expression with `wrong` in it."""
    if index > 0 and tokens[index - 1].text == "bool":  # a parameter, not a use
        return
    if index + 1 == len(tokens) or tokens[index + 1].text != "?":
        ways.setdefault(tokens[index].line, BOTH)
        return
    colon = _branch_end(tokens, index + 2)
    first = {token.line for token in tokens[index:colon]}
    second = {token.line for token in tokens[colon : _branch_end(tokens, colon + 1)]}
    for line in first | second:
        ways.setdefault(line, BOTH if line in first & second else WRONG if line in first else RIGHT)


def _branch_end(tokens: list[_Token], index: int) -> int:
    """The index of what ends the branch of `?:` that begins at `index`."""
    depth = 0
    while index < len(tokens):
        text = tokens[index].text
        if depth == 0 and (text in _CLOSING or text in (":", ",", ";")):
            break
        depth += (text in _OPENING) - (text in _CLOSING)
        index += 1
    return index


def _way_of(condition: list[str]) -> str:
    if "wrong" not in condition:
        return ""
    before = condition[condition.index("wrong") - 1]
    return RIGHT if before == "!" else WRONG


def _mark(span: list[_Token], way: str, ways: dict[int, str]) -> None:
    """`} else {` belongs to the else; a line on which both ways do something is marked as both."""
    for token in span:
        held = ways.get(token.line)
        if held and held != way and span[0].text == "else" and token.line == span[0].line:
            does_something = any(t.line == token.line and t.text not in ("else", "{") for t in span)
            ways[token.line] = BOTH if does_something else way
        else:
            ways[token.line] = way


def _after(tokens: list[_Token], index: int) -> int:
    """The index behind the bracketed group that begins at `index` (an optional word before it is skipped)."""
    while index < len(tokens) and tokens[index].text not in _OPENING:
        index += 1
    depth = 0
    while index < len(tokens):
        depth += (tokens[index].text in _OPENING) - (tokens[index].text in _CLOSING)
        index += 1
        if depth == 0:
            break
    return index


def _statement_end(tokens: list[_Token], index: int) -> int:
    """The index behind the statement that begins at `index`."""
    if index >= len(tokens):
        return len(tokens)
    first = tokens[index].text
    if first == "{":
        return _after(tokens, index)
    if first in ("for", "while", "switch"):
        return _statement_end(tokens, _after(tokens, index))
    if first == "if":
        end = _statement_end(tokens, _after(tokens, index))
        has_else = end < len(tokens) and tokens[end].text == "else"
        return _statement_end(tokens, end + 1) if has_else else end
    depth = 0
    while index < len(tokens):
        text = tokens[index].text
        depth += (text in _OPENING) - (text in _CLOSING)
        index += 1
        if text == ";" and depth == 0:
            break
    return index
