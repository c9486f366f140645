"""Typed access to the members of one JSON object of a log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


class FieldError(Exception):
    """A member is missing or of another type than INTERPRETING.md section 8 says."""


class Fields:
    """One JSON object. An absent or null member gives the default, one of another type a FieldError."""

    def __init__(self, members: Json, what: str) -> None:
        self._members = members
        self._what = what

    def _get(self, name: str, kinds: tuple[type, ...], expected: str) -> Any:
        value = self._members.get(name)
        if value is None:
            return None
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise FieldError(f"`{name}` of {self._what}: expected {expected}, found {_short(value)}")
        return value

    def need(self, name: str) -> str:
        """A text that must be there and not be empty."""
        value = self.text(name)
        if not value:
            raise FieldError(f"`{name}` of {self._what}: expected a text, found nothing")
        return value

    def text(self, name: str, default: str = "") -> str:
        value = self._members.get(name)
        if type(value) is str:  # nearly always: a large log has millions
            return value
        value = self._get(name, (str,), "a text")
        return default if value is None else str(value)

    def integer(self, name: str) -> int | None:
        value = self._get(name, (int,), "a whole number")
        return None if value is None else int(value)

    def number(self, name: str) -> float | None:
        value = self._get(name, (int, float), "a number")
        return None if value is None else float(value)

    def flag(self, name: str) -> bool:
        return bool(self._get(name, (bool,), "true or false") or False)

    def known_flag(self, name: str) -> bool | None:
        """As `flag`, with None where nothing is said."""
        value = self._get(name, (bool,), "true or false")
        return None if value is None else bool(value)

    def texts(self, name: str) -> tuple[str, ...]:
        values = self._get(name, (list,), "a list of texts") or []
        if not all(isinstance(value, str) for value in values):
            raise FieldError(f"`{name}` of {self._what}: expected a list of texts, found {_short(values)}")
        return tuple(values)

    def mapping(self, name: str) -> Json:
        return self._get(name, (dict,), "an object") or {}

    def nested(self, name: str) -> Fields:
        return Fields(self.mapping(name), f"`{name}` of {self._what}")

    def objects(self, name: str) -> tuple[Fields, ...]:
        values = self._get(name, (list,), "a list of objects") or []
        if not all(isinstance(value, dict) for value in values):
            raise FieldError(f"`{name}` of {self._what}: expected a list of objects, found {_short(values)}")
        return tuple(Fields(value, f"`{name}` of {self._what}") for value in values)

    def has(self, name: str) -> bool:
        return self._members.get(name) is not None

    @property
    def raw(self) -> Json:
        return self._members


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "…"
