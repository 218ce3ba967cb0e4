"""``biaslab probe posterior``: sample the points that a classifier gives a label."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands
from biaslab.cli.common_options import add_seed
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
        help="what a classifier imagines for a label, and which words lie nearby",
        description="Draw points from the posterior p(s | label) of a classifier, and measure which"
        " words, groups and reviews lie close to them.",
    )
    parser.add_argument("subject", help="bundled name, folder, or hf:NAME of a classifier")
    parser.add_argument(
        "--label", default="positive", help="label to draw for (default: %(default)s)"
    )
    parser.add_argument(
        "--other", metavar="LABEL", help="label to compare with (default: the first other one)"
    )
    parser.add_argument(
        "--alone", action="store_true", help="only draw for --label; measure no distances"
    )
    parser.add_argument(
        "--prior",
        help="stimuli, standard or words (default: stimuli if the classifier's training data are"
        " known, otherwise standard)",
    )
    parser.add_argument(
        "--width",
        type=float,
        default=1.0,
        help="factor on the standard deviations of the prior (default: %(default)s)",
    )
    parser.add_argument(
        "--engine",
        choices=("vectorised", "nuts", "exact", "choices"),
        help="sampler (default: vectorised)",
    )
    parser.add_argument("--chains", type=int, help="number of chains")
    parser.add_argument("--draws", type=int, help="draws per chain")
    parser.add_argument("--warmup", type=int, help="warm-up draws per chain")
    parser.add_argument(
        "--paper-mode",
        action="store_true",
        help="settings of Liang and Acuna (2020): NUTS, one chain, 10,000 draws after 10,000 of"
        " warm-up, standard normal prior",
    )
    parser.add_argument(
        "--distance",
        choices=("angular", "half-cosine", "cosine", "euclidean"),
        default="angular",
        help="distance between words and draws (default: %(default)s)",
    )
    parser.add_argument(
        "--axes",
        choices=("difference", "pca"),
        default="difference",
        help="axes of the plane: between the two posteriors' means, or principal components"
        " (default: %(default)s)",
    )
    parser.add_argument(
        "--groups",
        default="eec-persons",
        help="spec, or name=word,word;name=word,word (default: %(default)s)",
    )
    parser.add_argument(
        "--lexicon",
        type=Path,
        metavar="FOLDER",
        help="folder with positive-words.txt and negative-words.txt (default: the VADER lexicon)",
    )
    parser.add_argument("--words", metavar="WORD,WORD,...", help="also print where these words lie")
    parser.add_argument(
        "--reviews",
        type=Path,
        metavar="PATH",
        help="folder or .tsv file of reviews; print those nearest to each posterior",
    )
    parser.add_argument("--device", help="cpu or cuda (default: the classifier's device)")
    add_seed(parser)
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl

    sampling = {
        name: getattr(options, name)
        for name in ("prior", "width", "engine", "chains", "draws", "warmup", "paper_mode")
    }
    sampling |= {"device": options.device, "rng": options.seed}
    classifier = bl.load(options.subject, kind="classifier")
    if options.alone:
        if options.words or options.reviews:
            raise QueryError(
                "--alone measures no distances: leave it out to use --words or --reviews."
            )
        drawn = bl.sample_posterior(classifier, options.label, context=shown_progress(), **sampling)
        finish_line()
        put_out(drawn, options)
        return 0
    overview = bl.posterior.overview(
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
        space = bl.posterior.ReviewSpace.read(classifier, options.reviews)
        for result in overview.posteriors.values():
            print()
            print(bl.posterior.nearest_reviews(classifier, result, space).summary())
    if overview.failure:
        raise PosteriorError(overview.failure)
    return 0


def _place(
    overview: PosteriorOverview, classifier: Classifier, options: argparse.Namespace
) -> None:
    """Print distances of words, their ranks among all words, and log density differences."""
    import biaslab as bl

    words = [word.strip() for word in options.words.split(",") if word.strip()]
    drawn: Mapping[str, PosteriorResult] = overview.posteriors
    for label, result in drawn.items():
        every = bl.posterior.distances(result, classifier, distance=options.distance)
        chosen = bl.posterior.distances(result, classifier, words, distance=options.distance)
        print(f"\nDistance to {label!r}, {every.formula}:")
        for term in chosen.terms:
            one = chosen.word(term)
            rank = 1 + int((every.mean < one.distance - 1e-9).sum())
            half = (one.interval.high - one.interval.low) / 2
            print(
                f"{term:20} {one.distance:.4f} ± {half:.4f}, rank {rank:,} of "
                f"{len(every.terms):,} words"
            )
        for dropped in chosen.dropped:
            print(f"{dropped.term:20} {dropped.reason}")
    if overview.failure:  # no posterior to compare with
        return
    plane = bl.posterior.plane(drawn, classifier, words, axes="pca")
    if len(plane.log_density_difference):
        a, b = plane.labels
        for term in plane.terms:
            print(f"{term:20} log p(w|{a}) - log p(w|{b}) = {plane.word(term)[1]:+.2f}")
