"""Reads an event log, plain or gzip, whole or cut anywhere by a killed run."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

from cudasem_reports.fields import FieldError, Fields
from cudasem_reports.model import (
    KINDS,
    OUTCOMES,
    SCHEMA,
    VERDICTS,
    Attempt,
    Effect,
    Expectation,
    Expected,
    Explained,
    Gpu,
    GpuState,
    Judged,
    Log,
    Machine,
    Observed,
    Plan,
    Result,
    Run,
    Subject,
    TableRow,
    Waiver,
)

_GZIP_MAGIC = b"\x1f\x8b"


class LogError(Exception):
    """A log that cannot be read: one line with the file, what was expected, what was found, what to do."""


def load(path: Path) -> Log:
    """Reads one log. Raises LogError."""
    if path.is_dir():
        raise LogError(f"{path}: expected an event log (.ndjson, .ndjson.gz), found a directory; name a log")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise LogError(
            f"{path}: expected an event log, no such file found; `cudasem run` writes one"
        ) from None
    except OSError as error:
        raise LogError(f"{path}: expected a readable event log, found: {error.strerror}; check it") from error
    return parse(data, str(path))


def parse(data: bytes, path: str) -> Log:
    """The same from memory, plain or gzip by the first bytes; `path` is for messages. Raises LogError."""
    if data.startswith(_GZIP_MAGIC):
        data = _gunzip(path, data)
    if not data.strip():
        raise LogError(
            f"{path}: expected an event log, found nothing in it; the run was killed at its start: run again"
        )
    events = _Events(path)
    for number, event in _lines(path, data):
        try:
            events.take(event)
        except FieldError as error:
            raise LogError(
                f"{path}:{number}: {error}; it does not follow INTERPRETING.md section 8: record it again"
            ) from error
    return events.log()


def _gunzip(path: str, data: bytes) -> bytes:
    """Everything that can be had from a gzip file of one or more members; the last may be cut."""
    out = []
    while data.startswith(_GZIP_MAGIC):
        member = zlib.decompressobj(wbits=31)
        try:
            out.append(member.decompress(data))
        except zlib.error as error:
            raise LogError(
                f"{path}: expected a gzip file, found a damaged one ({error}); take another copy of it"
            ) from error
        data = member.unused_data
    return b"".join(out)


def _lines(path: str, data: bytes) -> list[tuple[int, Fields]]:
    """Line numbers with their events. A last line without its newline is torn, whatever it says: ignored."""
    lines = data.split(b"\n")
    torn_allowed = len(lines)  # empty where the data ends in a newline
    events: list[tuple[int, Fields]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if number == torn_allowed and events:
            break
        try:
            value: Any = json.loads(_text(line))
        except (ValueError, RecursionError):
            raise _broken(path, number, line, bool(events)) from None
        if not isinstance(value, dict) or not isinstance(value.get("event"), str):
            raise _broken(path, number, line, bool(events))
        if not events:
            _check_first(path, value)
        if value["event"] == "run":
            _check_schema(path, number, value)
        events.append((number, Fields(value, f"event `{value['event']}`")))
    return events


def _text(line: bytes) -> str:
    """A byte that is no UTF-8, out of what a case printed, stays to be seen and costs nothing else."""
    return line.decode("utf-8", "surrogateescape")


def _broken(path: str, number: int, line: bytes, after_events: bool) -> LogError:
    shown = line[:40].decode("utf-8", "replace").encode("unicode_escape").decode("ascii")
    if not after_events:
        return LogError(
            f"{path}:{number}: expected an event log that begins with the event `run`, found `{shown}`; "
            "name the .ndjson that `cudasem run` wrote"
        )
    return LogError(
        f"{path}:{number}: expected one JSON object with the member `event`, found `{shown}`; "
        "the log was damaged after it was written: take another copy of it, or record it again"
    )


def _check_first(path: str, event: dict[str, Any]) -> None:
    if event["event"] != "run":
        raise LogError(
            f"{path}:1: expected the event `run` first, found `{event['event'][:40]}`; "
            "the log's beginning is lost: take another copy of it"
        )


def _check_schema(path: str, number: int, event: dict[str, Any]) -> None:
    schema = event.get("schema")
    if not isinstance(schema, int) or isinstance(schema, bool):
        raise LogError(f"{path}:{number}: expected a number as `schema` of the event `run`, found {schema!r}")
    if schema < 1:
        raise LogError(f"{path}:{number}: expected a number from 1 on as `schema`, found {schema}")
    if schema > SCHEMA:
        raise LogError(
            f"{path}:{number}: expected schema {SCHEMA} or older, found {schema}; "
            "a newer cudasem wrote it: read it with that one"
        )


class _Events:
    """Collects events; a later one about the same key (resumed, another attempt) replaces an earlier one."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.run: Run | None = None
        self.machine = Machine()
        self.subject = Subject()
        self.plans: dict[str, Plan] = {}
        self.begun: set[str] = set()
        self.ended: dict[str, Observed] = {}
        self.attempts: dict[str, list[Attempt]] = {}
        self.explained: dict[str, list[Explained]] = {}
        self.judged: dict[str, Judged] = {}
        self.gpu_states: list[GpuState] = []
        self.finish: tuple[int | None, float | None] | None = None

    def take(self, event: Fields) -> None:
        match event.raw["event"]:
            case "run":
                self._begin_run(_run(event))
            case "machine":
                self.machine = _machine(event)
            case "subject":
                self.subject = _subject(event)
            case "plan":
                plan = _plan(event)
                self.plans[plan.key] = plan
            case "begin":
                self.begun.add(self._planned(event))
            case "end" if event.text("how") == "shuffle":
                pass  # compared with others by --stress, and never judged
            case "end":
                self._take_end(event)
            case "explain":
                self.explained.setdefault(self._planned(event), []).append(_explained(event))
            case "verdict":
                self.judged[self._planned(event)] = _judged(event)
            case "gpu":
                self.gpu_states.append(
                    GpuState(event.integer("index") or 0, event.text("state"), event.text("cause"))
                )
            case "finish":
                self.finish = (event.integer("exit"), event.number("t_ms"))

    def _begin_run(self, run: Run) -> None:
        """A second one with the same id resumes the first, whose fields count."""
        if self.run is not None and run.id != self.run.id:
            raise FieldError(
                f"expected one run, found a second one, `{run.id}`, in the log of `{self.run.id}`"
            )
        self.run = self.run or run
        self.finish = None

    def _planned(self, event: Fields) -> str:
        key = event.need("key")
        if key not in self.plans:
            raise FieldError(f"expected a `plan` before this `{event.raw['event']}`, found none of `{key}`")
        return key

    def _take_end(self, event: Fields) -> None:
        how = event.text("how")
        if how == "shuffle":  # of `--stress`: never judged
            return
        key, observed = self._planned(event), _observed(event)
        self.ended[key] = observed
        self.attempts.setdefault(key, []).append(Attempt(observed.outcome, how))

    def log(self) -> Log:
        if self.run is None:
            raise LogError(f"{self.path}: expected the event `run`, found none; the log's beginning is lost")
        exit_code, t_ms = self.finish or (None, None)
        return Log(
            path=self.path,
            run=self.run,
            machine=self.machine,
            subject=self.subject,
            results=tuple(self._result(plan) for plan in self.plans.values()),
            gpu_states=tuple(self.gpu_states),
            finished=self.finish is not None,
            exit=exit_code,
            t_ms=t_ms,
        )

    def _result(self, plan: Plan) -> Result:
        observed = self.ended.get(plan.key)
        if observed is None:
            began = plan.key in self.begun
            reason = "the run ended while this case ran" if began else "the run ended before this case began"
            return Result(plan, Observed("missing"), Judged("missing", reason))
        not_judged = Judged(
            "missing", "the run ended before this result was judged; `cudasem judge` judges it"
        )
        judged = self.judged.get(plan.key, not_judged)
        explained = tuple(self.explained.get(plan.key, ()))
        return Result(plan, observed, judged, tuple(self.attempts[plan.key]), explained)


