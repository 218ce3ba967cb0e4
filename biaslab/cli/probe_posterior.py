"""``biaslab probe posterior``: what a classifier imagines when it says a label."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out
from biaslab.cli.probe_occupations import groups_of
from biaslab.cli.progress_line import finish_line, shown_progress
from biaslab.errors import PosteriorError, QueryError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biaslab.probes.posterior import PosteriorOverview, PosteriorResult
    from biaslab.subjects.classifier import Classifier


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "posterior",
        help="what a classifier imagines when it says a label, and which words are near",
    )
    parser.add_argument("subject", help="bundled name, folder, or hf:NAME of a classifier")
    parser.add_argument("--label", default="positive")
    parser.add_argument("--other", help="the label beside it (default: the first other one)")
    parser.add_argument("--alone", action="store_true", help="draw --label only, and read nothing")
    parser.add_argument(
        "--prior", help="stimuli, standard or words (default: stimuli where these are known)"
    )
    parser.add_argument("--width", type=float, default=1.0, help="times the prior's SDs")
    parser.add_argument("--engine", choices=("vectorised", "nuts", "exact", "choices"))
    parser.add_argument("--chains", type=int)
    parser.add_argument("--draws", type=int, help="per chain")
    parser.add_argument("--warmup", type=int, help="per chain")
    parser.add_argument(
        "--paper-mode", action="store_true", help="as paper 000: NUTS, 10,000 + 10,000, N(0, I)"
    )
    parser.add_argument(
        "--distance", choices=("angular", "half-cosine", "cosine", "euclidean"), default="angular"
    )
    parser.add_argument("--axes", choices=("difference", "pca"), default="difference")
    parser.add_argument(
        "--groups",
        default="eec-persons",
        help="spec, or name=word,word;name=word,word (default: eec-persons)",
    )
    parser.add_argument(
        "--lexicon",
        type=Path,
        help="folder with positive-words.txt and negative-words.txt (default: VADER's)",
    )
    parser.add_argument("--words", help="word,word,...: where these lie")
    parser.add_argument(
        "--reviews", type=Path, help="folder or .tsv of reviews: those nearest to each posterior"
    )
    parser.add_argument("--device", help="cpu or cuda (default: where the classifier is)")
    parser.add_argument("--seed", type=int, default=0)
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl

    sampling = {
        name: getattr(options, name)
        for name in ("prior", "width", "engine", "chains", "draws", "warmup", "paper_mode")
    }
    sampling |= {"device": options.device, "seed": options.seed}
    classifier = bl.load(options.subject, kind="classifier")
    if options.alone:
        if options.words or options.reviews:
            raise QueryError("--alone reads nothing: leave it out to place words and reviews.")
        drawn = bl.sample_posterior(classifier, options.label, context=shown_progress(), **sampling)
        finish_line()
        put_out(drawn, options)
        return 0
    overview = bl.posterior(
        classifier,
        options.label,
        other=options.other,
        axes=options.axes,
        distance=options.distance,
        groups=groups_of(options.groups),
        lexicon=options.lexicon,
        context=shown_progress(),
        **sampling,
    )
    finish_line()
    put_out(overview, options)
    if options.words:
        _place(overview, classifier, options)
    if options.reviews:
        space = bl.ReviewSpace.read(classifier, options.reviews)
        for result in overview.posteriors.values():
            print()
            print(bl.nearest_reviews(classifier, result, space).summary())
    if overview.failure:
        raise PosteriorError(overview.failure)
    return 0


def _place(
    overview: PosteriorOverview, classifier: Classifier, options: argparse.Namespace
) -> None:
    """Print where words lie: distance and place among all words, and log density difference."""
    import biaslab as bl

    asked = [word.strip() for word in options.words.split(",") if word.strip()]
    drawn: Mapping[str, PosteriorResult] = overview.posteriors
    for label, result in drawn.items():
        every = bl.posterior_distances(result, classifier, distance=options.distance)
        found = bl.posterior_distances(result, classifier, asked, distance=options.distance)
        print(f"\nDistance to {label!r}, {every.formula}:")
        for term in found.terms:
            one = found.word(term)
            rank = 1 + int((every.mean < one.distance - 1e-9).sum())
            half = (one.interval.high - one.interval.low) / 2
            print(
                f"{term:20} {one.distance:.4f} ± {half:.4f}, rank {rank:,} of "
                f"{len(every.terms):,} words"
            )
        for lost in found.dropped:
            print(f"{lost.term:20} {lost.reason}")
    if overview.failure:  # the classifier cannot be asked about words
        return
    plane = bl.posterior_plane(drawn, classifier, asked, axes="pca")
    if len(plane.log_density_difference):
        a, b = plane.labels
        for term in plane.terms:
            print(f"{term:20} log p(w|{a}) - log p(w|{b}) = {plane.word(term)[1]:+.2f}")
