"""Check biaslab on a GPU: the numbers of the CPU, and its speed beside plain transformers.

``python tools/gpu_check.py`` takes at most eight minutes on one CUDA device, without a network:
models get random weights and a tokenizer learned from the documentation, pictures and classifier
are the bundled ones. It prints a table, or writes it into ``docs/guide/benchmarks.md`` with
``--write``. What does not fit into the time, or needs a package that is missing, is named in it.
Exit status: 0 where all that ran agrees with the CPU, 1 where something differs, 2 without device.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / part) for part in ("", "train", "tests")]

import biaslab as bl  # noqa: E402
from benchmarks import language_model_speed as speed  # noqa: E402
from benchmarks.gpu_plan import written  # noqa: E402
from biaslab.probes.psychometrics import FramedModel  # noqa: E402
from biaslab.probes.sentences.sources import default_pairs  # noqa: E402

PAGE = ROOT / "docs" / "guide" / "benchmarks.md"
BEGIN, END = (
    "<!-- gpu_check: written by `python tools/gpu_check.py --write` -->",
    ("<!-- end of gpu_check -->"),
)
MODELS: dict[str, dict[str, int]] = {
    "135 million": {},
    "1.7 billion": {
        "hidden_size": 2_048, "intermediate_size": 8_192, "num_hidden_layers": 24,
        "num_attention_heads": 32, "num_key_value_heads": 32,
    },
}  # fmt: skip
"""The sizes of SmolLM2."""
LIMITS: dict[str, float] = {"float32": 1e-3, "bfloat16": 0.1, "4 bit": np.inf}
"""Largest difference of a log-odds from float32 on the CPU; 4 bits are other weights."""
OPENED: dict[str, dict[str, str]] = {
    "float32": {"dtype": "float32"},
    "bfloat16": {"dtype": "bfloat16"},
    "4 bit": {"quantize": "4bit"},
}
MINUTES = 8.0
Values = Any


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes
    ----------
    what, precision : str
    seconds, plain : float
        Of biaslab and of plain transformers on the device; NaN where there is no such thing.
    memory : float
        Peak on the device, in bytes.
    difference, limit : float
        Largest difference from the CPU, and what is allowed.
    missing : str
        Why it did not run; empty if it did.
    """

    what: str
    precision: str
    seconds: float = np.nan
    plain: float = np.nan
    memory: float = np.nan
    difference: float = np.nan
    limit: float = np.nan
    missing: str = ""

    @property
    def agrees(self) -> bool:
        """Whether it is as on the CPU, or did not run."""
        return bool(self.missing) or self.difference <= self.limit

    def cells(self) -> list[str]:
        """Return it as a row of the table."""
        if self.missing:
            return [self.what, self.precision, f"not run: {self.missing}", "", "", "", ""]
        has_plain = np.isfinite(self.plain)
        return [
            self.what, self.precision, f"{self.seconds:.2f} s",
            f"{self.seconds / self.plain:.2f}x of {self.plain:.2f} s" if has_plain else "",
            f"{self.memory / 1e9:.2f} GB", f"{self.difference:.1g}",
            f"at most {self.limit:g}" if np.isfinite(self.limit) else "none",
        ]  # fmt: skip


