"""The pages themselves: HTML and Markdown say the same, stand alone, and withstand what a case printed."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from logs import LogBuilder, entry, error, every_outcome, fine, misuse, without_gpu
from pages import Page
from test_diff import two_runs

from cudasem_reports import diff, render, report
from cudasem_reports.listing import mark_ways
from cudasem_reports.read import load

GOLDEN = Path(__file__).parent / "golden"
TEMPLATES = Path(render.__file__).parent / "templates"


def report_page(tmp_path: Path, log: LogBuilder, form: str, beside: LogBuilder | None = None) -> str:
    run = report.view(load(log.write(tmp_path / "log.ndjson")))
    recorded = []
    if beside:
        other = load(beside.write(tmp_path / "beside.ndjson"))
        recorded.append(report.view(other, "recorded-1:", report.label_beside(other)))
    return render.render("report", form, run=run, recorded=recorded)


def diff_page(tmp_path: Path, form: str) -> str:
    old, new = two_runs(driver="590.1")
    before, after = load(old.write(tmp_path / "old.ndjson")), load(new.write(tmp_path / "new.ndjson"))
    return render.render("diff", form, diff=diff.view(before, after, "torch"))


def check_golden(name: str, page: str) -> None:
    """`CUDASEM_UPDATE_GOLDEN=1 pytest` writes the pages anew: read what changed before committing it."""
    path = GOLDEN / name
    if os.environ.get("CUDASEM_UPDATE_GOLDEN"):
        path.write_text(page, encoding="utf-8")
    assert page == path.read_text(encoding="utf-8")


def small_run() -> LogBuilder:
    log = LogBuilder()
    misuse(log, facts={"nodes": 3})
    log.case(
        "streams.order",
        "error",
        "regression",
        reason="expected ok, observed error",
        effects=[error("wait", 719, "CUDA error: unspecified | launch failure")],
        output={"stdout": "", "stderr": "[W] something\n"},
    )
    log.case("copies.peer", "skip", "skipped", detail="unsupported", text="needs 2 GPUs")
    return log.finish()


def test_the_markdown_of_a_small_run(tmp_path: Path) -> None:
    check_golden("report.md", report_page(tmp_path, small_run(), "md"))


def test_the_markdown_of_a_machine_without_a_gpu(tmp_path: Path) -> None:
    check_golden("report-beside.md", report_page(tmp_path, without_gpu(), "md", fine()))


def test_the_markdown_of_a_difference(tmp_path: Path) -> None:
    check_golden("diff.md", diff_page(tmp_path, "md"))


@pytest.mark.parametrize("make", [every_outcome, fine, without_gpu, small_run, LogBuilder])
def test_a_report_is_well_formed_and_loads_nothing(tmp_path: Path, make: type[LogBuilder]) -> None:
    page = Page(report_page(tmp_path, make(), "html", every_outcome()))
    assert all(link.startswith(("#", "https://")) for link in page.links)


def test_a_difference_is_well_formed_and_loads_nothing(tmp_path: Path) -> None:
    page = Page(diff_page(tmp_path, "html"))
    assert all(link.startswith(("#", "https://")) for link in page.links)


def test_every_link_within_a_page_leads_somewhere(tmp_path: Path) -> None:
    for html in (report_page(tmp_path, every_outcome(), "html", fine()), diff_page(tmp_path, "html")):
        page = Page(html)
        assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_html_and_markdown_list_the_same_ids(tmp_path: Path) -> None:
    log = every_outcome()
    planned = {event["id"] for event in log.events if event["event"] == "plan"}
    in_html = set(Page(report_page(tmp_path, log, "html")).codes)
    in_markdown = set(re.findall(r"`([^`\n]+)`", report_page(tmp_path, log, "md")))
    assert planned <= in_html
    assert planned <= in_markdown


def test_html_and_markdown_of_a_difference_list_the_same_ids(tmp_path: Path) -> None:
    compared = {e["id"] for log in two_runs() for e in log.events if e["event"] == "plan"} - {"mem_pool.*"}
    assert compared <= set(Page(diff_page(tmp_path, "html")).codes)
    markdown = diff_page(tmp_path, "md")
    assert compared <= set(re.findall(r"<code>([^<]+)</code>", markdown)) | set(
        re.findall(r"`([^`\n]+)`", markdown)
    )


def test_html_and_markdown_say_the_same_headline_notes_and_reasons(tmp_path: Path) -> None:
    html = "".join(Page(report_page(tmp_path, every_outcome(), "html")).text)
    markdown = report_page(tmp_path, every_outcome(), "md").replace("\\", "")
    for words in (
        "Not fine: 3 regressions, 6 missing, 1 changed, 1 flaky, 1 improvement",
        "GPU 1 was quarantined: error 719 after streams.gate",
        "uncompiled: error: no member named 'retain_pool'",
        "the host would have to wait for work that is only being recorded",
        "expected error, observed corrupt: quieter",
        "documented promise broken",
        "inferred",
        "2 of 3 attempts as expected",
        "cudasem run 'streams.gate'",
        "made 2 pools",
    ):
        assert words in html
        assert words in markdown


def test_what_a_case_prints_cannot_break_a_page(tmp_path: Path) -> None:
    nasty = '</pre></details><script>alert(1)</script> ``` | "quoted" \x00\x1b[31m \ud800 {{ 7 * 7 }} <!--'
    log = LogBuilder()
    plan = {
        "title": nasty,
        "source": nasty,
        "claims": [nasty],
        "links": ["javascript:alert(1)"],
        "expectation": entry("error", at=nasty, text=nasty, why=nasty, link="javascript:alert(2)"),
    }
    output = {"stdout": nasty, "stderr": nasty}
    log.case(
        "streams.a",
        "error",
        "changed",
        reason=nasty,
        plan=plan,
        effects=[error(nasty, None, nasty)],
        output=output,
    )
    path = tmp_path / "nasty.ndjson"
    path.write_bytes(b"".join(json.dumps(event).encode() + b"\n" for event in log.finish().events))
    view = report.view(load(path))
    (html_path, md_path) = render.write_pages(
        tmp_path, "nasty", "report", render.FORMATS, run=view, recorded=[]
    )
    html = html_path.read_text(encoding="utf-8")
    page = Page(html)
    assert html.count("<script>") == 1
    assert not any("javascript:" in link for link in page.links)
    markdown = md_path.read_text(encoding="utf-8")
    assert "<javascript:" not in markdown
    for text in (html, markdown):
        assert not re.search(r"[\x00-\x08\x0b-\x1f]", text)
        assert "49" not in text.replace("149", "")


def test_the_wrong_lines_are_marked_in_both(tmp_path: Path) -> None:
    html, markdown = (report_page(tmp_path, every_outcome(), form) for form in render.FORMATS)
    assert '<span class="line wrong"><span class="mark wrong">wrong</span>  if (wrong) replay(' in html
    assert "\n-   if (wrong) replay(" in markdown


def test_a_recorded_run_is_labelled_as_not_from_this_machine(tmp_path: Path) -> None:
    label = "Recorded run: not from this machine, 2026-11-30, NVIDIA H200, torch 2.14.1+cu130"
    assert f"<h2>{label}</h2>" in report_page(tmp_path, without_gpu(), "html", fine())
    assert f"\n## {label}\n" in report_page(tmp_path, without_gpu(), "md", fine())


def test_listings_in_markdown() -> None:
    assert render.listing_diff(mark_ways("if (wrong) f();\nif (!wrong) g();\nh();")) == (
        "```diff\n- if (wrong) f();\n+ if (!wrong) g();\n  h();\n```"
    )
    assert render.listing_diff(mark_ways("f(`a`);\n```")) == "````cpp\nf(`a`);\n```\n````"


def _colours(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", css))


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_colour_has_the_contrast_that_wcag_asks_for(scheme: str) -> None:
    light, dark = (TEMPLATES / "page.css").read_text().split("@media (prefers-color-scheme: dark)")
    colours = _colours(light if scheme == "light" else dark)
    pairs = [(name, name.removesuffix("-ground")) for name in colours if name.endswith("-ground")]
    pairs += [(ground, ink) for ground in ("ground", "raised", "code") for ink in ("ink", "soft", "link")]
    pairs += [
        (ground, ink) for ground in ("ground", "raised") for ink in ("good", "bad", "unsure", "changed")
    ]
    pairs += [(f"{name}-ground", ink) for name in ("wrong", "right", "changed") for ink in ("ink", "soft")]
    for ground, ink in pairs:
        assert _contrast(colours[ground], colours[ink]) >= 4.5, f"{ink} on {ground}"
