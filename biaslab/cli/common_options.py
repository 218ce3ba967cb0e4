"""Options that several commands share, with the same names and help texts."""

from __future__ import annotations

import argparse
from typing import Any

from biaslab.cli.commands import Group, Option
from biaslab.cli.texts import names

SUBJECT = Option("subject", "bundled name, file or folder")
SPEC_OF_TWO_GROUPS = "name or file of a spec with two groups, such as {}"
"""Help text of ``spec``, with a place for an example."""
GROUPS = Option("--groups", "groups of the spec to use, in order", type=names, metavar="NAME,NAME")
TWO_GROUPS = Option("--groups", "two groups of the spec", metavar="NAME,NAME")
LEVEL = Option("--level", "level of the intervals", 0.95)
RESAMPLES = Option("--resamples", "bootstrap resamples", 2000)
SEED = Option("--seed", "random seed", 0)
MEMORY = Option("--memory", "memory limit of a batch in MB", type=float, metavar="MB")
DEVICE = Option("--device", "cpu or cuda (default: the GPU if there is one)")
THREADS = Option("--threads", "number of processor threads", type=int)
MODEL_FOLDER = Option("--output", "folder for the model", required=True, metavar="FOLDER")
PORTRAIT_FOLDER = Option(
    "--data", "folder for the drawn portraits, which several runs may share", metavar="FOLDER"
)
STRENGTH = Option("--strength", "factor on the planted bias; 0 plants none", 1.0)
TEMPLATE = Option(
    "--template",
    "caption with {concept} in it, or question (repeatable)",
    action="append",
    metavar="TEXT",
)
SVG = Option("--svg", "write the chart to an SVG file", metavar="FILE")
_OPENING = (
    Option(
        "--device",
        "cpu, cuda, cuda:1 ..., or auto to spread it over all GPUs and main memory (default: the"
        " GPU if there is one)",
    ),
    Option(
        "--dtype",
        "type in which it computes (default: float32 on a CPU, as stored on a GPU)",
        choices=("float32", "float16", "bfloat16"),
    ),
    Option("--quantize", "bits of each weight, on a CUDA device", choices=("4bit", "8bit")),
    Option("--attention", "implementation of attention, such as sdpa or eager"),
    Option("--revision", "branch, tag or commit of hf:NAME (default: the newest)"),
)
MODEL = Group(
    "how a model is opened",
    *_OPENING,
    Option(
        "--chat-template",
        "how a causal model is shown a text",
        choices=("auto", "plain", "chat", "chat without system prompt"),
    ),
)
"""Options of `biaslab.load` for models."""
TRANSLATION_MODELS = Group("how translation models are opened", *_OPENING)
"""Options of `biaslab.load` for models that have no template."""


def opening(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options of these groups that were given, as arguments of `biaslab.load`."""
    arguments = {
        name: getattr(options, name)
        for name in ("device", "dtype", "quantize", "attention", "revision")
    } | {"template": getattr(options, "chat_template", None)}
    return {name: value for name, value in arguments.items() if value is not None}
