"""``biaslab train language-model``: train a small causal or masked language model."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from biaslab.cli.commands import Commands
from biaslab.cli.common_options import add_device

_SIZES = {
    "vocabulary": "tokens in the vocabulary",
    "layers": "transformer layers",
    "width": "dimensions of the hidden states",
    "heads": "attention heads",
    "inner": "dimensions of the feed-forward layers",
    "context": "tokens per sequence",
    "batch": "sequences per step",
    "seed": "random seed",
}
"""Integer settings that an option of the same name changes, with their help texts."""


def add(kinds: Commands) -> None:
    """Add the command to ``biaslab train``."""
    from biaslab.training.language_model_settings import KINDS, LanguageModelSettings

    default = LanguageModelSettings()
    parser = kinds.add_parser(
        "language-model",
        help="a small causal or masked language model",
        description="Train a small causal or masked language model from scratch. --resume continues"
        " an interrupted run.",
    )
    parser.add_argument("--kind", required=True, help=f"one of: {', '.join(KINDS)}")
    parser.add_argument(
        "--corpus",
        type=Path,
        required=True,
        metavar="PATH",
        help="text file, Wikipedia dump or folder",
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FOLDER", help="folder for the model"
    )
    budget = parser.add_mutually_exclusive_group(required=True)
    budget.add_argument("--tokens", type=int, help="number of tokens to train on")
    budget.add_argument("--hours", type=float, help="hours to train, resumed runs included")
    for name, about in _SIZES.items():
        parser.add_argument(
            f"--{name}",
            type=int,
            default=getattr(default, name),
            help=f"{about} (default: %(default)s)",
        )
    parser.add_argument(
        "--held-out",
        type=float,
        default=default.held_out,
        help="share of articles held out for evaluation (default: %(default)s)",
    )
    parser.add_argument(
        "--emphasise",
        metavar="WORDS",
        help="comma-separated words whose passages are shown more often from now on",
    )
    parser.add_argument(
        "--emphasis-share",
        type=float,
        default=0.25,
        help="share of sequences that contain one of these words (default: %(default)s)",
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="FOLDER",
        help="folder for the encoded corpus, which several runs may share",
    )
    add_device(parser)
    parser.add_argument("--threads", type=int, help="number of processor threads")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue an interrupted run, or one whose budget you raise",
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
    # Before the handlers are set: a signal may end this step, which a new run repeats.
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
    state = "Finished." if finished else "Stopped. Continue with --resume."
    print(f"\n{state} The model is in {options.output}.")
    return 0
