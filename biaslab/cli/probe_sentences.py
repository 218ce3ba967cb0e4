"""``biaslab probe seat`` and ``ceat``: association of words in sentences, by an encoder."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out

if TYPE_CHECKING:
    from biaslab.subjects import EmbeddingSubject


def add(probes: Commands) -> None:
    """Add the commands."""
    seat = probes.add_parser("seat", help="WEAT over sentences from templates, by an encoder")
    _common(seat)
    seat.add_argument("--templates", type=Path, help="file of sentences with {}, one a line")
    seat.add_argument("--pooling", choices=("term", "mean", "cls", "last"))
    seat.set_defaults(handler=_seat)
    ceat = probes.add_parser("ceat", help="WEAT over sampled contexts, by an encoder")
    _common(ceat)
    ceat.add_argument("--contexts", type=Path, help="file of texts, or sentences with {}")
    ceat.add_argument("--draws", type=int, default=10_000)
    ceat.set_defaults(handler=_ceat)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("subject", help="folder of a language model, or hf:NAME")
    parser.add_argument("spec", help="name or file of a spec with two groups, such as weat-7")
    parser.add_argument("--groups", help="two groups of the spec: name,name")
    parser.add_argument("--device", help="cpu or cuda; the GPU where there is one")
    parser.add_argument("--seed", type=int, default=0)
    add_outputs(parser)


def _seat(options: argparse.Namespace) -> int:
    import biaslab as bl
    from biaslab.probes.association.sentence_lists import BLEACHED

    templates = BLEACHED if options.templates is None else _lines(options.templates)
    result = bl.seat(
        _encoder(options),
        options.spec,
        groups=_groups(options.groups),
        templates=templates,
        pooling=options.pooling,
        seed=options.seed,
    )
    put_out(result, options)
    return 0


def _ceat(options: argparse.Namespace) -> int:
    import biaslab as bl

    result = bl.ceat(
        _encoder(options),
        options.spec,
        groups=_groups(options.groups),
        contexts=options.contexts,
        draws=options.draws,
        seed=options.seed,
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
        found = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{path} cannot be read as UTF-8 text: {error}.") from error
    return [line.strip() for line in found if line.strip()]
