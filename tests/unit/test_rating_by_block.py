"""A service that is asked block after block: the same rating, with results on the way."""

from __future__ import annotations

import pytest

import biaslab as bl
from biaslab.jobs.context import reporting_to
from biaslab.probes.rating import RatingDesign, plan
from biaslab.probes.rating.probe import NOT_YET
from biaslab.services import FunctionService
from harness.watched_context import Watched

pytestmark = pytest.mark.usefixtures("own_home")


def test_the_rating_is_the_same_and_every_block_is_seen_on_the_way() -> None:
    design = RatingDesign.make(middles=("es", "tr"), repetitions=2)
    service = bl.observers.service("faithful", languages={"tr": "always-he"})
    context = Watched()
    with reporting_to(context):
        result = bl.rate(service, design, by_block=True, keep=False)
    whole = bl.rate(service, design, keep=False)
    assert result.ratings == whole.ratings
    assert [[r.found for r in result.routes]] == [[r.found for r in whole.routes]]
    # Six blocks through each of two languages, and the language as a whole.
    assert len(context.kept) == 14
    third = context.kept[2].routes[0].responses
    assert not third.complete
    assert [r.failure for r in third.responses] == [""] * 60 + [NOT_YET] * 60
    shares = [done / total for done, total, _ in context.reports if total]
    assert len(shares) == len(context.reports)
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_text_of_two_blocks_is_asked_once() -> None:
    asked: list[str] = []

    def echo(text: str) -> str:
        asked.append(text)
        return text

    design = RatingDesign.make(texts=30, terms=("nurse",), sentences=1)
    result = bl.rate(FunctionService(echo), design, by_block=True)
    assert sorted(asked) == ["He is a nurse.", "She is a nurse."]
    assert result.routes[0].responses.calls == 2
    assert result.rating().corrected == "DSBS"


@pytest.mark.parametrize("by_block", [False, True])
def test_the_plan_is_what_is_asked(by_block: bool) -> None:
    service = bl.observers.service("faithful")
    design = RatingDesign.make(middles=("es", "tr"))
    before = plan(service, design, by_block=by_block)
    result = bl.rate(service, design, by_block=by_block)
    for route in result.routes:
        assert route.responses.calls == before[route.language].calls == (3 if by_block else 1)
        assert route.responses.characters == before[route.language].characters
    after = plan(service, design, by_block=by_block)
    assert [one.calls for one in after.values()] == [0, 0]


def test_a_stop_keeps_the_blocks_that_were_answered() -> None:
    context = Watched(lambda so_far: len(so_far.kept) >= 1)
    design = RatingDesign.make()
    with reporting_to(context):
        result = bl.rate(bl.observers.service("faithful"), design, by_block=True, keep=False)
    responses = result.routes[0].responses
    assert not responses.complete
    answered = [r.answered for r in responses.responses]
    assert answered == [True] * 20 + [False] * 40
    assert {r.failure for r in responses.responses[20:]} == {
        "It was not tested: the run was stopped."
    }


def test_a_service_that_goes_away_loses_only_what_was_not_asked() -> None:
    from biaslab.errors import ServiceRefusedError

    asked: list[str] = []

    def dying(text: str) -> str:
        if len(asked) == 25:
            raise ServiceRefusedError("The account is empty.")
        asked.append(text)
        return text

    result = bl.rate(FunctionService(dying), RatingDesign.make(), by_block=True)
    responses = result.routes[0].responses
    assert sum(r.answered for r in responses.responses) == 25
    assert not responses.complete
    assert any("The account is empty." in each for each in responses.problems)
    assert all("The account is empty." in r.failure for r in responses.responses[25:])