def _word(event: Fields, name: str, vocabulary: tuple[str, ...]) -> str:
    word = event.need(name)
    if word not in vocabulary:
        raise FieldError(f"`{name}`: expected one of {', '.join(vocabulary)}, found `{word[:40]}`")
    return word


def _run(event: Fields) -> Run:
    return Run(
        id=event.text("id"),
        utc=event.text("utc"),
        profile=event.text("profile", "native"),
        tool=event.text("tool"),
        argv=event.texts("argv"),
        seed=_as_text(event.raw.get("seed")),
        shard=_as_text(event.raw.get("shard")),
        expected_hash=event.text("expected_hash"),
        judged_from=event.text("judged_from"),
    )


def _machine(event: Fields) -> Machine:
    gpus = tuple(
        Gpu(
            index=gpu.integer("index") or 0,
            name=gpu.text("name"),
            cc=gpu.text("cc"),
            memory_mib=int(gpu.number("memory_MiB") or 0),
            ecc=gpu.flag("ecc"),
            mig=gpu.flag("mig"),
        )
        for gpu in event.objects("gpus")
    )
    return Machine(event.text("os"), event.text("driver"), gpus, event.text("error"))


def _subject(event: Fields) -> Subject:
    return Subject(
        torch=event.text("torch"),
        git=event.text("git"),
        cuda_build=event.text("cuda_build"),
        cuda_runtime=event.text("cuda_runtime"),
        compiler=event.text("compiler"),
        env={name: _as_text(value) for name, value in event.mapping("env").items()},
    )


