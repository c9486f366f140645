"""Replay time against the number of sections, as SVG that stands in a page. Needs matplotlib."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from cudasem_reports.columns import Column
from cudasem_reports.pool_rows import ONE_GRAPH, SPLIT, VARIANTS, PoolRow, floats_word

MISSING = (
    "No plot: matplotlib is not installed here (pip install 'cudasem_reports[plots]'). "
    "The figures are in the tables below."
)
_MARKERS = ("x", "o", "s", "^", "v", "<", "D", "P")  # of VARIANTS, and of any other
_INK, _RULE = "#010203", "#010204"  # replaced by the page's own colours, as are those of the variants


SETTINGS: Any = {
    "svg.hashsalt": "cudasem",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.edgecolor": _RULE,
    "grid.color": _RULE,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.titlesize": 9.5,
}


def plot(found: Sequence[Column], rows: Sequence[PoolRow]) -> tuple[str, str]:
    """The SVG, or nothing and the reason why. Only sound times are drawn, always alike."""
    drawn = [row for row in rows if row.stage == "timing" and row.sound and row.sections and row.median_ms]
    if not drawn:
        return "", "No plot: no time with values equal to eager's."
    try:
        import matplotlib
        from matplotlib.figure import Figure
        from matplotlib.ticker import LogLocator
    except ImportError:
        return "", MISSING
    with matplotlib.rc_context(SETTINGS):
        figure = _figure(Figure, LogLocator, found, drawn)
        return page_svg(
            figure, "Median replay time against the number of sections, a line for each variant"
        ), ""


def _figure(figure_type: Any, locator: Any, found: Sequence[Column], drawn: Sequence[PoolRow]) -> Any:
    columns = [column for column in found if any(row.column is column for row in drawn)]
    sizes = sorted({row.floats for row in drawn}, key=lambda floats: floats or 0)
    variants = [*(v for v in VARIANTS if any(row.variant == v for row in drawn))]
    variants += sorted({row.variant for row in drawn} - set(variants))
    width = max(7.2, 1.0 + 3.1 * len(sizes))
    figure = figure_type(figsize=(width, 1.0 + 2.35 * len(columns)), layout="constrained")
    axes = figure.subplots(len(columns), len(sizes), sharex=True, sharey=True, squeeze=False)
    handles: dict[str, Any] = {}
    for line, column in zip(axes, columns, strict=True):
        for area, floats in zip(line, sizes, strict=True):
            part = [row for row in drawn if row.column is column and row.floats == floats]
            handles |= _facet(area, locator(subs=(1.0, 2.0, 5.0)), part, variants)
            area.set_title(
                ", ".join(w for w in (f"torch {column.name}", floats_word(floats)) if w), loc="left"
            )
        line[0].set_ylabel("ms a pass (median)")
    for area in axes[-1]:
        area.set_xlabel("sections (K)")
    counts = sorted({row.sections for row in drawn if row.sections})
    axes[0][0].set_xticks(counts, [str(count) for count in counts])
    figure.legend(
        [handles[variant] for variant in variants if variant in handles],
        [variant for variant in variants if variant in handles],
        loc="outside upper center",
        ncols=min(4, len(variants)),
        frameon=False,
    )
    return figure


def _facet(area: Any, ticks: Any, rows: Sequence[PoolRow], variants: Sequence[str]) -> dict[str, Any]:
    """A line a variant: solid after a warm-up, dashed and faint without one."""
    handles = {}
    area.set_xscale("log", base=2)
    area.set_yscale("log")
    area.yaxis.set_major_locator(ticks)
    area.yaxis.set_major_formatter("{x:g}")
    area.yaxis.minorticks_off()
    area.xaxis.minorticks_off()
    area.grid(True, which="major", linewidth=0.6)
    area.spines[["top", "right"]].set_visible(False)
    for variant in variants:
        number = VARIANTS.index(variant) if variant in VARIANTS else len(VARIANTS)
        for warmed in (False, True):
            mine = [row for row in rows if row.variant == variant and (row.warmed is not False) is warmed]
            by_count = sorted({row.sections: row for row in mine}.items(), key=lambda pair: pair[0] or 0)
            if not by_count:
                continue
            (handle,) = area.plot(
                [count for count, _ in by_count],
                [row.median_ms for _, row in by_count],
                color=line_colour(number),
                marker=_MARKERS[number],
                markersize=4 if warmed else 2.5,
                zorder=3 if variant in (SPLIT, ONE_GRAPH) else 2,
                linewidth=1.5 if warmed else 0.9,
                linestyle="-" if warmed else (0, (3, 2)),
            )
            if warmed or variant not in handles:
                handles[variant] = handle
    return handles


def line_colour(number: int) -> str:
    return f"#0103{number:02x}"


def page_svg(figure: Any, label: str) -> str:
    """A figure drawn with SETTINGS, for a page; `label` is what a screen reader says of it."""
    out = io.StringIO()
    metadata = {"Date": None, "Creator": None, "Type": None, "Format": None}
    figure.savefig(out, format="svg", transparent=True, metadata=metadata)
    return _for_page(out.getvalue(), label)


def _for_page(svg: str, label: str) -> str:
    """Without prolog and metadata, with the page's colours and no rule for the page around it."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", svg, flags=re.DOTALL)
    svg = svg.replace("'sans-serif'", "system-ui, sans-serif")
    svg = svg.replace(_INK, "var(--ink)").replace(_RULE, "var(--rule)")
    svg = re.sub(r"#0103(0[0-7])", lambda match: f"var(--line-{int(match[1])})", svg)
    svg = re.sub(
        r'(<svg[^>]*?) width="[^"]*"',
        r"\1",
        re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1),
        count=1,
    )
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}" stroke-linejoin="round"', 1)
