"""Make the bundled subjects ``wiki-clm`` and ``wiki-mlm`` from finished training folders.

``python tools/bundle_language_models.py CLM MLM TOKENS`` measures both models on the held-out
articles of TOKENS (the folder given to ``biaslab train language-model --data``), refuses if one of
them misses a floor (`biaslab_train.language_models.quality`), and writes them with their model
cards to ``biaslab/bundled``. ``--measure-only`` prints the figures and writes nothing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from biaslab.errors import BiaslabError
from biaslab_train.cards import of_wikipedia
from biaslab_train.language_models.quality import (
    HIDDEN_SHARE,
    LEAST_REFLEXIVES,
    MOST_RELATIVE_PERPLEXITY,
    Quality,
    fit_bigram,
    measure,
)
from biaslab_train.language_models.tokens import read_tokens
from bundling import BUNDLED, facts, require, status, take

LARGEST = 10_000_000
"""Bytes of a bundled model, all its files together."""
KINDS = {"clm": "causal", "mlm": "masked"}


def figures(quality: Quality) -> str:
    """Quality as Markdown rows: figure, model, bigram model, comparison, floor."""
    c, r = quality.comparison, quality.reflexives
    if quality.kind == "clm":
        name, form, floor = "perplexity", ".1f", f"ratio at most {MOST_RELATIVE_PERPLEXITY}"
        compared = f"ratio {c.value:.3f} ({c.low:.3f} to {c.high:.3f})"
    else:
        name, form, floor = "hidden tokens named", ".1%", "difference above 0"
        compared = f"difference {c.value:.1%} ({c.low:.1%} to {c.high:.1%})"
    agree = f"{r.value:.1%} ({r.low:.1%} to {r.high:.1%}, Wilson)"
    return f"""| figure | model | bigram | compared (95 %, articles resampled) | floor |
|---|---|---|---|---|
| {name} | {quality.model:{form}} | {quality.baseline:{form}} | {compared} | {floor} |
| reflexives agree | {agree} | | | at least {LEAST_REFLEXIVES:.0%} |"""


def how_measured(quality: Quality) -> str:
    """What the figures mean, in words."""
    if quality.kind == "clm":
        first = (
            "Perplexity is per token, on held-out articles in sequences of the model's context,\n"
            "each token predicted from those before it in its sequence."
        )
    else:
        first = (
            f"{HIDDEN_SHARE:.0%} of the held-out tokens are hidden, never two neighbours; a token\n"
            "counts as named when it is the most probable one. The bigram model picks the token\n"
            "that is most probable between both neighbours."
        )
    return (
        f"{first} {quality.tokens:,} tokens of {quality.articles} articles. The bigram model is\n"
        "interpolated Kneser-Ney, fitted to the same training tokens.\n"
        f'Reflexives: in {quality.pairs} pairs of generated sentences, such as "she was a\n'
        'nurse and taught ...", "herself" is more probable after "she" and "himself" after\n'
        '"he"; a pair counts only if both are.'
    )


def emphasised(about: dict[str, Any]) -> str:
    """Which words were seen more often than they occur, in words; empty if none."""
    told = [
        f"\n- **Emphasis**: from token {phase['from_tokens']:,} on, {phase['share']:.0%} of the"
        f" sequences are drawn\n  around {' and '.join(phase['words'])}, each as often. So the"
        " model knows these words better than\n  its corpus alone would teach in that time, and"
        " does not hold one for rarer than the other."
        for phase in about.get("emphasis", [])
        if phase["words"]
    ]
    return "".join(told)


def by_parts(about: dict[str, Any]) -> str:
    """How a run with an emphasis from some token on is repeated."""
    told = [
        f", begun\n  with `--tokens {phase['from_tokens']}` and continued from there with"
        f" `--resume\n  --emphasise {','.join(phase['words'])} --emphasis-share {phase['share']}`"
        for phase in about.get("emphasis", [])
        if phase["words"]
    ]
    return "".join(told)


def card(name: str, about: dict[str, Any], quality: Quality, size: int) -> str:
    """The model card as Markdown."""
    s, corpus, position = about["settings"], about["corpus"], about["position"]
    design = {"clm": "Llama's design", "mlm": "ModernBERT's design"}[quality.kind]
    versions = ", ".join(f"{k} {v}" for k, v in about["versions"].items())
    articles, tokens = corpus["articles"], corpus["tokens"]
    passes = position["tokens"] / tokens["train"]
    return f"""# {name}