class Device:
    """A device, with its clock and its peak memory; the processor can stand in for it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_cuda = name.startswith("cuda")

    def measured(self, call: Callable[[], Values]) -> tuple[Values, float, float]:
        """Return what a call gives, on a GPU the second time, its seconds and its peak memory."""
        import torch

        if self.is_cuda:
            call()
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
        begun = time.perf_counter()
        values = call()
        if self.is_cuda:
            torch.cuda.synchronize()
        seconds = time.perf_counter() - begun
        return values, seconds, torch.cuda.max_memory_allocated() if self.is_cuda else np.nan


def probes(questions: int, frames: int, pairs: int) -> dict[str, Callable[[Any], Values]]:
    """Return the probes of a language model by name; each gives log-odds."""
    sentences = list(default_pairs(bl.specs.get("biastest-math-arts")))
    some = sentences[:: max(1, len(sentences) // pairs)][:pairs]
    logit: Callable[[Values], Values] = lambda share: np.log(share) - np.log1p(-share)  # noqa: E731

    def decided(lm: Any) -> Values:
        run = bl.decisions(lm, method="fixed", trials=questions, keep=False)
        return logit(run.trials.yes)

    def chosen(lm: Any) -> Values:
        framed = FramedModel(lm, first=frames)
        raw: Any = bl.two_afc(framed, ["nurse"], ("woman", "man"), levels=3).raw
        return logit(raw.answers)

    def preferred(lm: Any) -> Values:
        return bl.stereotype_score(lm, sentences=some, keep=False).log_odds

    return {"decisions": decided, "two_afc": chosen, "stereotype_score": preferred}


def language_models(
    device: Device, sizes: dict[str, dict[str, int]], calls: dict[str, Callable[[Any], Values]]
) -> Iterator[Row]:
    """Yield the rows of random models of some sizes, each in each precision."""
    import torch

    for size, config in sizes.items():
        with tempfile.TemporaryDirectory() as folder:
            torch.manual_seed(0)
            made = speed.model(**config)
            made.model.to(torch.bfloat16).save_pretrained(folder)
            made.tokenizer.save_pretrained(folder)
            del made
            opened = partial(bl.load, folder, kind="clm")
            reference = opened(device="cpu", dtype="float32")
            texts = {
                name: speed.texts_of(reference, partial(c, reference)) for name, c in calls.items()
            }
            expected = {name: call(reference) for name, call in calls.items()}
            del reference
            for precision, how in OPENED.items():
                missing = "bitsandbytes" if precision == "4 bit" and not _has_4_bit(device) else ""
                if missing:
                    yield Row(size, precision, missing=f"{missing} or a CUDA device is missing")
                    continue
                lm = opened(device=device.name, **how)
                for name, call in calls.items():
                    values, seconds, memory = device.measured(partial(call, lm))
                    plain = speed.by_transformers(lm, texts[name], everywhere=name != "decisions")
                    yield Row(
                        f"{name}, {size}", precision, seconds, device.measured(plain)[1], memory,
                        float(np.nanmax(np.abs(values - expected[name]))), LIMITS[precision],
                    )  # fmt: skip
                del lm


def others(device: Device, pictures: int, draws: int, steps: int, **network: int) -> Iterator[Row]:
    """Yield the rows of pictures, of the posterior and of training."""
    from safetensors.torch import load_file

    from biaslab_train.language_models.training import LanguageModelRecipe
    from biaslab_train.recipes import train
    from biaslab_train.settings import LanguageModelSettings

    def seen(name: str) -> Values:
        model = bl.load("portrait-clip", device=name)
        result = bl.image_association(
            model, "images-experts-helpers", per_term=pictures, keep=False
        )
        return np.array([result.score])

    def drawn(name: str) -> Values:
        classifier = bl.load("imdb-sentiment", device=name)
        result = bl.sample_posterior(classifier, chains=64, draws=draws, check=False, rng=1)
        return result.logit.mean(axis=1)

    def trained(name: str) -> Values:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            corpus = folder / "corpus.txt"
            corpus.write_text(PAGE.read_text("utf-8"), encoding="utf-8")
            sizes: dict[str, Any] = {"kind": "clm", "vocabulary": 1_000, **network}
            settings = LanguageModelSettings(**sizes)
            recipe = LanguageModelRecipe(corpus, settings)
            budget = steps * settings.context * settings.batch
            train(recipe, folder / "model", budget, data=folder / "data", device=name)
            weights = load_file(folder / "model" / "model.safetensors")
        return np.concatenate([one.float().numpy().ravel() for one in weights.values()])

    def between_means(values: Values, expected: Values) -> float:
        """Return the distance of two means in standard errors: their draws are not the same."""
        error = np.sqrt((values.var(ddof=1) + expected.var(ddof=1)) / len(values))
        return float(abs(values.mean() - expected.mean()) / error)

    def largest(values: Values, expected: Values) -> float:
        return float(np.abs(values - expected).max())

    for what, call, difference, limit in (
        ("image_association, portrait-clip", seen, largest, 1e-3),
        ("sample_posterior, imdb-sentiment, in standard errors", drawn, between_means, 4.0),
        (f"training, {steps} steps", trained, largest, 2e-2),
    ):
        values, seconds, memory = device.measured(partial(call, device.name))
        yield Row(
            what, "float32", seconds, np.nan, memory, difference(values, call("cpu")), limit
        )  # fmt: skip


def _has_4_bit(device: Device) -> bool:
    return device.is_cuda and importlib.util.find_spec("bitsandbytes") is not None


def checked(parts: list[Iterator[Row]], minutes: float = MINUTES) -> list[Row]:
    """Return the rows of all parts, as far as the time allows."""
    until = time.monotonic() + 60 * minutes
    rows = []
    for part in parts:
        for row in part:
            rows.append(row)
            print(*row.cells(), sep=" | ", flush=True)
            if time.monotonic() > until:
                rows.append(Row("the rest", "", missing=f"more than {minutes:g} minutes"))
                return rows
    return rows


def section(rows: list[Row], machine: str) -> str:
    """Return the section of the page."""
    heads = ["what", "precision", "biaslab", "ratio to transformers", "peak memory",
             "difference from the CPU", "allowed"]  # fmt: skip
    lines = [heads, ["---", "---", *["--:"] * 5], *(row.cells() for row in rows)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    note = "Differences are of log-odds unless it says otherwise."
    return f"## On a GPU\n\n{note}\n\n{table}\n\n*{machine}*"


def main() -> int:
    """Check, and print or write the table."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--write", action="store_true", help=f"write into {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    device = Device(options.device)
    if device.is_cuda and not torch.cuda.is_available():
        print("There is no CUDA device.")
        return 2
    parts = [others(device, 20, 200, 4), language_models(device, MODELS, probes(64, 10, 16))]
    rows = checked(parts, options.minutes)
    name = torch.cuda.get_device_name() if device.is_cuda else "the processor"
    if options.write:
        page = PAGE.read_text("utf-8")
        machine = f"{name}, torch {torch.__version__}, biaslab {bl.__version__}"
        PAGE.write_text(written(page, BEGIN, section(rows, machine), END), encoding="utf-8")
    return 0 if all(row.agrees for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
