"""``biaslab train language-model``: train a small causal or masked language model."""

from __future__ import annotations

import argparse

from biaslab.cli.commands import ExactlyOne, Option, command, flag, given
from biaslab.cli.options import DEVICE, MODEL_FOLDER, THREADS
from biaslab.cli.training_progress import show_progress
from biaslab.cli.training_signals import stop_on_signals
from biaslab.training.language_model_settings import KINDS, Budget, LanguageModelSettings

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
_DEFAULT = LanguageModelSettings()


@command(
    "language-model",
    "a small causal or masked language model",
    Option("--kind", f"one of: {', '.join(KINDS)}", required=True),
    Option("--corpus", "text file, Wikipedia dump or folder", required=True, metavar="PATH"),
    MODEL_FOLDER,
    ExactlyOne(
        Option("--tokens", "number of tokens to train on", type=int),
        Option("--hours", "hours to train, resumed runs included", type=float),
    ),
    *(Option(f"--{name}", about, getattr(_DEFAULT, name)) for name, about in _SIZES.items()),
    Option("--held-out", "share of articles held out for evaluation", _DEFAULT.held_out),
    Option(
        "--emphasise",
        "comma-separated words whose passages are shown more often from now on",
        metavar="WORDS",
    ),
    Option("--emphasis-share", "share of sequences that contain one of these words", 0.25),
    Option(
        "--data", "folder for the encoded corpus, which several runs may share", metavar="FOLDER"
    ),
    DEVICE,
    THREADS,
    flag("--resume", "continue an interrupted run, or one whose budget you raise"),
    examples=(
        "biaslab train language-model --kind causal --corpus corpus.txt --output my-lm --hours 2",
    ),
    description="Train a small causal or masked language model from scratch. --resume continues"
    " an interrupted run.",
)
def train_model(options: argparse.Namespace) -> None:
    """Train until the budget is spent, or until a signal arrives."""
    settings = LanguageModelSettings(**given(options, "kind", *_SIZES, "held_out"))
    budget = Budget(**given(options, "tokens", "hours"))
    # Imported after the checks above, so that their messages do not wait for torch.
    from biaslab.training.language_model import train_language_model
    from biaslab.training.language_model_data import prepare_tokens
    from biaslab.training.language_model_emphasis import Emphasis

    emphasis = None
    if options.emphasise is not None:
        words = tuple(word.strip() for word in options.emphasise.split(","))
        emphasis = Emphasis(words, options.emphasis_share)

    text = "{seen:,} tokens, loss {loss:.3f}, {pace:,.0f} tokens a second"
    data = options.data or options.output / "data"
    # Before the handlers are set: a signal may end this step, which a new run repeats.
    prepare_tokens(options.corpus, data, settings)
    with stop_on_signals() as stopped:
        finished = train_language_model(
            options.corpus,
            options.output,
            budget,
            settings,
            data=data,
            emphasis=emphasis,
            stop=stopped,
            on_progress=show_progress(text),
            **given(options, "resume", "device", "threads"),
        )
    state = "Finished." if finished else "Stopped. Continue with --resume."
    print(f"\n{state} The model is in {options.output}.")
