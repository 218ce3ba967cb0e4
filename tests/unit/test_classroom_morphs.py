"""Finding a point of equality by hand on the lesson's morph slider; pictures beside each other."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
import pytest

import biaslab as bl
from biaslab.errors import QueryError
from biaslab.probes.psychometrics.morphed_model import MorphedModel
from harness.deferred import Deferred
from harness.heavy import ipywidgets
from harness.seeing_models import by_stimulus

classroom = Deferred("biaslab_widgets.classroom")

PLANTED = (0.62, 0.71, 0.56, 0.68)
NEVER = -1.0


pytestmark = pytest.mark.usefixtures("closed_widgets")


def by_hand(planted: tuple[float, ...] = PLANTED, portraits: int = 3) -> classroom.MorphByHand:
    morphs = bl.images.DrawnMorphs(observers=len(planted), size=32)
    model = MorphedModel(by_stimulus({"nurse": np.array(planted)}, 0.05), morphs)
    return classroom.MorphByHand(
        model, bl.two_afc(model, ["nurse"], ("woman", "man")), portraits=portraits
    )


def told(widget: Any) -> str:
    if isinstance(widget, ipywidgets.HTML):
        return str(widget.value)
    return "\n".join(told(child) for child in getattr(widget, "children", ()))


def test_the_planted_points_are_found_and_then_the_curve_is_shown() -> None:
    searched = by_hand()
    for place in PLANTED[:3]:
        assert "<svg" not in told(searched)
        searched.move(place)
        assert searched.answer() == pytest.approx(0.5)
        searched.mark()
    assert searched.found == pytest.approx(np.array(PLANTED[:3]))
    assert "You found 62 %, 71 %, 56 %: on average 63 %." in told(searched)
    assert "Over 4 portraits: A nurse must look" in told(searched)
    assert "<svg" in told(searched)


def test_a_place_where_one_answer_is_clearly_preferred_is_not_taken() -> None:
    searched = by_hand()
    searched.move(0.3)
    searched.mark()
    assert searched.portrait == 0
    assert "Not yet: it still answers “a woman” more readily" in told(searched)
    searched.move(0.9)
    searched.mark()
    assert "“a man” more readily" in told(searched)


def test_a_portrait_that_never_changes_the_answer_ends_at_the_end() -> None:
    searched = by_hand((NEVER, 0.6), portraits=1)
    searched.move(0)
    searched.mark()
    assert searched.found == pytest.approx([0.0])


def test_the_next_portrait_begins_in_the_middle() -> None:
    searched = by_hand()
    searched.move(PLANTED[0])
    searched.mark()
    assert searched.alpha == 0.5
    assert "nurse, portrait 2 of 3" in told(searched)


def test_the_portrait_is_described_and_both_answers_are_numbers() -> None:
    searched = by_hand()
    searched.move(0.62)
    shown = told(searched)
    assert 'alt="' in shown
    assert 'alt=""' not in shown
    assert shown.count("0.50") == 2


def test_the_curve_is_there_without_searching() -> None:
    searched = by_hand()
    searched.children[3].children[1].click()
    assert "<svg" in told(searched)
    assert "You found" not in told(searched)
    assert searched.children[3].children == ()


def test_what_cannot_be_shown_is_refused_with_what_can() -> None:
    searched = by_hand()
    with pytest.raises(QueryError, match=r"A blend of 1\.2 is not possible"):
        searched.move(1.2)
    with pytest.raises(QueryError, match="9 portraits cannot be searched: choose 1 to 4"):
        by_hand(portraits=9)


def test_pictures_stand_beside_each_other_with_their_descriptions() -> None:
    drawn = list(bl.images.drawn_images(["nurse", "pilot"], per_term=1, size=32))
    sheet = classroom.picture_sheet(drawn, ["P < 0.5", "the pilot"])
    shown = sheet._repr_html_()
    assert shown.count('src="data:image/png;base64,') == 2
    for image in drawn:
        assert f'alt="{html.escape(image.alt)}"' in shown
        assert image.alt in repr(sheet)
    assert "P &lt; 0.5" in shown
    assert "pilot" in repr(classroom.picture_sheet(drawn))


def test_a_sheet_needs_a_line_for_each_picture() -> None:
    drawn = list(bl.images.drawn_images(["nurse"], per_term=2, size=32))
    with pytest.raises(ValueError, match="1 lines for 2 pictures"):
        classroom.picture_sheet(drawn, ["one"])
