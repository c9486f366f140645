"""C++ text cut into its top-level declarations, with the names that each declares and uses.

Good enough for the sources of this project, which clang-format has laid out: a declaration ends at a blank
line outside all brackets, and no name is declared by a macro.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
      (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
    | R"(?P<delimiter>[^(\s]*)\(.*?\)(?P=delimiter)"
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | :: | -> | [A-Za-z_]\w* | \w+
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_INCLUDE = re.compile(r'#include ([<"])([^>"]+)[>"]')
_NAMESPACE_EDGE = re.compile(
    r"namespace( cudasem)? \{$|\}  // namespace( cudasem)?$|using namespace cudasem;"
)
_NAME = re.compile(r"[A-Za-z_]\w*$")
_DECLARES_NEXT = {"class", "struct", "concept", "enum", "namespace"}
_OPENING, _CLOSING = {"(", "[", "{"}, {")", "]", "}"}


@dataclass(frozen=True)
class Block:
    text: str
    declares: frozenset[str]
    uses: frozenset[str]


@dataclass(frozen=True)
class Source:
    own_includes: tuple[str, ...]  # `support/gate.h`
    system_includes: tuple[str, ...]  # `c10/cuda/CUDAStream.h`
    blocks: tuple[Block, ...]


def cut(text: str) -> Source:
    """The includes and declarations of one file. Its first comment, guards and our namespaces are dropped."""
    own: list[str] = []
    system: list[str] = []
    lines: list[str] = []
    for line in text.split("\n"):
        include = _INCLUDE.match(line)
        if include:
            (own if include[1] == '"' else system).append(include[2])
        elif line != "#pragma once" and not _NAMESPACE_EDGE.match(line):
            lines.append(line)
        else:
            lines.append("")
    blocks = (block(chunk) for chunk in _chunks(lines))
    return Source(tuple(own), tuple(system), tuple(each for each in blocks if each.uses))


def block(text: str) -> Block:
    return Block(text, frozenset(_declared(text)), frozenset(used(text)))


def needed(blocks: Iterable[Block], wanted: Iterable[str]) -> list[Block]:
    """Those of `blocks` that declare a wanted name, or one that these use, in the order given."""
    names = set(wanted)
    left = list(dict.fromkeys(blocks))
    taken: set[Block] = set()
    while True:
        found = [each for each in left if each not in taken and each.declares & names]
        if not found:
            return [each for each in left if each in taken]
        for each in found:
            taken.add(each)
            names |= each.uses


def used(text: str) -> set[str]:
    """Names that stand alone or lead a chain: of `a::b` and `c.d` only `a` and `c`."""
    tokens = _tokens(text)
    return {
        token
        for index, token in enumerate(tokens)
        if _NAME.match(token) and (index == 0 or tokens[index - 1] not in (".", "->", "::"))
    }


def closing(text: str, start: int) -> int:
    """The index behind the bracket that closes the one at or after `start`."""
    depth = 0
    for match in _TOKEN.finditer(text, start):
        depth += (match[0] in _OPENING) - (match[0] in _CLOSING)
        if depth == 0 and match[0] in _CLOSING:
            return match.end()
    return len(text)


def _tokens(text: str) -> list[str]:
    return [match[0] for match in _TOKEN.finditer(text) if match["skip"] is None]


def _chunks(lines: list[str]) -> Iterable[str]:
    chunk: list[str] = []
    for line in [*lines, ""]:
        if line or _depth(chunk):
            chunk.append(line)
        elif chunk:
            yield "\n".join(chunk)
            chunk = []


def _depth(lines: list[str]) -> int:
    tokens = _tokens("\n".join(lines))
    return sum((token in _OPENING) - (token in _CLOSING) for token in tokens)


def _declared(text: str) -> Iterable[str]:
    """What stands outside all brackets before one of `( = { ;`, and what follows `class` and its like.

    A member's definition, `Gate::open()`, declares `Gate`: who needs the class needs it.
    """
    tokens = _tokens(text)
    if tokens[:2] == ["#", "define"]:
        yield tokens[2]
        return
    depth = 0
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else ""
        if depth == 0 and token in ("(", "=", "{", ";") and _NAME.match(before):
            yield _chain_start(tokens, index - 1) if token in ("(", "{") else before
        if depth == 0 and token in _DECLARES_NEXT and index + 1 < len(tokens):
            yield tokens[index + 1]
        depth += (token in _OPENING) - (token in _CLOSING)


def _chain_start(tokens: list[str], index: int) -> str:
    """`Gate` of `Gate::open` and of `Gate::~Gate`."""
    while index >= 2 and tokens[index - 1] in ("::", "~"):
        index -= 1 if tokens[index - 1] == "~" else 2
        index -= tokens[index] == "::"
    return tokens[index]
