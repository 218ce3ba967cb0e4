"""``biaslab probe seat`` and ``ceat``: associate words in sentences, as an encoder reads them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands
from biaslab.cli.common_options import add_device, add_seed
from biaslab.cli.outputs import add_outputs, put_out

if TYPE_CHECKING:
    from biaslab.subjects import EmbeddingSubject


def add(probes: Commands) -> None:
    """Add the commands."""
    seat = probes.add_parser(
        "seat", help="Sentence Encoder Association Test: WEAT over sentences from templates"
    )
    _common(seat)
    seat.add_argument(
        "--templates",
        type=Path,
        metavar="FILE",
        help="sentences with {} in place of the word, one per line",
    )
    seat.add_argument(
        "--pooling",
        choices=("term", "mean", "cls", "last"),
        help="which token vectors represent a sentence (default: the encoder's own)",
    )
    seat.set_defaults(handler=_seat)
    ceat = probes.add_parser(
        "ceat", help="Contextualized Embedding Association Test: WEAT over sampled contexts"
    )
    _common(ceat)
    ceat.add_argument(
        "--contexts",
        type=Path,
        metavar="FILE",
        help="texts that contain the words, or sentences with {} in place of the word",
    )
    ceat.add_argument(
        "--draws",
        type=int,
        default=10_000,
        help="random samples of contexts (default: %(default)s)",
    )
    ceat.set_defaults(handler=_ceat)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", help="folder of a language model, or hf:NAME")
    parser.add_argument("spec", help="name or file of a spec with two groups, such as weat-7")
    parser.add_argument("--groups", metavar="NAME,NAME", help="two groups of the spec")
    add_device(parser)
    add_seed(parser)
    add_outputs(parser)


def _seat(options: argparse.Namespace) -> int:
    import biaslab as bl
    from biaslab.probes.association.sentence_lists import BLEACHED

    templates = BLEACHED if options.templates is None else _lines(options.templates)
    result = bl.association.seat(
        _encoder(options),
        options.spec,
        groups=_groups(options.groups),
        templates=templates,
        pooling=options.pooling,
        rng=options.seed,
    )
    put_out(result, options)
    return 0


def _ceat(options: argparse.Namespace) -> int:
    import biaslab as bl

    result = bl.association.ceat(
        _encoder(options),
        options.spec,
        groups=_groups(options.groups),
        contexts=options.contexts,
        draws=options.draws,
        rng=options.seed,
    )
    put_out(result, options)
    return 0


def _encoder(options: argparse.Namespace) -> EmbeddingSubject:
    import biaslab as bl

    return bl.load(options.subject, kind="encoder", device=options.device)


def _groups(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


def _lines(path: Path) -> list[str]:
    from biaslab.errors import QueryError

    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{path} cannot be read as UTF-8 text: {error}.") from error
    return [line.strip() for line in lines if line.strip()]
