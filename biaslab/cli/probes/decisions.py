"""``biaslab probe decisions``: how much more one group must bring to be treated alike."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from biaslab.cli.commands import Group, Option, command, flag, given
from biaslab.cli.options import LEVEL, MODEL, opening
from biaslab.cli.output import OUTPUTS, put_out, shown_progress
from biaslab.files.csv_text import frame_text


def _price(text: str) -> tuple[float, float]:
    read, _, written = text.partition("/")
    return float(read), float(written)


_CHAT, _INSPECT = "chat:", "inspect:"
_SIMULATED = "observer"


@command(
    "decisions",
    "how much more one group must bring to be treated alike",
    Option("case", "name of a case, or a .toml file (default: hire-by-name)", nargs="?"),
    Option(
        "--subject",
        "bundled name or folder of a causal language model or a text classifier; hf:NAME with"
        " --kind; name of a service or function of your own; chat:MODEL; inspect:PROVIDER/MODEL;"
        " or observer for a simulated decider (default)",
        _SIMULATED,
    ),
    Option("--kind", "kind of an hf: model", choices=("clm", "classifier")),
    MODEL,
    Option("--form", "one candidate or two", choices=("yes or no", "which of two")),
    Option("--groups", "groups to compare, such as 'white-sounding names' 'Black-sounding names'",
           nargs="+"),
    Option("--wordings", "numbers of the wordings to use, from 1 (default: all)", nargs="+",
           type=int),
    Option("--orders", "list the answers, or the candidates, in both orders (default), or as given",
           choices=("both", "given")),
    Option("--method", "where levels are placed", choices=("fixed", "adaptive")),
    Option("--trials", "most questions", type=int),
    Option("--width", "width of the gap's interval at which to stop", type=float),
    Option("--margin", "gaps up to this count as treated alike", type=float),
    Option("--levels", "number of fixed levels", type=int),
    Option("--batch", "questions put together", 16),
    Option("--lapses", "answers whatever the level: free (of each group, default) to none",
           choices=("free", "shared", "equal", "none")),
    Option("--slopes", "whether each group's curve has a slope of its own (default: free)",
           choices=("free", "shared")),
    LEVEL,
    flag("--cannot-say", "offer the answer that it cannot decide"),
    Option("--seed", "random seed of the order of questions", 0),
    flag("--no-keep", "do not store replies"),
    flag("--plan", "print the number of questions, and put none"),
    Option("--trials-csv", "write the trials to a CSV file", metavar="FILE"),
    Group(
        "options for chat models",
        Option(
            "--base-url",
            "address of the server (default: $OPENAI_BASE_URL, or OpenAI); $OPENAI_API_KEY is sent"
            " to the default server only",
            metavar="URL",
        ),
        Option("--system", "message before each question", ""),
        Option("--temperature", "of the replies", 1.0),
        Option("--max-tokens", "longest reply in tokens, thoughts included", 2048),
        Option(
            "--price",
            "price of a million tokens read and of a million written, such as 0.15/0.60",
            type=_price,
            metavar="PRICES",
        ),
    ),
    *OUTPUTS,
    examples=(
        "biaslab probe decisions hire-by-name --subject clerk-lm",
        "biaslab probe decisions loan --subject chat:my-model --plan",
        "biaslab probe decisions case.toml --subject chat:my-model --temperature 0.7 --width 2",
    ),
    description="Vary one quality of a case, let the subject decide, and find for each group the"
    " level at which it says yes as often as no. The gap between these levels is the bias, in the"
    " quality's unit.",
)  # fmt: skip
def measure_gap(options: argparse.Namespace) -> None:
    """Ask a subject about a case, or only print what that takes."""
    import biaslab as bl
    from biaslab.files.atomic import write_atomically

    subject = _subject(options)
    case = options.case or "hire-by-name"
    arguments: dict[str, Any] = {
        **given(
            options,
            "form",
            "wordings",
            "orders",
            "method",
            "trials",
            "width",
            "margin",
            "levels",
            "batch",
            "lapses",
            "slopes",
            "level",
        ),
        "groups": options.groups,
        "cannot_say": options.cannot_say,
        "rng": options.seed,
    }
    arguments = {name: value for name, value in arguments.items() if value is not None}
    is_open = not isinstance(subject, str)
    if options.plan or (is_open and sys.stderr.isatty()):
        planned = bl.probes.decisions.plan(subject, case, **arguments)
        if options.plan:
            print(planned.summary())
            return
        if planned.time:
            print(planned.summary(), file=sys.stderr)
    with shown_progress():
        result = bl.decisions(subject, case, **arguments, keep=not options.no_keep)
    put_out(result, options)
    if options.trials_csv:
        table = frame_text(result.raw_frame())
        write_atomically(options.trials_csv, table)


def _subject(options: argparse.Namespace) -> Any:
    import biaslab as bl
    from biaslab.deciders import ChatDecider, InspectDecider, Price

    name: str = options.subject
    if name == _SIMULATED:
        return bl.observers.decider(options.case or "hire-by-name")
    replies = {
        "system": options.system,
        "temperature": options.temperature,
        "max_tokens": options.max_tokens,
    }
    if name.startswith(_CHAT):
        price = Price(*options.price) if options.price else None
        model = name.removeprefix(_CHAT)
        return ChatDecider(model, base_url=options.base_url, price=price, **replies)
    if name.startswith(_INSPECT):
        return InspectDecider(name.removeprefix(_INSPECT), **replies)
    how = opening(options) | ({"kind": options.kind} if options.kind else {})
    # Services and functions of one's own are found by the probe, which takes names.
    return bl.load(name, **how) if how else name
