"""``bl.association.overview``: distances, their model, MAC and WEAT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from biaslab.arguments import names
from biaslab.errors import QueryError
from biaslab.jobs.showing import shows_progress
from biaslab.probes.association.distance_model import distance_model
from biaslab.probes.association.distance_model_result import DistanceModelResult
from biaslab.probes.association.distance_parameters import Model, Priors
from biaslab.probes.association.distances import distances
from biaslab.probes.association.lists import AssociationLists, SpecSource, Words
from biaslab.probes.association.mac import MacResult, mac
from biaslab.probes.association.weat import WeatResult, weat
from biaslab.records.calls import recorded
from biaslab.records.provenance import measured
from biaslab.records.result import Result
from biaslab.stats.permutation import Alternative
from biaslab.stats.reproducibility import seed_number
from biaslab.subjects.embedding.base import EmbeddingSubject
from biaslab.subjects.opening.needs import WORD_VECTORS, Named, opened

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class AssociationResult(Result):
    """WEAT, MAC and the distance model on the same lists.

    Attributes
    ----------
    distance_model : DistanceModelResult
        With every distance in its ``table``.
    mac : MacResult
        Means of means, also by connection type.
    weat : WeatResult or None
        Of two groups and two attribute lists.
    weat_reason : str
        Why there is no WEAT; empty if there is one.
    """

    schema: ClassVar[str] = "association/1"

    distance_model: DistanceModelResult
    mac: MacResult
    weat: WeatResult | None
    weat_reason: str

    def to_frame(self) -> pd.DataFrame:
        """The estimates of the distance model."""
        return self.distance_model.to_frame()

    def raw_frame(self) -> pd.DataFrame:
        """Every distance; see `DistanceTable.to_frame`."""
        return self.distance_model.raw_frame()


@recorded
@shows_progress
def overview(
    subject: EmbeddingSubject | Named,
    spec: SpecSource | None = None,
    *,
    groups: Sequence[str] | None = None,
    targets: Words | None = None,
    attributes: Words | Sequence[str] | None = None,
    attribute_groups: Words | None = None,
    controls: Words | None = None,
    model: Model = "crossed",
    priors: Priors | None = None,
    level: float = 0.89,
    weat_groups: Sequence[str] = (),
    weat_attributes: Sequence[str] = (),
    ddof: int = 1,
    alternative: Alternative = "greater",
    draws: int = 2000,
    resamples: int = 2000,
    replicates: int | None = None,
    rng: int | np.random.Generator = 0,
    progress: bool | None = None,  # noqa: ARG001  # of shows_progress
) -> AssociationResult:
    """Run the distance model, MAC and WEAT on the same lists.

    Parameters
    ----------
    subject : EmbeddingSubject, or name of one
    spec : Spec, AssociationLists, name or path of a spec
    groups, targets, attributes, attribute_groups, controls
        As of `biaslab.association.distances`.
    model, priors, level, draws, replicates, rng
        As of `biaslab.distance_model`.
    weat_groups, weat_attributes : sequence of str
        The two groups and attribute lists of WEAT; by default the first two groups, and for each
        the first list that is a stereotype of it.
    ddof, alternative
        As of `biaslab.weat`.
    resamples : int
        Of words, for the intervals of MAC and WEAT.
    progress : bool, optional
        Whether to show the progress; by default on a terminal and in a notebook cell.

    Returns
    -------
    AssociationResult

    Raises
    ------
    QueryError
        When nothing is left of a list, or the distances cannot be modelled.
    """
    subject = opened(subject, WORD_VECTORS, "bl.association.overview")
    requested = AssociationLists.of(
        spec,
        groups=groups,
        targets=targets,
        attributes=attributes,
        attribute_groups=attribute_groups,
        controls=controls,
    )
    with measured(
        probe="association",
        subject=subject,
        seed=rng,
        parameters={"model": model, "level": level, "ddof": ddof, "alternative": alternative},
    ) as run:
        seed = seed_number(rng)
        # Once for all three: looking for the neighbours of unknown words takes time.
        requested = requested.known_to(subject)
        table = distances(subject, requested, replicates=replicates)
        fitted = distance_model(
            table, model=model, priors=priors, draws=draws, level=level, rng=seed
        )
        means = mac(subject, requested, resamples=resamples, replicates=replicates, rng=seed)
        association: WeatResult | None = None
        reason = ""
        try:
            two_groups, two_lists = weat_lists(requested, weat_groups, weat_attributes)
            association = weat(
                subject,
                targets={name: requested.groups[name] for name in two_groups},
                attributes={name: requested.attributes[name] for name in two_lists},
                ddof=ddof,
                alternative=alternative,
                resamples=resamples,
                replicates=replicates,
                rng=seed,
            )
        except QueryError as error:
            reason = str(error)
    return AssociationResult(
        distance_model=fitted,
        mac=means,
        weat=association,
        weat_reason=reason,
        dropped=table.dropped,
        provenance=run.provenance,
    )


def weat_lists(
    requested: AssociationLists, groups: Sequence[str] = (), attributes: Sequence[str] = ()
) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the two groups and the two attribute lists that WEAT compares.

    Raises `QueryError` when there are not two, or a name is unknown.
    """
    chosen = names(groups, "weat_groups") or tuple(requested.groups)[:2]
    if len(chosen) != 2 or not set(chosen) <= requested.groups.keys() or chosen[0] == chosen[1]:
        raise QueryError(
            "WEAT compares two groups. Choose two different ones from: "
            + ", ".join(requested.groups)
        )
    stereotyped = [
        next((n for n, of in requested.attribute_groups.items() if group in of), "")
        for group in chosen
    ]
    lists = names(attributes, "weat_attributes") or tuple(
        stereotyped if all(stereotyped) else list(requested.attributes)[:2]
    )
    if len(lists) != 2 or not set(lists) <= requested.attributes.keys() or lists[0] == lists[1]:
        raise QueryError(
            "WEAT compares two attribute lists. Choose two different ones from: "
            + ", ".join(requested.attributes)
        )
    return (chosen[0], chosen[1]), (lists[0], lists[1])
