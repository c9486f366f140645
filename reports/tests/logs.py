"""Builds event logs as INTERPRETING.md section 8 describes them, for tests that need no GPU."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

H200: Json = {
    "index": 0,
    "name": "NVIDIA H200",
    "cc": "9.0",
    "memory_MiB": 143771,
    "ecc": True,
    "mig": False,
}

ITEM_SOURCE = """MISUSE(capture, item_inside,
       .title = "item() inside a capture is refused and loses the capture",
       .claims = {"cap.sync.item"}) {
  Tensor x = gpu_tensor(2);
  at::cuda::CUDAGraph graph;
  const c10::cuda::CUDAStreamGuard capturing(capture_stream());
  graph.capture_begin();
  if (wrong) attempt("item", [&] { x.item(); });  // don't: the host would have to wait
  attempt("capture_end", [&] { graph.capture_end(); });
}
"""


class LogBuilder:
    """Events in the order in which a run writes them. Times are fixed, so that pages can be compared."""

    def __init__(
        self,
        torch: str = "2.14.1+cu130",
        gpus: list[Json] | None = None,
        driver: str = "580.159.03",
        cuda: str = "13.0",
        profile: str = "native",
        utc: str = "2026-11-30T02:15:00Z",
        schema: int = 1,
        run_id: str = "7f3a",
    ) -> None:
        self.torch = torch
        self.profile = profile
        self.events: list[Json] = []
        self.counts: dict[str, int] = {}
        self.t_ms = 0
        gpus = [H200] if gpus is None else gpus
        self.add(
            event="run",
            schema=schema,
            id=run_id,
            argv=["cudasem", "run"],
            tool="0.1.0",
            seed=1,
            shard="1/1",
            expected_hash="aa00",
            utc=utc,
            profile=profile,
        )
        error = "" if gpus else "no NVIDIA device"
        self.add(event="machine", os="Linux 6.8", driver=driver if gpus else "", gpus=gpus, error=error)
        self.add(
            event="subject",
            torch=torch,
            git="0a1b2c3",
            cuda_build="13.0",
            cuda_runtime=cuda,
            compiler="GCC 13.3",
            binaries={"capture": "99aa"},
            env={"CUDA_MODULE_LOADING": "LAZY"},
        )

    def add(self, **event: Any) -> None:
        self.events.append(event)

    def key(self, case_id: str) -> str:
        return f"{case_id} | torch {self.torch} | {self.profile}"

    def plan(self, case_id: str, kind: str = "rule", **fields: Any) -> str:
        case, _, way = case_id.partition("/")
        area = case.partition(".")[0]
        event: Json = {
            "event": "plan",
            "key": self.key(case_id),
            "id": case_id,
            "case": case,
            "way": way or None,
            "profile": self.profile,
            "hash": "5e0c0b0e6d1f9a77",
            "kind": kind,
            "title": f"{case} shows one fact",
            "claims": [f"{area}.claim"],
            "links": [],
            "needs": {"gpus": 1, "features": [], "caching": False},
            "isolation": "process",
            "time_limit_s": 10,
            "file": f"cases/{area}/topic.cpp",
            "line": 6,
            "source": f'CASE({case.replace(".", ", ")}, .title = "…") {{\n  f();\n}}\n',
            "expectation": {"outcome": "ok", "where": "default"},
        }
        self.add(**(event | fields))
        return self.key(case_id)

    def begin(self, key: str, attempt: int = 1) -> None:
        self.t_ms += 100
        self.add(event="begin", key=key, attempt=attempt, pid=100 + attempt, gpu=0, t_ms=self.t_ms)

    def end(self, key: str, outcome: str = "ok", attempt: int = 1, **fields: Any) -> None:
        self.t_ms += 100
        effects = fields.get("effects", [])
        event: Json = {
            "event": "end",
            "key": key,
            "attempt": attempt,
            "outcome": outcome,
            "detail": "",
            "at": effects[0].get("at", "") if effects else "",
            "text": effects[0].get("text", "") if effects else "",
            "effects": effects,
            "facts": {},
            "warnings": [],
            "signal": None,
            "exit": 0,
            "ms": 40,
            "output": {"stdout": "", "stderr": ""},
            "t_ms": self.t_ms,
        }
        self.add(**(event | fields))

    def verdict(
        self,
        key: str,
        verdict: str = "as_expected",
        reason: str = "",
        k: int = 1,
        n: int = 1,
        waived: Json | None = None,
    ) -> None:
        counted = "waived" if waived else verdict
        self.counts[counted] = self.counts.get(counted, 0) + 1
        more = {"waived": waived} if waived else {}
        self.add(event="verdict", key=key, verdict=verdict, reason=reason, k=k, n=n, **more)

    def case(
        self,
        case_id: str,
        outcome: str = "ok",
        verdict: str = "as_expected",
        *,
        kind: str = "rule",
        reason: str = "",
        plan: Json | None = None,
        **end: Any,
    ) -> str:
        """One planned case with its end and verdict; a skip and a missing one have no `begin`."""
        key = self.plan(case_id, kind, **(plan or {}))
        if outcome not in ("skip", "missing"):
            self.begin(key)
        self.end(key, outcome, **end)
        self.verdict(key, verdict, reason)
        return key

    def finish(self, exit_code: int | None = None) -> LogBuilder:
        if exit_code is None:
            exit_code = 1 if set(self.counts) - {"as_expected", "skipped", "waived"} else 0
        self.add(event="finish", counts=self.counts, exit=exit_code, t_ms=self.t_ms + 100)
        return self

    def data(self) -> bytes:
        return b"".join(json.dumps(event, ensure_ascii=False).encode() + b"\n" for event in self.events)

    def write(self, path: Path) -> Path:
        data = self.data()
        path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
        return path


def error(at: str, code: int | None = 900, text: str = "CUDA error: operation not permitted") -> Json:
    effect: Json = {"outcome": "error", "at": at, "type": "c10::AcceleratorError", "text": text + "\nhelp"}
    return effect | ({"code": code} if code is not None else {"type": "c10::Error"}) | {"normalised": text}


def corrupt(at: str, want: str, got: str, memory_class: str = "overwritten") -> Json:
    return {"outcome": "corrupt", "at": at, "class": memory_class, "want": want, "got": got}


def entry(outcome: str, line: int = 14, area: str = "capture", **fields: Any) -> Json:
    return {
        "outcome": outcome,
        "where": f"expected/{area}.toml:{line}",
        "conditions": {"torch": ">=2.11"},
        "evidence": "measured",
        "why": "the host would have to wait for work that is only being recorded",
        "link": "https://docs.nvidia.com/cuda/cuda-programming-guide/",
    } | fields


ITEM_EXPECTED = entry(
    "error", at="item", code=900, then=[{"outcome": "error", "at": "capture_end", "code": 901}]
)


def misuse(log: LogBuilder, case: str = "capture.item_inside", **fields: Any) -> None:
    """A misuse that shows what is expected on both ways."""
    title = {"title": "item() inside a capture is refused and loses the capture", "source": ITEM_SOURCE}
    log.case(
        f"{case}/wrong",
        "error",
        kind="misuse",
        plan=title | {"expectation": ITEM_EXPECTED},
        effects=[error("item"), error("capture_end", 901, "CUDA error: capture was invalidated")],
        **fields,
    )
    log.case(f"{case}/right", kind="misuse", plan=title)


def every_outcome() -> LogBuilder:
    """A run with every outcome, every detail and every verdict."""
    log = LogBuilder(gpus=[H200, H200 | {"index": 1}])
    misuse(log, warnings=["The CUDA Graph is empty."], facts={"nodes": 3})
    replay_source = {
        "source": "MISUSE(shared_pool, replayed_again) {\n  if (wrong) replay(early);\n  expect(y);\n}\n"
    }
    log.case(
        "shared_pool.replayed_again/wrong",
        "ok",
        "changed",
        kind="misuse",
        reason="expected corrupt, observed ok",
        plan=replay_source
        | {"expectation": entry("corrupt", 8, "shared_pool", want="20", got="2", evidence="inferred")},
    )
    log.case("shared_pool.replayed_again/right", kind="misuse", plan=replay_source)
    log.case(
        "shared_pool.order/wrong",
        "corrupt",
        "regression",
        kind="misuse",
        reason="expected error, observed corrupt: quieter",
        plan={"expectation": entry("error", 20, "shared_pool", at="replay", code=1)},
        effects=[corrupt("second", "20", "2")],
        facts={"pools": 2},
    )
    log.case(
        "shared_pool.order/right",
        "fail",
        "regression",
        kind="misuse",
        reason="expected ok, observed fail (setup)",
        detail="setup",
        effects=[
            {"outcome": "fail", "at": "cases/shared_pool/topic.cpp:9", "setup": True, "text": "pool is new"}
        ],
        output={"stdout": "made 2 pools\n", "stderr": "\x1b[31mwarning\x1b[0m: a <b>tag</b> & | ``` \x00\n"},
    )
    log.case(
        "streams.order",
        "ok",
        "improvement",
        reason="expected error, observed ok",
        plan={
            "expectation": entry("error", 3, "streams", at="wait", code=1, bug=True, review_by="2027-06-01")
        },
    )
    log.case(
        "streams.destructor/wrong",
        "crash",
        kind="misuse",
        plan={
            "expectation": entry("crash", 9, "streams", signal="SIGABRT", at="destroy", text="still open"),
            "source": "MISUSE(streams, destructor) {\n  if (!wrong) close();\n}\n",
        },
        at="destroy",
        text="what(): still open",
        signal="SIGABRT",
        exit=None,
    )
    log.case(
        "streams.gate",
        "hang",
        "regression",
        reason="expected ok, observed hang",
        at="synchronize",
        text="no progress",
        signal="SIGKILL",
        exit=None,
    )
    key = log.plan("random.seed")
    for attempt, outcome in enumerate(("ok", "error", "ok"), start=1):
        log.begin(key, attempt)
        log.end(key, outcome, attempt, effects=[error("draw", 719)] if outcome == "error" else [])
    log.verdict(key, "flaky", "2 of 3 attempts as expected", 2, 3)
    one_of = {"one_of": [{"outcome": "ok"}, {"outcome": "corrupt", "want": "1", "got": "any"}]}
    race = {key: value for key, value in entry("ok", 30, "streams").items() if key != "outcome"} | one_of
    log.case(
        "streams.race",
        "corrupt",
        kind="observe",
        plan={"expectation": race},
        effects=[corrupt("y", "1", "3")],
    )
    log.case("measure.pools", kind="measure", facts={"median_ms": 1.5, "note": "a | b", "reserved_MiB": 6})
    for name, detail, text in (
        ("needs_four", "unsupported", "needs 4 GPUs"),
        ("needs_memory", "resource", "needs 40000 MiB free"),
        ("harmful", "harmful", "would disturb others"),
    ):
        log.case(f"copies.{name}", "skip", "skipped", detail=detail, text=text)
    foretold = {"expectation": entry("skip", 5, "copies", detail="unsupported")}
    log.case("copies.foretold", "skip", plan=foretold, detail="unsupported", text="needs peer access")
    for detail in ("no_begin", "silent", "protocol", "device_lost", "deadline"):
        log.case(f"errors.{detail}", "missing", "missing", reason="no result", detail=detail)
    uncompiled = "error: no member named 'retain_pool'"
    log.case("mem_pool.*", "missing", "missing", detail="uncompiled", text=uncompiled)
    log.add(event="gpu", index=1, state="quarantined", cause="error 719 after streams.gate")
    return log.finish()


def fine(torch: str = "2.14.1+cu130", **options: Any) -> LogBuilder:
    """A small run on which all is as expected."""
    log = LogBuilder(torch, **options)
    misuse(log)
    log.case("streams.order")
    return log.finish()


def without_gpu() -> LogBuilder:
    """A run on a machine that has none: one host-only case ran."""
    log = LogBuilder(gpus=[])
    log.case("factories.host", plan={"needs": {"gpus": 0, "features": [], "caching": False}})
    for name in ("a", "b"):
        log.case(f"streams.{name}", "skip", "skipped", detail="unsupported", text="needs 1 GPU")
    log.case("streams.pair", "skip", "skipped", detail="unsupported", text="needs 2 GPUs")
    return log.finish()
