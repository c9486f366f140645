"""Runs of very many cases, as large in each as recorded ones are."""

from __future__ import annotations

from typing import Any

from logs import LogBuilder, entry, error

AREAS = ("allocator", "capture", "copies", "errors", "random", "replay", "shared_pool", "streams")
SOURCE = "".join(
    f"  Tensor step_{line} = full(float({line}));  // what this line is for\n" for line in range(16)
)


def many(cases: int, torch: str = "2.14.1+cu130", bad: int = 0, **options: Any) -> LogBuilder:
    """Every second case a misuse that is refused; the first `bad` cases hold no longer."""
    log = LogBuilder(torch, **options)
    for number in range(cases):
        case = f"{AREAS[number % len(AREAS)]}.a_fact_that_has_a_name_of_usual_length_{number}"
        about = {"title": f"A sentence from which a stranger can tell what happens in case number {number}"}
        if number < bad:
            effects = [error("wait", 719, "CUDA error: unspecified launch failure")]
            log.case(case, "error", "regression", reason="expected ok", plan=about, effects=effects)
        elif number % 2:
            log.case(case, plan=about | {"source": f"CASE({case}) {{\n{SOURCE}}}\n"})
        else:
            source = f"MISUSE({case}) {{\n{SOURCE}  if (wrong) step_1.item();\n}}\n"
            about["source"] = source
            wrong = about | {"expectation": entry("error", at="item", code=900)}
            log.case(f"{case}/wrong", "error", kind="misuse", plan=wrong, effects=[error("item")])
            log.case(f"{case}/right", kind="misuse", plan=about)
    return log.finish()
