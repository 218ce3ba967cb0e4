"""``biaslab train language-model``: a small causal or masked language model from scratch."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from biaslab.cli.commands import Commands


def add(kinds: Commands) -> None:
    """Add the command to those of ``biaslab train``."""
    from biaslab.training.language_model_settings import KINDS, LanguageModelSettings

    default = LanguageModelSettings()
    parser = kinds.add_parser(
        "language-model",
        help="a small causal or masked language model; a stopped run continues with --resume",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--kind", required=True, help=f"one of: {', '.join(KINDS)}")
    parser.add_argument("--corpus", type=Path, required=True, help="text file, dump or folder")
    parser.add_argument("--output", type=Path, required=True, help="folder of the model")
    budget = parser.add_mutually_exclusive_group(required=True)
    budget.add_argument("--tokens", type=int, help="train on so many tokens")
    budget.add_argument("--hours", type=float, help="train for so many hours, over all starts")
    parser.add_argument("--vocabulary", type=int, default=default.vocabulary)
    parser.add_argument("--layers", type=int, default=default.layers)
    parser.add_argument("--width", type=int, default=default.width)
    parser.add_argument("--heads", type=int, default=default.heads)
    parser.add_argument("--inner", type=int, default=default.inner, help="feed-forward size")
    parser.add_argument("--context", type=int, default=default.context, help="tokens of a sequence")
    parser.add_argument("--batch", type=int, default=default.batch, help="sequences of a step")
    parser.add_argument("--seed", type=int, default=default.seed)
    parser.add_argument(
        "--held-out", type=float, default=default.held_out, help="share of articles kept out"
    )
    parser.add_argument(
        "--emphasise",
        metavar="WORDS",
        help="words, apart by commas, whose passages are seen more often from here on",
    )
    parser.add_argument(
        "--emphasis-share", type=float, default=0.25, help="share of sequences that hold one"
    )
    parser.add_argument("--data", type=Path, help="folder of the encoded corpus, to be shared")
    parser.add_argument("--device", help="cpu or cuda; the GPU where there is one")
    parser.add_argument("--threads", type=int, help="processor threads")
    parser.add_argument(
        "--resume", action="store_true", help="continue; the budget may be larger than it was"
    )
    parser.set_defaults(handler=_train)


def _train(options: argparse.Namespace) -> int:
    from biaslab.training.language_model_settings import Budget, LanguageModelSettings

    settings = LanguageModelSettings(
        kind=options.kind,
        vocabulary=options.vocabulary,
        layers=options.layers,
        width=options.width,
        heads=options.heads,
        inner=options.inner,
        context=options.context,
        batch=options.batch,
        seed=options.seed,
        held_out=options.held_out,
    )
    budget = Budget(tokens=options.tokens, hours=options.hours)
    from biaslab.training.language_model import LanguageModelProgress, train_language_model
    from biaslab.training.language_model_data import prepare_tokens
    from biaslab.training.language_model_emphasis import Emphasis

    emphasis = None
    if options.emphasise is not None:
        words = tuple(word.strip() for word in options.emphasise.split(","))
        emphasis = Emphasis(words, options.emphasis_share)

    def show(progress: LanguageModelProgress) -> None:
        left = progress.seconds_left
        estimate = f", about {max(1, round(left / 60))} min left" if left is not None else ""
        print(
            f"\r{progress.share:.1%}: {progress.tokens:,} tokens, loss {progress.loss:.3f}, "
            f"{progress.pace:,.0f} tokens a second{estimate}    ",
            end="",
            flush=True,
        )

    data = options.data or options.output / "data"
    # Minutes of work that a signal may end as usual: it begins anew.
    prepare_tokens(options.corpus, data, settings)
    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set())
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        finished = train_language_model(
            options.corpus,
            options.output,
            budget,
            settings,
            data=data,
            resume=options.resume,
            device=options.device,
            threads=options.threads,
            emphasis=emphasis,
            stop=stopped.is_set,
            on_progress=show,
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    state = "Finished" if finished else "Stopped; --resume continues"
    print(f"\n{state}: {options.output} holds the model as it is now.")
    return 0
