"""``biaslab probe sentences``: which version of a sentence a language model finds more probable."""

from __future__ import annotations

import argparse
from pathlib import Path

from biaslab.cli.commands import Commands
from biaslab.cli.outputs import add_outputs, put_out
from biaslab.cli.progress_line import finish_line, shown_progress


def add(probes: Commands) -> None:
    """Add the command."""
    parser = probes.add_parser(
        "sentences",
        help="which version of a sentence a language model finds more probable",
    )
    parser.add_argument("subject", help="bundled name, folder, or hf:NAME of a language model")
    parser.add_argument(
        "spec", nargs="?", help="name or file of a spec with two groups, such as biastest-math-arts"
    )
    parser.add_argument("--kind", choices=("mlm", "clm"), help="masked or causal model")
    parser.add_argument(
        "--beside",
        action="append",
        default=[],
        metavar="SUBJECT",
        help="another model on the same sentences; may be given several times",
    )
    parser.add_argument(
        "--sentences", type=Path, help="file of pairs (default: those made for the spec)"
    )
    parser.add_argument("--scorer", help="such as pll, crows-pairs or log-likelihood")
    parser.add_argument(
        "--pairing",
        choices=("group", "attribute"),
        help="what is swapped: the group's term (default), or the attribute",
    )
    parser.add_argument("--groups", help="two groups of the spec: name,name")
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parser.add_argument("--resamples", type=int, default=2000, help="of the bootstrap")
    parser.add_argument("--memory", type=float, metavar="MB", help="what a batch may take")
    parser.add_argument(
        "--no-keep", action="store_true", help="keep no scores: a killed run begins anew"
    )
    parser.add_argument("--device", help="cpu or cuda; the GPU where there is one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pairs-csv", type=Path, help="write every pair's scores to a file")
    parser.add_argument("--svg", type=Path, help="write a picture to a file")
    add_outputs(parser)
    parser.set_defaults(handler=_run)


def _run(options: argparse.Namespace) -> int:
    import biaslab as bl
    from biaslab.atomic import write_atomically
    from biaslab.cli.two_names import two_names
    from biaslab.errors import QueryError
    from biaslab.probes.sentences.asked import asked_pairs

    spec = None if options.spec is None else bl.specs.get(options.spec)
    groups = None if options.groups is None else two_names("--groups", options.groups)
    # Made once, so that all models meet the same sentences.
    pairs = asked_pairs(spec, options.sentences, options.pairing, groups)
    found = []
    for name in (options.subject, *options.beside):
        lm = bl.load(name, kind=options.kind, device=options.device)
        scorer = options.scorer
        if getattr(lm, "kind", None) not in ("mlm", "clm"):
            raise QueryError(
                f"{name} is no language model: name one, and say --kind mlm or --kind clm."
            )
        found.append(
            bl.stereotype_score(
                lm,
                spec,
                pairs,
                scorer=scorer,
                level=options.level,
                resamples=options.resamples,
                memory_mb=options.memory,
                keep=not options.no_keep,
                seed=options.seed,
                context=shown_progress(),
            )
        )
        finish_line()
    first, *others = found
    put_out(first, options)
    for other in others:
        print(f"\n{other.summary()}")
        print(first.compared_with(other, resamples=options.resamples, seed=options.seed).summary())
    if options.pairs_csv:
        import pandas as pd

        frames = [one.sentences_frame().assign(model=one.provenance.subject) for one in found]
        table = pd.concat(frames, ignore_index=True)
        write_atomically(options.pairs_csv, table.to_csv(index=False, lineterminator="\n"))
    if options.svg:
        from biaslab.reports import svg
        from biaslab.reports.sentences.chart import side_by_side

        write_atomically(options.svg, svg.paint(side_by_side(found)))
    return 0
