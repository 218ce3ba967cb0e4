"""``biaslab treat``: treat a language model, and measure what changes and what it costs."""

from __future__ import annotations

import argparse
from typing import Any

from biaslab.cli.commands import Option, command
from biaslab.cli.options import MODEL, SEED, SUBJECT, lines, opening
from biaslab.cli.output import OUTPUTS, put_out, shown_progress


@command(
    "treat",
    "treat a language model for a bias, and measure the effect, its costs and a placebo",
    SUBJECT,
    Option(
        "--method",
        "an instruction, an edit of hidden states, or a LoRA adapter",
        "fine-tuning",
        choices=("prompt", "concept erasure", "fine-tuning"),
    ),
    Option("--case", "name of a case, or a .toml file", "hire-by-name"),
    Option("--form", "measure by one candidate or by two", choices=("yes or no", "which of two")),
    Option("--instruction", "text of a prompt (default: one that asks for the same standard)"),
    Option(
        "--layers",
        "layers of concept erasure; 0 is the input (default: 0)",
        nargs="+",
        type=int,
    ),
    Option("--rank", "rank of the adapter (default: 4)", type=int),
    Option("--steps", "steps of fine-tuning (default: 300)", type=int),
    Option("--rate", "learning rate (default: 0.8 over the model's width)", type=float),
    Option("--trials", "most questions of a measurement", type=int),
    Option("--placebos", "random treatments to measure as well", 1),
    Option("--tasks", "questions of other cases, for accuracy and perplexity (default: 240)",
           type=int),
    Option("--held-out", "texts for the perplexity, one per line", metavar="FILE"),
    SEED,
    MODEL,
    Option("--output", "folder for the treated model, which is opened like any other",
           metavar="FOLDER"),
    *OUTPUTS,
    examples=(
        "biaslab treat clerk-lm --method 'concept erasure' --output treated",
        "biaslab treat clerk-lm --case loan --placebos 5 --json loan.json",
    ),
    description="Treat a causal language model by half of a case's cues and wordings, and measure"
    " the gap by the other half: before, after, and after random treatments of the same kind. Costs"
    " are the perplexity of replies and the accuracy on questions of other cases.",
)  # fmt: skip
def treat_model(options: argparse.Namespace) -> None:
    """Treat a model, write it, and print what changed."""
    import biaslab as bl
    from biaslab.probes.treatment import halves, measure_treatment

    subject: Any = bl.load(options.subject, **opening(options))
    learn, unseen = halves(options.case)
    names = ("instruction", "layers", "rank", "steps", "rate")
    how: dict[str, Any] = {
        name: value for name in names if (value := getattr(options, name)) is not None
    }
    if options.method != "prompt":
        how |= {"case": options.case, **learn}
    with shown_progress():
        treated = bl.treat(subject, options.method, rng=options.seed, **how)
        result = measure_treatment(
            subject, treated, case=options.case, placebos=options.placebos,
            held_out=lines(options.held_out) if options.held_out else None, rng=options.seed,
            form=options.form, trials=options.trials,
            tasks=options.tasks, **unseen,
        )  # fmt: skip
    put_out(result, options)
    if options.output:
        treated.save(options.output)
        print(f"Written to {options.output}.")
