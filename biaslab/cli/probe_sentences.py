"""``biaslab probe seat`` and ``ceat``: associate words in sentences, as an encoder reads them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from biaslab.cli.commands import Option, command, given
from biaslab.cli.common_options import MODEL, SEED, SPEC_OF_TWO_GROUPS, opening
from biaslab.cli.outputs import OUTPUTS, put_out
from biaslab.cli.texts import lines, names

if TYPE_CHECKING:
    from biaslab.subjects import EmbeddingSubject

_COMMON = (
    Option("subject", "folder of a language model, or hf:NAME"),
    Option("spec", SPEC_OF_TWO_GROUPS.format("weat-7")),
    Option("--groups", "two groups of the spec", type=names, metavar="NAME,NAME"),
    MODEL,
    SEED,
    *OUTPUTS,
)


@command(
    "seat",
    "Sentence Encoder Association Test: WEAT over sentences from templates",
    *_COMMON,
    Option("--templates", "sentences with {} in place of the word, one per line", metavar="FILE"),
    Option(
        "--pooling",
        "which token vectors represent a sentence (default: the encoder's own)",
        choices=("term", "mean", "cls", "last"),
    ),
    examples=("biaslab probe seat wiki-mlm weat-7",),
)
def run_seat(options: argparse.Namespace) -> None:
    """Test words in sentences made from templates."""
    import biaslab as bl
    from biaslab.probes.association.sentence_lists import BLEACHED

    templates = BLEACHED if options.templates is None else lines(options.templates)
    result = bl.association.seat(
        _encoder(options),
        options.spec,
        templates=templates,
        rng=options.seed,
        **given(options, "groups", "pooling"),
    )
    put_out(result, options)


@command(
    "ceat",
    "Contextualized Embedding Association Test: WEAT over sampled contexts",
    *_COMMON,
    Option(
        "--contexts",
        "texts that contain the words, or sentences with {} in place of the word",
        metavar="FILE",
    ),
    Option("--draws", "random samples of contexts", 10_000),
    examples=("biaslab probe ceat wiki-mlm weat-7 --contexts texts.txt",),
)
def run_ceat(options: argparse.Namespace) -> None:
    """Test words in sampled contexts."""
    import biaslab as bl

    result = bl.association.ceat(
        _encoder(options),
        options.spec,
        rng=options.seed,
        **given(options, "groups", "contexts", "draws"),
    )
    put_out(result, options)


def _encoder(options: argparse.Namespace) -> EmbeddingSubject:
    import biaslab as bl

    encoder: EmbeddingSubject = bl.load(options.subject, kind="encoder", **opening(options))
    return encoder
