"""A run in which cases print what would break a page that took text for anything but text."""

from __future__ import annotations

import json

from logs import LogBuilder, corrupt, entry, error

SCRIPT = (
    "</pre></script><script>window.broken = 'script'</script><img src=x onerror=\"window.broken = 'img'\">"
)
ANSI = "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07link\x1b]8;;\x07"
RIGHT_TO_LEFT = "allowed \u202edeined\u202c \u2067isolated\u2069 \u200fmark"
CONTROL = "nul \x00 bell \x07 delete \x7f next line \x85 separator \u2028"
TEMPLATE = "{{ 7 * 191 }} {% raw %} ${7 * 191} <!-- ]]> &amp; &lt;"
MARKDOWN = "``` ~~~ | # * _x_ [a](javascript:window.broken='md') <details> </details> \\"
LONE = "\ud800 alone"
TEXTS = (SCRIPT, ANSI, RIGHT_TO_LEFT, CONTROL, TEMPLATE, MARKDOWN, LONE)
LINE_OF_A_MEGABYTE = "x" * 1_000_000 + "the end"
NO_UTF8 = b"caf\xe9 \xff\xfe \xc3("


def hostile(torch: str = "2.14.1+cu130") -> bytes:
    """The log's bytes. Each text stands in every member that a case or its author writes."""
    log = LogBuilder(torch)
    for number, text in enumerate(TEXTS):
        about = {"title": text, "source": text, "claims": [text], "links": [text, "javascript:alert(1)"]}
        expected = entry("error", at=text, text=text, why=text, link="javascript:alert(1)")
        log.case(
            f"errors.text_{number}",
            "error",
            "changed",
            reason=text,
            plan=about | {"expectation": expected},
            effects=[error(text, None, text), corrupt(text, text, text)],
            facts={f"name {text}": text},
            warnings=[text],
            output={"stdout": text, "stderr": text},
        )
    flood = {"stdout": LINE_OF_A_MEGABYTE, "stderr": "NO UTF-8 HERE"}
    log.case("errors.flood", "error", "changed", effects=[error("x", 1, LINE_OF_A_MEGABYTE)], output=flood)
    log.case("errors.skipped", "skip", "skipped", detail="unsupported", text=SCRIPT)
    lines = [json.dumps(event).encode() + b"\n" for event in log.finish().events]
    return b"".join(lines).replace(b"NO UTF-8 HERE", NO_UTF8)
