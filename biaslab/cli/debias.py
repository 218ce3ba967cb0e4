"""``biaslab debias``: write a debiased copy of an embedding or ensemble."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("debias", help="write a debiased copy of an embedding or ensemble")
    parser.add_argument("subject", help="bundled name, file or folder")
    parser.add_argument("--spec", help="spec with the defining sets, such as gender-pairs")
    parser.add_argument(
        "--defining",
        metavar="SETS",
        help="defining sets in place of a spec: she,he;woman,man (two or more words per set)",
    )
    parser.add_argument(
        "--equalize", metavar="SETS", help="equality sets (default: the defining sets)"
    )
    parser.add_argument(
        "--method",
        choices=("hard", "soft"),
        default="hard",
        help="hard or soft debiasing (default: %(default)s)",
    )
    parser.add_argument("--groups", metavar="NAME,NAME", help="two groups of the spec")
    parser.add_argument("--components", type=int, help="dimensions of the bias subspace")
    parser.add_argument(
        "--specific",
        type=Path,
        metavar="FILE",
        help="words that keep their group component, one per line",
    )
    parser.add_argument(
        "--neutral",
        metavar="FILE",
        help="words to neutralise, one per line, or 'spec' for those of the spec (default: all)",
    )
    parser.add_argument(
        "--lam",
        type=float,
        default=0.2,
        help="weight of bias removal in soft debiasing (default: %(default)s)",
    )
    parser.add_argument(
        "--objective",
        choices=("mean", "sum"),
        default="mean",
        help="whether soft debiasing averages or sums over words (default: %(default)s)",
    )
    parser.add_argument("--unit", action="store_true", help="scale every vector to length 1")
    parser.add_argument(
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="file to write: .safetensors or .npz; .npz for an ensemble",
    )
    parser.set_defaults(handler=_debias)


def _debias(options: argparse.Namespace) -> int:
    import biaslab as bl
    from biaslab.errors import QueryError
    from biaslab.probes.unknown_words import lines

    if options.output.suffix not in (".npz", ".safetensors"):
        raise QueryError(f"{options.output}: the name must end in .npz or .safetensors.")
    neutral = options.neutral
    if neutral is not None and neutral != "spec":
        neutral = _words(Path(neutral))
    subject = bl.debias(
        bl.load(options.subject),
        options.spec,
        method=options.method,
        defining=_sets(options.defining),
        equalize=_sets(options.equalize),
        neutral=neutral,
        specific=_words(options.specific) if options.specific else (),
        groups=tuple(options.groups.split(",")) if options.groups else None,
        components=options.components,
        lam=options.lam,
        objective=options.objective,
        unit=options.unit,
    )
    subject.save(options.output)
    print(subject.derivation.summary())
    for line in lines(subject.derivation.dropped):
        print(line)
    print(f"Written to {options.output}.")
    return 0


def _sets(text: str | None) -> list[list[str]] | None:
    return None if text is None else [each.split(",") for each in text.split(";")]


def _words(path: Path) -> list[str]:
    from biaslab.errors import QueryError

    try:
        words = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QueryError(f"{path} cannot be read as UTF-8 text: {error}.") from error
    return [word.strip() for word in words if word.strip()]
