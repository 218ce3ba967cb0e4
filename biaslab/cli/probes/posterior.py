"""``biaslab probe posterior``: sample the points that a classifier gives a label."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import SEED, names, nonempty_names
from biaslab.cli.output import OUTPUTS, put_out, shown_progress
from biaslab.cli.probes.psychometrics import groups_of
from biaslab.errors import PosteriorError, QueryError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from biaslab.probes.posterior import PosteriorOverview, PosteriorResult
    from biaslab.subjects.classifier.base import Classifier


@command(
    "posterior",
    "what a classifier imagines for a label, and which words lie nearby",
    Option("subject", "bundled name, folder, or hf:NAME of a classifier"),
    Option("--label", "label to draw for", "positive"),
    Option("--other", "label to compare with (default: the first other one)", metavar="LABEL"),
    flag("--alone", "only draw for --label; measure no distances"),
    Option(
        "--prior",
        "stimuli, standard or words (default: stimuli if the classifier's training data are known,"
        " otherwise standard)",
    ),
    Option(
        "--prior-width", "factor on the standard deviations of the prior", 1.0, former="--width"
    ),
    Option(
        "--engine",
        "sampler (default: vectorised)",
        choices=("vectorised", "nuts", "exact", "choices"),
    ),
    Option("--chains", "number of chains", type=int),
    Option("--draws", "draws per chain", type=int),
    Option("--warmup", "warm-up draws per chain", type=int),
    flag(
        "--paper-mode",
        "settings of Liang and Acuna (2020): NUTS, one chain, 10,000 draws after 10,000 of warm-up,"
        " standard normal prior",
    ),
    Option(
        "--distance",
        "distance between words and draws",
        "angular",
        choices=("angular", "half-cosine", "cosine", "euclidean"),
    ),
    Option(
        "--axes",
        "axes of the plane: between the two posteriors' means, or principal components",
        "difference",
        choices=("difference", "pca"),
    ),
    Option("--groups", "spec, or name=word,word;name=word,word", "eec-persons"),
    Option(
        "--lexicon",
        "folder with positive-words.txt and negative-words.txt (default: the VADER lexicon)",
        metavar="FOLDER",
    ),
    Option("--words", "also print where these words lie", metavar="WORD,WORD,..."),
    Option(
        "--reviews",
        "folder or .tsv file of reviews; print those nearest to each posterior",
        metavar="PATH",
    ),
    Option("--device", "cpu or cuda (default: the classifier's device)"),
    SEED,
    *OUTPUTS,
    examples=("biaslab probe posterior imdb-sentiment --words she,he",),
    description="Draw points from the posterior p(s | label) of a classifier, and measure which"
    " words, groups and reviews lie close to them.",
)
def sample_label(options: argparse.Namespace) -> None:
    """Sample one label, or compare two by their distances to words."""
    import biaslab as bl

    named = ("prior", "prior_width", "engine", "chains", "draws", "warmup", "paper_mode")
    sampling = given(options, *named)
    sampling |= {"device": options.device, "rng": options.seed}
    classifier = bl.load(options.subject, kind="classifier")
    if options.alone:
        if options.words or options.reviews:
            raise QueryError(
                "--alone measures no distances: leave it out to use --words or --reviews."
            )
        with shown_progress():
            drawn = bl.sample_posterior(classifier, options.label, **sampling)
        put_out(drawn, options)
        return
    with shown_progress():
        overview = bl.posterior.overview(
            classifier,
            options.label,
            other=options.other,
            axes=options.axes,
            distance=options.distance,
            groups=groups_of(options.groups),
            lexicon=options.lexicon,
            **sampling,
        )
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


def _place(
    overview: PosteriorOverview, classifier: Classifier, options: argparse.Namespace
) -> None:
    """Print distances of words, their ranks among all words, and log density differences."""
    import biaslab as bl

    words = nonempty_names(options.words)
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


@command(
    "portraits",
    "which portraits a vision-language model imagines for a word",
    Option("subject", "bundled name, folder, or hf:NAME of a vision-language model"),
    Option("word", "word that the model says of a portrait, such as nurse"),
    Option(
        "--against",
        "words that it could say instead, or occupations for all it knows (default: executive)",
        type=names,
        metavar="WORD,WORD",
    ),
    Option("--times", "how often in a row it must say the word", 4.0),
    Option(
        "--by",
        "probabilities of the word, or choices between two portraits",
        "probabilities",
        choices=("probabilities", "choices"),
    ),
    Option("--clothes", "clothes that all wear: pullover, or those of an occupation", "pullover"),
    Option("--chains", "number of chains", type=int),
    Option("--draws", "draws per chain", type=int),
    Option("--warmup", "warm-up draws per chain", type=int),
    SEED,
    *OUTPUTS,
    examples=("biaslab probe portraits portrait-clip nurse --against executive",),
    description="Draw portraits from p(portrait | word) of a vision-language model, and measure"
    " how many are drawn as women and which attributes shift.",
)
def imagine_portraits(options: argparse.Namespace) -> None:
    """Sample portraits for one word."""
    import biaslab as bl

    space = bl.posterior.Portraits(**given(options, "against", "times", "by", "clothes"))
    chosen = given(options, "chains", "draws", "warmup")
    with shown_progress():
        drawn = bl.sample_posterior(
            options.subject, options.word, space=space, **chosen, rng=options.seed
        )
    put_out(drawn, options)