def _plan(event: Fields) -> Plan:
    needs = event.nested("needs")
    gpus = needs.integer("gpus")
    case_id = event.need("id")
    return Plan(
        key=event.need("key"),
        id=case_id,
        case=event.text("case") or case_id.partition("/")[0],
        way=event.text("way"),
        profile=event.text("profile", "native"),
        hash=event.text("hash"),
        kind=_word(event, "kind", KINDS) if event.text("kind") else "rule",
        title=event.text("title"),
        claims=event.texts("claims"),
        links=event.texts("links"),
        needs_gpus=1 if gpus is None else gpus,
        needs_features=needs.texts("features"),
        isolation=event.text("isolation"),
        time_limit_s=event.number("time_limit_s"),
        file=event.text("file"),
        line=event.integer("line") or 0,
        source=event.text("source"),
        expectation=_expectation(event.nested("expectation")) if event.has("expectation") else None,
    )


_OK_BY_DEFAULT = Expectation((Expected("ok"),))


def _expectation(entry: Fields) -> Expectation:
    if entry.raw == {"outcome": "ok", "where": "default"}:
        return _OK_BY_DEFAULT
    options = entry.objects("one_of") or (entry,)
    return Expectation(
        allowed=tuple(_expected(option) for option in options),
        where=entry.text("where", "default"),
        facts=dict(entry.mapping("facts")),
        warning=entry.text("warning"),
        why=entry.text("why"),
        link=entry.text("link"),
        evidence=entry.text("evidence"),
        conditions=dict(entry.mapping("conditions")),
        bug=entry.flag("bug"),
        review_by=_as_text(entry.raw.get("review_by")),
    )


def _expected(entry: Fields) -> Expected:
    return Expected(
        outcome=_word(entry, "outcome", OUTCOMES),
        at=entry.text("at"),
        type=entry.text("type"),
        code=entry.integer("code"),
        text=entry.text("text"),
        signal=entry.text("signal"),
        exit=entry.integer("exit"),
        want=_as_text(entry.raw.get("want")),
        got=_as_text(entry.raw.get("got")),
        detail=entry.text("detail"),
        memory_class=entry.text("class"),
        then=tuple(_expected(effect) for effect in entry.objects("then")),
    )


def _observed(event: Fields) -> Observed:
    output = event.nested("output")
    return Observed(
        outcome=_word(event, "outcome", OUTCOMES),
        detail=event.text("detail"),
        at=event.text("at"),
        text=event.text("text"),
        effects=tuple(_effect(effect) for effect in event.objects("effects")),
        facts=dict(event.mapping("facts")),
        rows=tuple(TableRow(row.need("table"), dict(row.mapping("cells"))) for row in event.objects("rows")),
        warnings=event.texts("warnings"),
        signal=event.text("signal"),
        exit=event.integer("exit"),
        ms=event.number("ms"),
        stdout=output.text("stdout"),
        stderr=output.text("stderr"),
        dirt=event.texts("dirt"),
        stacks=_as_text(event.raw.get("stacks")),
    )


def _explained(event: Fields) -> Explained:
    return Explained(
        how=event.text("how"),
        outcome=_word(event, "outcome", OUTCOMES),
        text=event.text("text"),
        output=_as_text(event.raw.get("output")),
    )


def _effect(effect: Fields) -> Effect:
    text = effect.text("text")
    return Effect(
        outcome=_word(effect, "outcome", OUTCOMES),
        at=effect.text("at"),
        type=effect.text("type"),
        code=effect.integer("code"),
        text=text,
        normalised=effect.text("normalised", text),
        memory_class=effect.text("class"),
        want=_as_text(effect.raw.get("want")),
        got=_as_text(effect.raw.get("got")),
        setup=effect.flag("setup"),
        detail=effect.text("detail"),
    )


def _judged(event: Fields) -> Judged:
    verdict = _word(event, "verdict", VERDICTS)
    waived = event.nested("waived")
    return Judged(
        verdict,
        event.text("reason"),
        event.integer("k"),
        event.integer("n"),
        Waiver(waived.text("owner"), waived.text("link"), waived.text("expires"))
        if event.has("waived")
        else None,
    )


def _as_text(value: object) -> str:
    """Numbers and texts alike, as the log may hold either."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