A small {KINDS[quality.kind]} language model of English, for teaching and tests.

- **Model**: {design}, {s["layers"]} layers of width {s["width"]}, {s["heads"]} heads, inner size
  {s["inner"]}, {s["context"]} tokens of context, {about["parameters"]:,} parameters; input and
  output embeddings are one matrix.
- **Tokens**: byte-level BPE of {corpus["tokens_in_vocabulary"]:,} tokens over lower-cased text
  without accents. Words of the catalogue's specs that the corpus has often enough are single
  tokens, rarer ones are in pieces.
- **Corpus**: a sample of English Wikipedia of May 2015 (30,729 articles, CC BY-SA);
  {articles["train"]:,} articles ({tokens["train"]:,} tokens) for training, {articles["held_out"]:,}
  ({tokens["held_out"]:,} tokens) held out.
- **Training**: {position["tokens"]:,} tokens ({passes:.2f} passes), {position["step"]:,} steps,
  seed {s["seed"]}; Muon and AdamW; products in {about["precision"]}; {versions}.{emphasised(about)}
- **Stored** as float16 safetensors, {size / 1e6:.1f} MB in all; computed in float32.
- **Made again** by `biaslab train language-model --kind {quality.kind}
  --corpus enwiki-2015-sample.txt.xz --output OUT --tokens {position["tokens"]} --vocabulary
  {s["vocabulary"]} --layers {s["layers"]} --width {s["width"]} --heads {s["heads"]} --inner
  {s["inner"]} --context {s["context"]} --batch {s["batch"]} --seed {s["seed"]}`{by_parts(about)}.
{of_wikipedia()}

## Quality

{figures(quality)}

{how_measured(quality)}

## What it is for, and what not

It shows how a language model is probed, on any laptop and without a network, and the tests run on
it. It has a twenty-third of the parameters of BERT-base, has read little, and says nothing about
models that people use. Use it to learn and to test. Do not use it to judge Wikipedia, the English
language or any group of people, to write text for readers, nor as a component of anything that
decides about people. Probe a real model for a real audit.
"""


def bundle(name: str, trained: Path, quality: Quality) -> None:
    """Copy a model that meets its floors, with its card."""
    take(
        trained, BUNDLED / name, facts(trained) | {"quality": quality.to_dict()},
        lambda about, size: card(name, about, quality, size), largest=LARGEST,
    )  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Measure both, then write both or none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clm", type=Path)
    parser.add_argument("mlm", type=Path)
    parser.add_argument("tokens", type=Path)
    parser.add_argument("--measure-only", action="store_true")
    options = parser.parse_args(arguments)

    def make() -> None:
        corpus = read_tokens(options.tokens)
        bigram = fit_bigram(corpus.train, corpus.tokenizer.get_vocab_size(), corpus.begin)
        measured = {}
        for kind in KINDS:
            folder = getattr(options, kind)
            measured[kind] = measure(folder, corpus, bigram)
            if measured[kind].kind != kind:
                raise BiaslabError(f"{folder} holds a model of kind {measured[kind].kind}.")
            print(f"wiki-{kind}\n{figures(measured[kind])}")
        require([f"wiki-{kind}: {f}." for kind, its in measured.items() for f in its.failures])
        for kind, quality in measured.items():
            if not options.measure_only:
                bundle(f"wiki-{kind}", getattr(options, kind), quality)

    return status(make)


if __name__ == "__main__":
    sys.exit(main())
