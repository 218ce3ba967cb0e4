"""Commands on embeddings: ``biaslab debias`` and ``biaslab evaluate``."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Option, command, flag, given
from biaslab.cli.options import SUBJECT, TWO_GROUPS, lines
from biaslab.cli.output import OUTPUTS, in_shell, write_outputs


@command(
    "debias",
    "write a debiased copy of an embedding or ensemble",
    SUBJECT,
    Option("--spec", "spec with the defining sets, such as gender-pairs"),
    Option(
        "--defining",
        "defining sets in place of a spec: she,he;woman,man (two or more words per set)",
        metavar="SETS",
    ),
    Option("--equalize", "equality sets (default: the defining sets)", metavar="SETS"),
    Option("--method", "hard or soft debiasing", "hard", choices=("hard", "soft")),
    TWO_GROUPS,
    Option("--components", "dimensions of the bias subspace", type=int),
    Option("--specific", "words that keep their group component, one per line", metavar="FILE"),
    Option(
        "--neutral",
        "words to neutralise, one per line, or 'spec' for those of the spec (default: all)",
        metavar="FILE",
        type=str,
    ),
    Option("--penalty", "weight of the remaining bias in soft debiasing", 0.2, former="--lam"),
    Option(
        "--objective",
        "whether soft debiasing averages or sums over words",
        "mean",
        choices=("mean", "sum"),
    ),
    flag("--unit", "scale every vector to length 1"),
    Option(
        "--output",
        "file to write: .safetensors or .npz; .npz for an ensemble",
        required=True,
        metavar="FILE",
    ),
    examples=(
        "biaslab debias wiki-bootstraps --spec gender-pairs --output fair.npz",
        "biaslab debias vectors.txt --defining 'she,he;woman,man' --output fair.npz",
    ),
)
def write_debiased(options: argparse.Namespace) -> None:
    """Debias a subject, write it, and print what changed."""
    import biaslab as bl
    from biaslab.errors import QueryError
    from biaslab.probes import unknown_words

    if options.output.suffix not in (".npz", ".safetensors"):
        raise QueryError(f"{options.output}: the name must end in .npz or .safetensors.")
    neutral = options.neutral
    if neutral is not None and neutral != "spec":
        neutral = lines(Path(neutral))
    subject = bl.debias(
        bl.load(options.subject),
        options.spec,
        defining=_sets(options.defining),
        equalize=_sets(options.equalize),
        neutral=neutral,
        specific=lines(options.specific) if options.specific else (),
        groups=tuple(options.groups.split(",")) if options.groups else None,
        **given(options, "method", "components", "penalty", "objective", "unit"),
    )
    subject.save(options.output)
    print(subject.derivation.summary())
    for line in unknown_words.lines(subject.derivation.dropped):
        print(line)
    print(f"Written to {options.output}.")


def _sets(text: str | None) -> list[list[str]] | None:
    return None if text is None else [each.split(",") for each in text.split(";")]


@command(
    "evaluate",
    "compare an embedding with human judgements of word similarity",
    SUBJECT,
    Option(
        "--similarity",
        "word pairs with human ratings; one pair per line: word, tab, word, tab, score",
        nargs="+",
        required=True,
        metavar="FILE",
    ),
    *OUTPUTS,
    examples=("biaslab evaluate wiki-bootstraps --similarity wordsim353.tsv",),
)
def compare_with_judgements(options: argparse.Namespace) -> None:
    """Correlate cosines with human ratings, and list words that are unknown."""
    import biaslab as bl

    result = bl.probes.similarity.word_similarity(bl.load(options.subject), options.similarity)
    print(in_shell(result.summary()))
    if result.dropped:
        words = ", ".join(f"{one.term} ({one.role})" for one in result.dropped[:10])
        more = f" and {len(result.dropped) - 10} more" if len(result.dropped) > 10 else ""
        print(f"Unknown words: {words}{more}.")
    write_outputs(result, options)
