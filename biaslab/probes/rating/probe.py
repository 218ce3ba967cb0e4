"""Rate a service that can only be called, block by block (Srivastava and Rossi 2018)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biaslab.arguments import instance, renamed
from biaslab.asking.languages import language_name
from biaslab.errors import RatingError, ServiceError
from biaslab.jobs.context import JobContext, current_context
from biaslab.jobs.showing import shows_progress
from biaslab.probes.rating.data_generator import Block
from biaslab.probes.rating.distribution_analysis import CallPlan, Response, Responses, mentions_of
from biaslab.probes.rating.experiment_design import RatingDesign
from biaslab.probes.rating.experiment_executor import calls_needed, execute
from biaslab.probes.rating.named_services import open_service
from biaslab.probes.rating.ratings import Rules
from biaslab.probes.rating.result import RatingResult, Route
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Dropped
from biaslab.services import (
    AnyService,
    Chain,
    RoundTrip,
    Translator,
    as_chain,
    round_trip_languages,
)
from biaslab.stats.reproducibility import seed_number
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
    on_progress: Callable[[int, int], object],
    on_block: Callable[[Responses], object],
) -> Responses:
    """Execute like `execute`, and pass results to `on_block` after every block.

    Texts of later blocks have the failure `NOT_YET` there. A text of an earlier block
    is not sent again.

    Raises `ServiceError` if no text was answered and the service cannot go on.
    """
    texts = [text for block in blocks for text in block]
    total = len(texts) * len(chain.steps)
    known: dict[str, Response] = {}
    so_far: Responses | None = None
    executed = 0
    for block in blocks:
        new = [text for text in dict.fromkeys(block) if text not in known]
        begun = executed * len(chain.steps)
        executed += len(block)
        if new:
            size = len(block) * len(chain.steps)

            def of_block(done: int, of: int, begun: int = begun, size: int = size) -> None:
                on_progress(begun + round(done * size / max(of, 1)), total)

            try:
                responses = execute(
                    chain,
                    new,
                    store=store,
                    keep=keep,
                    concurrency=concurrency,
                    repetition=repetition,
                    on_progress=of_block,
                )
            except ServiceError as error:
                if so_far is None:
                    raise
                so_far = _ended(so_far, texts, known, str(error))
                break
            known |= {response.text: response for response in responses.responses}
            so_far = responses if so_far is None else _added(so_far, responses)
        assert so_far is not None  # noqa: S101  # the first block has a text
        on_progress(executed * len(chain.steps), total)
        why = NOT_YET if so_far.complete else _why(so_far)
        complete = so_far.complete and executed == len(texts)
        so_far = replace(so_far, responses=_filled(texts, known, why), complete=complete)
        on_block(so_far)
        if why != NOT_YET:
            break
        so_far = replace(so_far, complete=True)
    assert so_far is not None  # noqa: S101  # there is a block
    return so_far


def _why(so_far: Responses) -> str:
    stopped = current_context().should_stop or not so_far.problems
    return f"It was not tested: {'the run was stopped.' if stopped else so_far.problems[-1]}"


def _filled(texts: Sequence[str], known: dict[str, Response], why: str) -> tuple[Response, ...]:
    return tuple(known.get(text) or Response(text, (), why) for text in texts)


def _added(first: Responses, second: Responses) -> Responses:
    """Add the counts of two parts of one run."""
    return replace(
        first,
        calls=first.calls + second.calls,
        characters=first.characters + second.characters,
        from_store=first.from_store + second.from_store,
        cost=first.cost + second.cost,
        problems=tuple(dict.fromkeys((*first.problems, *second.problems))),
        complete=second.complete,
    )


def _ended(
    so_far: Responses, texts: Sequence[str], known: dict[str, Response], why: str
) -> Responses:
    filled = _filled(texts, known, f"It was not tested: {why}")
    return replace(so_far, responses=filled, problems=(*so_far.problems, why), complete=False)


AnySubject = AnyService | Translator
"""An observer of `bl.observers.service` is a service that behaves by middle language."""


@renamed(service="subject")
@recorded
@shows_progress
def rate(
    subject: AnySubject | str | os.PathLike[str],
    design: RatingDesign | None = None,
    *,
    rules: Rules | None = None,
    store: Store | None = None,
    keep: bool = True,
    concurrency: int | None = None,
    repetition: int = 0,
    by_block: bool = False,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> RatingResult:
    """Rate a service as UCS, DSBS or BS, by the paper's rule and by a corrected one.

    A translator is asked from the design's language into each middle language and back; any other
    service is called directly. Every answer is stored, so that an interrupted run continues, and
    another test on the same texts makes no call. Aborted as a job, it rates the answers so far.

    Parameters
    ----------
    subject : Service, Chain, Translator, callable, observer, or name of one
        Who is rated; names are those of `biaslab.probes.rating.open_service`.
    design : RatingDesign, optional
        The texts and languages; by default the paper's, in all middle languages of the service.
    rules : Rules, optional
        By which it is rated; change them later with `RatingResult.re_rate`, without a call.
    store : Store, optional
        Store of answers; by default the user's own.
    keep : bool
        Whether answers are stored and looked up.
    concurrency : int, optional
        Limit on concurrent calls; by default the service's.
    repetition : int
        Use another number for a service that answers differently each time.
    by_block : bool
        Ask block after block, and keep the result so far after each, where it is by default kept
        after every language; a service that takes many texts at once is called more often then.
    rng : int or numpy.random.Generator
        Of the draws behind the probabilities of the ratings; the texts follow from the design's
        own seed.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    RatingResult
        Languages without any answer are in ``dropped``.

    Raises
    ------
    RatingError
        If the design does not fit the service, or there are no rules to read its language.
    ServiceSetupError
        If no service has that name.
    ServiceError
        If no language could be used.

    References
    ----------
    Srivastava and Rossi (2018), "Towards Composable Bias Rating of AI Services", AIES '18,
    doi:10.1145/3278721.3278744; *the paper* above.
    """
    context = current_context()
    seed = seed_number(rng)
    if design is not None:
        instance(
            design,
            RatingDesign,
            "design",
            "Pass a bl.RatingDesign, or leave it out to use the paper's.",
        )
    if rules is not None:
        instance(
            rules,
            Rules,
            "rules",
            "Pass biaslab.probes.rating.Rules, or leave it out to use the rules for English.",
        )
    service = _opened(subject, design)
    design, routes = _ways(service, design)
    rules = rules or Rules()
    rules.check(design.attribute)
    parameters = {
        "texts": design.texts,
        "repetitions": design.repetitions,
        "middles": design.middles,
        "rules": rules,
    }
    tested: list[Route] = []
    dropped: list[Dropped] = []
    problem: ServiceError | None = None
    with measured(
        probe="rate",
        subject=str(getattr(service, "name", None) or getattr(service, "__name__", service)),
        parameters=parameters,
        seed=design.seed,
    ) as run:

        def so_far(*going: Route) -> RatingResult:
            return RatingResult(
                provenance=run.provenance,
                dropped=tuple(dropped),
                design=design,
                service=run.provenance.subject,
                about=str(getattr(service, "about", "")),
                identity=" || ".join(dict.fromkeys(r.responses.identity for r in tested)),
                blocks=blocks,
                routes=(*tested, *going),
                distributions=design.distributions,
                rules=rules,
                seed=seed,
            )

        def ask(chain: Chain, place: int, language: str) -> Responses:
            options: dict[str, Any] = {
                "store": store,
                "keep": keep,
                "concurrency": concurrency,
                "repetition": repetition,
                "on_progress": _reporter(context, place, len(routes), language),
            }
            if not by_block:
                return execute(chain, list(design.all_texts), **options)

            def keep_so_far(responses: Responses) -> None:
                context.keep(so_far(_route(language, responses, design)))

            texts = [[text.text for text in block.texts] for block in blocks]
            return execute_blocks(chain, texts, on_block=keep_so_far, **options)

        blocks: tuple[Block, ...] = design.blocks
        for place, (language, way) in enumerate(routes):
            try:
                chain = way()
                # Before any call: unreadable answers are useless.
                design.attribute.reading(chain.languages[-1] or design.source)
                responses = ask(chain, place, language)
            except ServiceError as error:
                problem = error
                dropped.append(Dropped(_title(language), "language", str(error)))
                continue
            tested.append(_route(language, responses, design))
            dropped += _failures(language, responses)
            context.keep(so_far())
            context.checkpoint()
        if not tested:
            assert problem is not None  # noqa: S101 - there is at least one way
            raise problem
    return so_far()


@renamed(service="subject")
def plan(
    subject: AnySubject | str | os.PathLike[str],
    design: RatingDesign | None = None,
    *,
    store: Store | None = None,
    keep: bool = True,
    repetition: int = 0,
    by_block: bool = False,
) -> dict[str, CallPlan]:
    """Estimate the calls of `rate`, by language, without a call.

    Languages that the service does not have are left out; `rate` names them. The store is searched
    by language, and by block if the run is by block; the search can be stopped in between.
    """
    context = current_context()
    design, routes = _ways(_opened(subject, design), design)
    plans = {}
    for language, way in routes:
        try:
            chain = way()
        except ServiceError:
            continue
        parts = []
        for texts in _together(design, by_block):
            context.checkpoint()
            parts.append(calls_needed(chain, texts, store=store, keep=keep, repetition=repetition))
        plans[language] = _sum(parts)
    return plans


def _together(design: RatingDesign, by_block: bool) -> list[list[str]]:
    """Group texts for execution; a text of an earlier block is not sent again."""
    if not by_block:
        return [list(design.all_texts)]
    known: set[str] = set()
    parts = []
    for block in design.blocks:
        new = [t.text for t in block.texts if t.text not in known]
        known.update(new)
        if new:
            parts.append(new)
    return parts


def _sum(plans: Sequence[CallPlan]) -> CallPlan:
    paced = [plan.seconds for plan in plans if plan.seconds is not None]
    return CallPlan(
        sum(plan.calls for plan in plans),
        sum(plan.characters for plan in plans),
        sum(plan.from_store for plan in plans),
        sum(plan.cost for plan in plans),
        plans[0].currency,
        sum(paced) if paced else None,
    )


def _opened(
    service: AnySubject | str | os.PathLike[str], design: RatingDesign | None
) -> AnySubject:
    if not isinstance(service, str | os.PathLike):
        return service
    opened: AnySubject = open_service(service, "gender" if design is None else design.attribute)
    return opened


def _ways(
    service: AnySubject, design: RatingDesign | None
) -> tuple[RatingDesign, list[tuple[str, Callable[[], Chain]]]]:
    """Return the design, and by language the chain of services; creating one may fail."""
    trip = getattr(service, "round_trip", None)
    if design is None:
        middles = tuple(getattr(service, "languages", ())) if trip is not None else ()
        if isinstance(service, Translator):
            middles = _own_languages(service)
        design = RatingDesign.paper(middles=middles)
    if design.middles and trip is not None:
        return design, [(m, _trip(trip, m, design.source)) for m in design.middles]
    if isinstance(service, Translator):
        if not design.middles:
            raise RatingError(
                "A translator is rated through middle languages, but the design names none. Give"
                " some, such as middles=['es', 'eo']."
            )
        return design, [(m, _round(service, m, design.source)) for m in design.middles]
    chain = as_chain(service)
    if design.middles:
        raise RatingError(
            f"{chain.name} is not a translator and is called directly, but the design names middle"
            " languages. Leave out middles, or pass the translator itself."
        )
    return design, [("", lambda: chain)]


def _own_languages(service: Translator) -> tuple[str, ...]:
    known = round_trip_languages(service)
    if not known:
        raise RatingError(
            f"{service.name} does not say which languages it has. Give a design with middles."
        )
    return known


def _trip(trip: Callable[[str, str], Chain], middle: str, source: str) -> Callable[[], Chain]:
    return lambda: trip(middle, source)


def _round(translator: Translator, middle: str, source: str) -> Callable[[], Chain]:
    return lambda: RoundTrip(translator, middle, source)


def _route(language: str, responses: Responses, design: RatingDesign) -> Route:
    spoken = responses.languages[-1] or design.source
    mentions = mentions_of(responses.responses, design.attribute, spoken, design.sentences)
    return Route(language, responses, mentions)


def _failures(language: str, responses: Responses) -> list[Dropped]:
    """Return texts without a usable answer, one entry per reason."""
    dropped = [
        Dropped(_title(language), "texts", f"{n} text{'s' * (n > 1)}: {reason}")
        for reason, n in responses.failures.items()
    ]
    return dropped + [Dropped(_title(language), "service", each) for each in responses.problems]


def _title(language: str) -> str:
    return language_name(language) if language else "asked directly"


def _reporter(
    context: JobContext, place: int, ways: int, language: str
) -> Callable[[int, int], object]:
    title = _title(language)

    def report(done: int, total: int) -> None:
        context.report(place * total + done, ways * total, f"{title}: {done} of {total} answers")

    return report
