"""Stereotypes of models: ``biaslab probe sentences``, ``images``, ``drawn-people``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import (
    LEVEL,
    MEMORY,
    MODEL,
    OF_A_LANGUAGE,
    RESAMPLES,
    SEED,
    SPEC_OF_TWO_GROUPS,
    SVG,
    TEMPLATE,
    TWO_GROUPS,
    frames_of,
    nonempty_names,
    opening,
    print_crossed,
    two_names,
)
from biaslab.cli.output import OUTPUTS, put_out, put_out_side_by_side, shown_progress

if TYPE_CHECKING:
    from biaslab.frames import FrameSet
    from biaslab.images import ImageSet
    from biaslab.specs import Spec


@command(
    "sentences",
    "whether a language model finds stereotyped sentences more probable",
    Option("subject", "bundled name, folder, or hf:NAME of a language model"),
    Option("spec", SPEC_OF_TWO_GROUPS.format("biastest-math-arts"), nargs="?"),
    Option("--kind", "masked or causal model", choices=("mlm", "clm")),
    Option(
        "--beside",
        "another model to run on the same sentences (repeatable)",
        [],
        action="append",
        metavar="SUBJECT",
    ),
    Option(
        "--sentences", "sentence pairs (default: the bundled pairs of the spec)", metavar="FILE"
    ),
    Option(
        "--frames",
        "pairs made of the frames of a language, such as de (`biaslab specs frames`), in place of a"
        " spec",
        metavar="LANG",
    ),
    *OF_A_LANGUAGE,
    Option(
        "--scorer",
        "how a sentence is scored: pll, crows-pairs, log-likelihood ... (default: pll for a masked"
        " model, log-likelihood for a causal one)",
    ),
    Option(
        "--pairing",
        "swap the group's term (default) or the attribute",
        choices=("group", "attribute"),
    ),
    TWO_GROUPS,
    Option(
        "--weighting",
        "what has equal weight in the headline: both groups' stereotypes, attributes, or pairs",
        "groups",
        choices=("groups", "attributes", "pairs"),
    ),
    LEVEL,
    RESAMPLES,
    MEMORY,
    flag("--no-keep", "do not cache scores; an interrupted run then starts over"),
    MODEL,
    SEED,
    Option("--pairs-csv", "write the scores of every pair to a file", metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe sentences wiki-mlm biastest-math-arts --beside wiki-clm",
        "biaslab probe sentences models/my-xlm-r --frames de --design agreeing",
    ),
)
def compare_sentences(options: argparse.Namespace) -> None:
    """Score the same pairs of sentences with one model or several."""
    import biaslab as bl
    from biaslab.errors import QueryError
    from biaslab.probes.sentences.sources import resolve_pairs
    from biaslab.reports.sentences.chart import side_by_side

    spec = None if options.spec is None else bl.specs.get(options.spec)
    groups = two_names("--groups", options.groups)
    # Made once, so that all models see the same sentences.
    frames = _frames(options)
    pairs = resolve_pairs(spec, frames or options.sentences, options.pairing, groups)
    results = []
    for name in (options.subject, *options.beside):
        lm = bl.load(name, kind=options.kind, **opening(options))
        if getattr(lm, "kind", None) not in ("mlm", "clm"):
            raise QueryError(
                f"{name} is not a language model. Give one with --kind mlm (masked) or --kind clm"
                " (causal)."
            )
        with shown_progress():
            results.append(
                bl.stereotype_score(
                    lm,
                    spec,
                    pairs,
                    memory_mb=options.memory,
                    keep=not options.no_keep,
                    rng=options.seed,
                    weighting=options.weighting,
                    **given(options, "scorer", "level", "resamples"),
                )
            )
    put_out_side_by_side(results, options, chart=side_by_side, raw_csv=options.pairs_csv)
    if frames is not None:
        for result in results:
            print_crossed(result, frames)


def _frames(options: argparse.Namespace) -> FrameSet | None:
    """Return the frames of a language, which stand in place of a spec and a file."""
    from biaslab import frames
    from biaslab.errors import QueryError

    frame_set = frames_of(options)
    if frame_set is None and options.frames is not None:
        frame_set = frames.get(options.frames)  # its error lists the languages
    if frame_set is not None:
        wrong = [f"--{name}" for name in ("sentences", "groups") if getattr(options, name)]
        if wrong := [*(["the spec"] if options.spec else []), *wrong]:
            raise QueryError(
                f"--frames {options.frames} brings its own sentences, items and cues: leave out"
                f" {' and '.join(wrong)}."
            )
    return frame_set


@command(
    "images",
    "whether a vision-language model pairs images with stereotyped concepts",
    Option("subject", "bundled name (portrait-clip), folder, or hf:NAME"),
    Option("spec", SPEC_OF_TWO_GROUPS.format("images-experts-helpers")),
    Option(
        "--beside",
        "another model to run on the same images (repeatable)",
        [],
        action="append",
        metavar="SUBJECT",
    ),
    Option(
        "--images",
        "folder with one subfolder of images per term, or a Hugging Face image dataset"
        " (default: drawn portraits)",
        metavar="FOLDER",
    ),
    Option("--per-term", "portraits to draw of each term", 30),
    TEMPLATE,
    Option(
        "--aggregate",
        "how the probabilities of a list's concepts are combined",
        "sum",
        choices=("sum", "mean", "any"),
    ),
    TWO_GROUPS,
    Option(
        "--attributes",
        "two lists of concepts; the stereotype of the first group comes first",
        metavar="NAME,NAME",
    ),
    LEVEL,
    RESAMPLES,
    Option("--permutations", "random splits in the permutation test if not all are used", 10_000),
    MEMORY,
    flag("--no-keep", "do not cache answers; an interrupted run then starts over"),
    MODEL,
    SEED,
    Option("--images-csv", "write the scores of every image to a file", metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe images portrait-clip images-experts-helpers",
        "biaslab probe images models/my-clip images-experts-helpers --images photographs",
    ),
)
def compare_images(options: argparse.Namespace) -> None:
    """Show the same images to one model or several."""
    import biaslab as bl
    from biaslab.reports.images.chart import side_by_side

    spec = bl.specs.get(options.spec)
    groups = two_names("--groups", options.groups)
    lists = two_names("--attributes", options.attributes, "lists", "science,arts")
    # Made once, so that all models see the same images.
    images = _images(spec, groups, options)
    results = []
    for name in (options.subject, *options.beside):
        vlm = bl.load(name, kind="vlm", **opening(options))
        with shown_progress():
            results.append(
                bl.image_association(
                    vlm,
                    spec,
                    images,
                    templates=options.template,
                    groups=groups,
                    attributes=lists,
                    memory_mb=options.memory,
                    keep=not options.no_keep,
                    rng=options.seed,
                    **given(options, "aggregate", "level", "resamples", "permutations"),
                )
            )
    put_out_side_by_side(results, options, chart=side_by_side, raw_csv=options.images_csv)


def _images(spec: Spec, groups: tuple[str, str] | None, options: argparse.Namespace) -> ImageSet:
    import biaslab as bl

    if options.images is not None:
        return bl.images.read_images(options.images)
    if bl.images.can_be_drawn(spec, groups):
        return bl.images.default_images(
            spec, groups=groups, per_term=options.per_term, seed=options.seed
        )
    terms = bl.images.image_terms(spec, groups)
    return bl.images.find_images(terms, per_term=options.per_term, seed=options.seed)


@command(
    "drawn-people",
    "whom a text-to-image model draws, with the rater's errors taken out",
    Option("subject", "drawn-painter, hf:NAME or folder of a diffusers pipeline, a folder of images"
           " with one subfolder per word, or with --base-url the name of a model"),
    Option("words", "words to draw (default: all of a folder of images)", nargs="*"),
    Option("--base-url", "OpenAI-compatible server of the model", metavar="URL"),
    Option("--rater", "vision-language model that says who is in an image, or a CSV file of labels:"
           " picture, label", "portrait-clip"),
    Option("--calibration", "folder with one subfolder of images per group, or group and word; or a"
           " CSV file of labels of randomly chosen images", metavar="PATH"),
    Option("--groups", "groups, as the rater is asked about them (default: woman,man)",
           type=nonempty_names, metavar="NAME,NAME"),
    Option("--wording", "style or prompt with {term} in it (repeatable)", action="append",
           metavar="TEXT"),
    Option("--per-word", "images to draw of each word", 100),
    Option("--baseline", "word that the others are compared with (default: the first)"),
    Option("--outside", "CSV file of outside shares", metavar="FILE"),
    Option("--sure", "probability below which an answer is 'cannot say'", 0.0),
    TEMPLATE,
    LEVEL,
    MEMORY,
    flag("--no-keep", "do not cache answers and images"),
    SEED,
    Option("--images-csv", "write the rating of every image to a file", metavar="FILE"),
    SVG,
    *OUTPUTS,
    examples=(
        "biaslab probe drawn-people drawn-painter person nurse electrician",
        "biaslab probe drawn-people images/ --rater models/my-clip --calibration labels.csv",
    ),
)  # fmt: skip
def rate_drawn_people(options: argparse.Namespace) -> None:
    """Draw or read images of words, and estimate who is in them."""
    import biaslab as bl
    from biaslab.files.atomic import written
    from biaslab.files.csv_text import frame_text

    subject = options.subject
    if options.base_url:
        subject = bl.images.EndpointPainter(subject, base_url=options.base_url)
    with shown_progress():
        result = bl.probes.images.drawn_people(
            subject,
            options.words or None,
            options.rater,
            wordings=options.wording or ("portrait",),
            templates=options.template,
            memory_mb=options.memory,
            keep=not options.no_keep,
            rng=options.seed,
            **{name: value for name, value in given(
                options, "calibration", "groups", "per_word", "baseline", "outside", "sure", "level"
            ).items() if value is not None},
        )  # fmt: skip
    put_out(result, options)
    if options.images_csv:
        written(frame_text(result.raw_frame()), options.images_csv)
    if options.svg:
        result.to_svg(options.svg)
