"""The pages of the pool-boundary study, its plot, and what the report of a run shows of it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from logs import LogBuilder, fine
from pages import Page
from pool_logs import ISOLATION, log_with, small_study, time, whole_study
from test_pages import check_golden, report_page
from test_pools import study_of

from cudasem_reports import pool_plot, render
from cudasem_reports.pools import Study


def page(study: Study, form: str) -> str:
    svg, no_plot = pool_plot.plot(study.columns, study.rows)
    return render.render("pools", form, study=study, svg=svg, no_plot=no_plot)


def test_the_markdown_of_a_small_study(tmp_path: Path) -> None:
    check_golden("pools.md", page(study_of(tmp_path, small_study(), small_study("2.13.0+cu130")), "md"))


@pytest.mark.parametrize("make", [small_study, whole_study, fine, lambda: log_with([time("split", None)])])
def test_the_page_is_well_formed_and_its_links_lead_somewhere(tmp_path: Path, make: type[LogBuilder]) -> None:
    html = Page(page(study_of(tmp_path, make()), "html"))
    assert {link[1:] for link in html.links} <= set(html.ids)


def test_sections_come_in_the_order_of_the_measurement(tmp_path: Path) -> None:
    study = study_of(tmp_path, small_study())
    html = "".join(Page(page(study, "html")).text)
    for text in (html, page(study, "md")):
        titles = (
            *(
                "Can the split path be one graph now?",
                "What this does not show",
                "The table",
                "1. Capture success",
            ),
            *("2. Lifetime", "3. The wrong replay order", "4. Replay time", "5. Limits", "The full table"),
        )
        places = [text.rindex(title) if title == "The table" else text.index(title) for title in titles[1:]]
        assert text.index(study.sentences[0][:20]) < places[0]
        assert places == sorted(places)


def test_both_forms_say_the_same(tmp_path: Path) -> None:
    study = study_of(tmp_path, whole_study())
    html, markdown = "".join(Page(page(study, "html")).text), page(study, "md").replace("\\", "")
    for words in (
        *study.sentences,
        *study.not_shown,
        ISOLATION,
        "don’t do this",
        "measure.wrong_replay_order",
    ):
        assert words in html
        assert words in markdown
    for row in study.rows:
        assert row.notes in html
        assert row.notes in markdown


def test_every_stage_without_rows_says_not_shown(tmp_path: Path) -> None:
    study = study_of(tmp_path, fine())
    for text in ("".join(Page(page(study, "html")).text), page(study, "md")):
        assert text.count("Not shown: no row.") == 5


def test_the_plot_is_the_same_every_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    study = study_of(tmp_path, whole_study(), whole_study("2.13.0+cu130"))
    svg, problem = pool_plot.plot(study.columns, study.rows)
    assert problem == ""
    assert pool_plot.plot(study.columns, study.rows) == (svg, "")
    assert not re.search(r"<metadata|<style|<\?xml|dc:date|#0103|#01020", svg)
    assert svg.count("torch 2.13.0, 1,024 floats") >= 1
    assert "var(--ink)" in svg


def test_only_times_with_equal_values_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = [time("split", 0.1), time("shared_pool_handle", 0.01, values_equal=False)]
    study = study_of(tmp_path, log_with(rows))
    svg, _ = pool_plot.plot(study.columns, study.rows)
    assert "split" in svg
    assert "shared_pool_handle" not in svg
    nothing = study_of(tmp_path, log_with(rows[1:]))
    assert pool_plot.plot(nothing.columns, nothing.rows) == (
        "",
        "No plot: no time with values equal to eager's.",
    )


def test_without_matplotlib_the_page_says_so_and_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    html = Page(page(study_of(tmp_path, whole_study()), "html"))
    text = "".join(html.text)
    assert "No plot: matplotlib is not installed here (pip install 'cudasem_reports[plots]')" in text
    assert "torch 2.14.1, 1,048,576 floats" in text


def test_the_report_of_a_run_shows_the_answer_and_links_to_the_case(tmp_path: Path) -> None:
    html = Page(report_page(tmp_path, small_study(), "html", small_study()))
    assert "#measure.wrong_replay_order" in html.links
    assert "#recorded-1:measure.wrong_replay_order" in html.links
    assert {link[1:] for link in html.links if link.startswith("#")} <= set(html.ids)
    markdown = report_page(tmp_path, small_study(), "md")
    for text in ("".join(html.text), markdown):
        assert "Can the split path be one graph now?" in text
        assert "The table" in text
    assert "Can the split path" not in report_page(tmp_path, fine(), "md")


def test_an_error_text_cannot_break_a_page(tmp_path: Path) -> None:
    nasty = "</td><script>alert(1)</script> | ``` \x00 \n second"
    rows = [time("split", None, captured=False, error=nasty, note=nasty)]
    study = study_of(tmp_path, log_with(rows))
    html, markdown = page(study, "html"), page(study, "md")
    Page(html)
    assert html.count("<script>") == 1
    assert not re.search(r"[\x00-\x08\x0b-\x1f]", html + markdown)
