"""Asks a service block after block, so that what is answered can be looked at as it comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from biaslab.errors import ServiceError
from biaslab.jobs import JobContext
from biaslab.probes.rating.experiment_executor import execute
from biaslab.probes.rating.responses import Response, Responses
from biaslab.services import Chain
from biaslab.store import Store

NOT_YET = "It was not tested yet."


def execute_blocks(
    chain: Chain,
    blocks: Sequence[Sequence[str]],
    *,
    store: Store | None,
    keep: bool,
    concurrency: int | None,
    repetition: int,
    report: Callable[[int, int], object],
    context: JobContext,
    on_block: Callable[[Responses], object],
) -> Responses:
    """As `execute` of all texts, and what there is after every block goes to `on_block`.

    Texts of the blocks to come have the failure `NOT_YET` there. A text that an earlier block had
    is not asked again.

    Raises
    ------
    ServiceError
        If no text was answered and the service cannot go on.
    """
    texts = [text for block in blocks for text in block]
    total = len(texts) * len(chain.steps)
    known: dict[str, Response] = {}
    so_far: Responses | None = None
    asked = 0
    for block in blocks:
        new = [text for text in dict.fromkeys(block) if text not in known]
        begun = asked * len(chain.steps)
        asked += len(block)
        if new:
            size = len(block) * len(chain.steps)

            def told(done: int, of: int, begun: int = begun, size: int = size) -> None:
                report(begun + round(done * size / max(of, 1)), total)

            try:
                found = execute(
                    chain,
                    new,
                    store=store,
                    keep=keep,
                    concurrency=concurrency,
                    repetition=repetition,
                    report=told,
                    context=context,
                )
            except ServiceError as error:
                if so_far is None:
                    raise
                so_far = _ended(so_far, texts, known, str(error))
                break
            known |= {response.text: response for response in found.responses}
            so_far = found if so_far is None else _added(so_far, found)
        assert so_far is not None  # noqa: S101  # the first block has a text
        report(asked * len(chain.steps), total)
        why = NOT_YET if so_far.complete else _why(so_far, context)
        complete = so_far.complete and asked == len(texts)
        so_far = replace(so_far, responses=_filled(texts, known, why), complete=complete)
        on_block(so_far)
        if why != NOT_YET:
            break
        so_far = replace(so_far, complete=True)
    assert so_far is not None  # noqa: S101  # there is a block
    return so_far


def _why(so_far: Responses, context: JobContext) -> str:
    stopped = context.should_stop or not so_far.problems
    return f"It was not tested: {'the run was stopped.' if stopped else so_far.problems[-1]}"


def _filled(texts: Sequence[str], known: dict[str, Response], why: str) -> tuple[Response, ...]:
    return tuple(known.get(text) or Response(text, (), why) for text in texts)


def _added(one: Responses, other: Responses) -> Responses:
    """Counts of both; who was asked is the same."""
    return replace(
        one,
        calls=one.calls + other.calls,
        characters=one.characters + other.characters,
        from_store=one.from_store + other.from_store,
        cost=one.cost + other.cost,
        problems=tuple(dict.fromkeys((*one.problems, *other.problems))),
        complete=other.complete,
    )


def _ended(
    so_far: Responses, texts: Sequence[str], known: dict[str, Response], why: str
) -> Responses:
    filled = _filled(texts, known, f"It was not tested: {why}")
    return replace(so_far, responses=filled, problems=(*so_far.problems, why), complete=False)
