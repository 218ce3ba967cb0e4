"""Controller of the association bench: every distance, its model, MAC and WEAT, live."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import biaslab as bl
from biaslab.errors import BiaslabError, QueryError
from biaslab.files.csv_text import frame_text
from biaslab.jobs.context import JobContext, reporting_to
from biaslab.jobs.job import Job
from biaslab.jobs.processes import SubjectReference, heavy
from biaslab.probes.association import (
    AssociationLists,
    AssociationResult,
    DistanceModelResult,
    WeatSimulation,
)
from biaslab.probes.association.distance_model_result import model_scores
from biaslab.probes.association.distance_parameters import Priors
from biaslab.records.result import Result
from biaslab.records.wording import prose
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab_widgets.benches.association.fields import (
    COMPONENT,
    AssociationBenchState,
    Check,
    Picture,
    Score,
    Scores,
    SimulationInputs,
)
from biaslab_widgets.benches.association.how import how_of
from biaslab_widgets.benches.association.view import NO_CHECK, NO_SCORES, picture_of
from biaslab_widgets.core.answers.background import Background
from biaslab_widgets.core.answers.cache import Latest
from biaslab_widgets.core.answers.live import LIVE
from biaslab_widgets.core.bench.controller import Emit
from biaslab_widgets.core.bench.recorded import (
    not_of_this_bench,
    recorded_arguments,
    recorded_inputs,
)
from biaslab_widgets.core.bench.subject_bench import SubjectController
from biaslab_widgets.core.state.commands import Arguments
from biaslab_widgets.core.state.fields import empty
from biaslab_widgets.core.state.records import How, Message, WordList, message
from biaslab_widgets.core.subjects.sources import Source
from biaslab_widgets.core.word_lists import Given, association_lists, checked_lists, word_lists
from biaslab_widgets.core.word_marks import MarkedLists

MOST_DISTANCES = 500_000
"""An answer with more is too large for a page: about 14 bytes each."""


def seconds_for(words: int, terms: int, replicates: int) -> float:
    """Estimate the seconds of an answer on two cores, from measurements of 10 to 1,000 words.

    - `words`, `terms`: protected words, and attribute words.
    """
    return 0.2 + 4e-6 * words**2 + 8e-6 * words * terms + 0.02 * replicates


def associate(
    subject: EmbeddingSubject,
    replicate: int,
    lists: AssociationLists,
    options: Mapping[str, Any],
    debiasing: tuple[bl.specs.Spec, Any] | None = None,
    context: JobContext | None = None,
) -> AssociationResult:
    """Ask about a replicate of a subject, or about all of them where it is negative.

    - `debiasing`: spec and method, where the subject is to be debiased first.
    """
    context = context or JobContext()
    context.report(0, None, "comparing words")
    one_replicate = subject if replicate < 0 else subject.replicate(replicate)
    if debiasing is not None:
        one_replicate = bl.debias(one_replicate, debiasing[0], method=debiasing[1])
    with reporting_to(None):
        return bl.association.overview(one_replicate, lists, **options)


def check_by_nuts(exact: DistanceModelResult) -> Check:
    """Draw a model by NUTS too, and say how far its contrasts are from the exact ones."""
    nuts = bl.distance_model(
        exact.table,
        model=exact.model,  # type: ignore[arg-type]  # one of the three
        priors=exact.priors,
        level=exact.level,
        engine="nuts",
    )
    pairs = zip(exact.contrasts, nuts.contrasts, strict=True)
    gap = max(abs(a.mean - b.mean) for a, b in pairs)
    diagnostics = nuts.diagnostics
    rhat = next((v for name, v in diagnostics.items() if "hat" in name.lower()), None)
    ess = next((v for name, v in diagnostics.items() if "ess" in name.lower()), None)
    return {
        "state": "done",
        "text": f"NUTS and the exact sampler differ by at most {gap:.3f} in a contrast.",
        "rhat": rhat,
        "ess": ess,
    }


def score_models(model: DistanceModelResult) -> list[Score]:
    """Return LOO of all models of a table."""
    results = bl.association.compare_models(model.table, priors=model.priors, level=model.level)
    return [
        {
            "model": score.model,  # type: ignore[typeddict-item]  # one of the models
            "elpd": round(score.elpd, 1),
            "se": round(score.se, 1),
            "behind": round(score.behind, 1),
            "behind_se": round(score.behind_se, 1),
            "unreliable": score.unreliable,
        }
        for score in model_scores(results)
    ]


FIRST_LISTS = "manzini-religion"


class AssociationController(
    SubjectController[AssociationBenchState, AssociationResult, Picture, EmbeddingSubject]
):
    """Runs `biaslab.association.overview` for what is on the screen.

    - `sources`: subjects that can be chosen, by name; one that is not open yet is opened in the
      background.
    - `emit`: receives changed outputs.
    - `lists`: groups, attribute lists and controls; default the religion lists of Manzini et al.
    """

    component = COMPONENT
    asks_aside: ClassVar[bool] = True

    def __init__(
        self, sources: Mapping[str, Source], emit: Emit, lists: Given = FIRST_LISTS
    ) -> None:
        super().__init__(sources, emit)
        self._replicate: Latest[EmbeddingSubject] = Latest()
        self._debiased: Latest[EmbeddingSubject] = Latest()
        self._after: Latest[tuple[AssociationResult | None, str]] = Latest()
        self._simulated: Latest[WeatSimulation] = Latest()
        self._nuts: Background[Check] = Background(self.answer_again, self.opening.show_progress)
        self._comparison: Background[list[Score]] = Background(self.answer_again)
        self.lists = self.add(
            MarkedLists(lambda state: checked_lists(state.lists), self.subject, self.snapshot)
        )
        self.commands |= {
            "nuts": self._start_check,
            "compare": self._start_scores,
            "stop": self._stop,
        }
        self.state["lists"] = word_lists(lists)

    def missing(self, subject: EmbeddingSubject, snapshot: AssociationBenchState) -> Message | None:  # noqa: ARG002
        """Two groups, and attribute lists."""
        held = _by_kind(snapshot)
        count = _terms(held, "groups") * _terms(held, "attributes", "controls")
        if count > MOST_DISTANCES:
            text = (
                f"The lists make {count:,} distances; at most {MOST_DISTANCES:,} can be shown."
                " Shorten them, or call bl.association.overview in Python."
            )
            return message("Too many distances", text)
        load = {"label": "Load the religion lists", "set": {"lists": word_lists(FIRST_LISTS)}}
        if not held["groups"]:
            return message("No protected words", "Add a group, or load lists.", load)
        if not held["attributes"]:
            return message("No attribute words", "Add a list of stereotypes, or load lists.", load)
        return None

    def key(self, snapshot: AssociationBenchState) -> object:
        """The options of the probe."""
        lists = tuple(
            (w["name"], w.get("kind"), tuple(w.get("of", ())), *w["terms"])
            for w in checked_lists(snapshot.lists)
        )
        chosen = tuple(snapshot.weat_groups), tuple(snapshot.weat_attributes)
        priors = tuple(snapshot.priors.items())
        return (lists, chosen, priors, *(getattr(snapshot, name) for name in _ASKED))

    def ask(self, subject: EmbeddingSubject, snapshot: AssociationBenchState) -> AssociationResult:
        """Ask about all distances of a replicate, or of all."""
        shown = self._shown(subject, snapshot)
        return self._answered(snapshot) if self._is_served else _associate(shown, snapshot)

    @property
    def _is_served(self) -> bool:
        """Whether an edit, a third of a second of computing, would hold up other people."""
        return self.jobs.limits.aside

    def _answered(
        self, snapshot: AssociationBenchState, debiasing: tuple[bl.specs.Spec, Any] | None = None
    ) -> AssociationResult:
        reference, one, lists, options = self._question(snapshot)
        return self.jobs.answer(heavy(associate), reference, one, lists, options, debiasing)

    def _question(
        self, snapshot: AssociationBenchState
    ) -> tuple[SubjectReference[Any], int, AssociationLists, dict[str, Any]]:
        """Arguments of `associate`."""
        source = self.opening.sources[snapshot.subject]
        one = snapshot.replicate if source.open().n_replicates > 1 else -1
        return source.reference(), one, _lists(snapshot), _options(snapshot)

    def inputs_for(self, result: Result) -> dict[str, Any]:
        """See the base."""
        if not isinstance(result, AssociationResult):
            raise not_of_this_bench(self.component, result)
        inputs = recorded_inputs(self.component, recorded_arguments(result))
        return {
            **inputs,
            "subject": result.provenance.subject,
            "lists": association_lists(result.mac.lists),
            "priors": _priors_shown(result.distance_model.priors),
        }

    def seconds(self, subject: EmbeddingSubject, snapshot: AssociationBenchState) -> float:
        """As measured for lists of these lengths."""
        held = _by_kind(snapshot)
        replicates = subject.n_replicates if snapshot.replicate < 0 else 1
        terms = _terms(held, "attributes", "controls")
        return seconds_for(_terms(held, "groups"), terms, replicates)

    def ask_as_job(
        self, subject: EmbeddingSubject, snapshot: AssociationBenchState
    ) -> Job[AssociationResult]:
        """Ask in a process of its own, where a page is served."""
        self._shown(subject, snapshot)  # refuses a replicate that there is not
        return self.jobs.start_awaited(heavy(associate), *self._question(snapshot))

    def _shown(
        self, subject: EmbeddingSubject, snapshot: AssociationBenchState
    ) -> EmbeddingSubject:
        """The replicate that is shown, or all of them."""
        replicate = snapshot.replicate
        if replicate >= subject.n_replicates:
            raise QueryError(
                f"replicate is {replicate}; {subject.name} has {subject.n_replicates}: choose 0 to "
                f"{subject.n_replicates - 1}, or -1 for all."
            )
        if replicate < 0 or subject.n_replicates == 1:
            return subject
        # The same object again: it remembers its words' places, its hash and its live vectors.
        return self._replicate.of((subject, replicate), lambda: subject.replicate(replicate))

    def is_common(self, subject: EmbeddingSubject, snapshot: AssociationBenchState) -> bool:  # noqa: ARG002
        """Always: the lists themselves are part of the key."""
        return True

    def paint(self, result: AssociationResult, snapshot: AssociationBenchState) -> dict[str, Any]:
        """The picture, beside it that of the debiased subject."""
        after, reason = self._debias(snapshot)
        picture = picture_of(
            result,
            after,
            method=snapshot.debiasing,
            after_reason=reason,
            simulation=self._simulation(snapshot),
            check=self._check(),
            scores=self._scores(_data_of(result)),
            one_of=self._one_of(snapshot),
        )
        return {"picture": picture}

    def _one_of(self, snapshot: AssociationBenchState) -> str:
        """Say that one replicate is shown where there are several: others differ from it."""
        n = self.opening.sources[snapshot.subject].open().n_replicates
        if snapshot.replicate < 0 or n == 1:
            return ""
        return f"Replicate {snapshot.replicate + 1} of {n}: choose all of them for the subject."

    def _debias(self, snapshot: AssociationBenchState) -> tuple[AssociationResult | None, str]:
        method = snapshot.debiasing
        if method == "none":
            return None, ""

        def debiased() -> tuple[AssociationResult | None, str]:
            try:
                if self._is_served:
                    LIVE.let_others_go_on()
                    return self._answered(snapshot, (_spec(snapshot), method)), ""
                return _associate(self._debiased_subject(snapshot, method), snapshot), ""
            except BiaslabError as error:
                return None, prose(error)

        return self._after.of((self._key, method), debiased)

    def _debiased_subject(self, snapshot: AssociationBenchState, method: Any) -> EmbeddingSubject:
        groups = [(w["name"], *w["terms"]) for w in _by_kind(snapshot)["groups"]]
        key = (snapshot.subject, snapshot.replicate, method, tuple(groups))

        def debiased() -> EmbeddingSubject:
            subject = self._shown(self.opening.sources[snapshot.subject].open(), snapshot)
            return bl.debias(subject, _spec(snapshot), method=method)

        return self._debiased.of(key, debiased)

    def _simulation(self, snapshot: AssociationBenchState) -> WeatSimulation | None:
        if snapshot.shown != "simulation":
            return None
        given: SimulationInputs = {**empty(SimulationInputs), **snapshot.simulation}
        n, m, ddof = int(given["words"]), int(given["attributes"]), snapshot.ddof
        return self._simulated.of(
            (ddof, *map(str, given.values())),
            lambda: bl.association.weat_simulation(
                tuple(given["means"]),
                given["sd"],
                (n, n, m, m),
                ddof=ddof,
                first_words=given["first_words"],
                rng=int(given["seed"]),
            ),
        )

    def explain(
        self, shown: tuple[AssociationResult, Picture] | None, snapshot: AssociationBenchState
    ) -> How:
        """From single distances to the contrast, for the picked word."""
        return how_of(shown, snapshot)

    def file_stem(self, result: AssociationResult) -> str:
        """The probe and its groups."""
        names = "-".join(dict.fromkeys(result.distance_model.table.groups))
        return f"association-{''.join(c if c.isalnum() else '-' for c in names)}"

    def table(self, result: AssociationResult, what: str) -> str:
        """Estimates, every one of the ``distances``, or ``weat``."""
        if what == "distances":
            frame = result.distance_model.table.to_frame()
        elif what == "weat" and result.weat is not None:
            frame = result.weat.to_frame()
        else:
            frame = result.to_frame()
        return frame_text(frame)

    def to_take(self) -> tuple[Result, str, Callable[[str], str]]:
        """The simulation where it is what is shown; else the result."""
        simulation = self._simulation(self.snapshot())
        if simulation is None:
            return super().to_take()
        return (simulation, "weat-simulation", lambda _: frame_text(simulation.to_frame()))

    def _stop(self, args: Arguments) -> str:
        self._nuts.forget()
        self._asking.cancel()
        return self.opening.stop(args)

    @property
    def has_run(self) -> bool:
        """See the base: NUTS, or a comparison of models."""
        jobs = (self._nuts.job, self._comparison.job)
        return super().has_run or any(job is not None for job in jobs)

    def _start_check(self, _args: Arguments) -> str:
        """Draw the same model by NUTS in the background."""
        model = self.result.distance_model
        self._nuts.begin(self._key, self.jobs.start(heavy(check_by_nuts), model))
        self.answer_again()
        return "NUTS is running."

    def _check(self) -> Check:
        nuts = self._nuts
        if nuts.job is None or nuts.key != self._key:
            return NO_CHECK
        if nuts.running:
            text = "NUTS samples the same model. The line above tells how long; Stop ends it."
            return {"state": "running", "text": text, "rhat": None, "ess": None}
        text = nuts.problem("NUTS was stopped. The exact sampler’s draws are unchanged.")
        return nuts.result or {"state": "failed", "text": text, "rhat": None, "ess": None}

    def _start_scores(self, _args: Arguments) -> str:
        """Compare the models in the background: LOO takes some seconds."""
        result = self.result
        self._comparison.begin(
            _data_of(result), self.jobs.start(heavy(score_models), result.distance_model)
        )
        self.answer_again()
        return "Comparing the models."

    def _scores(self, key: object) -> Scores:
        comparison = self._comparison
        if comparison.job is None or comparison.key != key:
            return NO_SCORES
        if comparison.running:
            return {"state": "running", "text": "Leaving out each distance…", "rows": []}
        if comparison.result is None:
            text = comparison.problem("The comparison was stopped.")
            return {"state": "failed", "text": text, "rows": []}
        return {"state": "done", "text": "", "rows": comparison.result}


_ASKED = ("model", "level", "ddof", "alternative", "replicate")


def _data_of(result: AssociationResult) -> object:
    """What a comparison of models depends on: the distances and the priors."""
    model = result.distance_model
    return (model.table.distance.tobytes(), model.table.connection.tobytes(), model.priors)


def _associate(subject: EmbeddingSubject, snapshot: AssociationBenchState) -> AssociationResult:
    return bl.association.overview(subject, _lists(snapshot), **_options(snapshot))


def _options(snapshot: AssociationBenchState) -> dict[str, Any]:
    return {
        "model": snapshot.model,
        "priors": _priors(snapshot),
        "level": snapshot.level,
        "weat_groups": snapshot.weat_groups,
        "weat_attributes": snapshot.weat_attributes,
        "ddof": snapshot.ddof,
        "alternative": snapshot.alternative,
    }


def _terms(held: Mapping[str, list[WordList]], *kinds: str) -> int:
    """Return the number of terms in the lists of these kinds."""
    return sum(len(words["terms"]) for kind in kinds for words in held[kind])


def _by_kind(snapshot: AssociationBenchState) -> dict[str, list[WordList]]:
    held: dict[str, list[WordList]] = {"groups": [], "attributes": [], "controls": []}
    for words in checked_lists(snapshot.lists):
        kind = words.get("kind", "items")
        if kind in held and any(term.strip() for term in words["terms"]):
            held[kind].append(words)
    return held


def _lists(snapshot: AssociationBenchState) -> AssociationLists:
    held = _by_kind(snapshot)
    groups = {w["name"]: w["terms"] for w in held["groups"]}
    return AssociationLists.of(
        targets=groups,
        attributes={w["name"]: w["terms"] for w in held["attributes"]},
        attribute_groups={
            w["name"]: of
            for w in held["attributes"]
            if (of := [g for g in w.get("of", []) if g in groups])
        },
        controls={w["name"]: w["terms"] for w in held["controls"]},
    )


def _spec(snapshot: AssociationBenchState) -> bl.specs.Spec:
    """The groups as a spec: debiasing takes its defining sets from them."""
    return bl.specs.Spec(
        name="on-the-screen",
        title="Groups on the screen",
        source="the association bench",
        groups={w["name"]: tuple(w["terms"]) for w in _by_kind(snapshot)["groups"]},
    )


_PRIORS = {
    "word_mean": "word_mean",
    "word_sd": "word_scale",
    "connection_sd": "connection_scale",
    "sigma_scale": "noise_scale",
    "word_spread": "word_sd",
    "attribute_spread": "term_sd",
}
"""Priors of the probe to those on the screen."""


def _priors(snapshot: AssociationBenchState) -> Priors:
    given: Mapping[str, Any] = snapshot.priors
    return Priors(**{name: float(given[shown]) for name, shown in _PRIORS.items()})


def _priors_shown(priors: Priors) -> dict[str, float]:
    return {shown: getattr(priors, name) for name, shown in _PRIORS.items()}
