"""Make the bundled subject ``wiki-bootstraps`` from a trained ensemble, with its model card.

``python tools/bundle_wiki_bootstraps.py TRAINED ../shared/data`` copies the replicates and measures
what the card says.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import biaslab as bl
from biaslab.probes.similarity import read_judgements
from biaslab.records.result import Interval
from biaslab.subjects.embedding.ensemble import read_ensemble
from biaslab_train.cards import of_wikipedia

TARGET = Path(__file__).resolve().parent.parent / "biaslab" / "bundled" / "wiki-bootstraps"
MOST_BYTES = 16_000_000
SETS = {
    "WordSim-353": "wordsim353.tsv",
    "MEN": "MEN_dataset_natural_form_full.tsv",
    "SimLex-999": "SimLex-999.tsv",
    "MTurk-771": "MTURK-771.tsv",
    "RG-65": "RG_word.tsv",
}


def take(trained: Path) -> None:
    """Copy a trained ensemble to the bundled folder.

    Raises `SystemExit` when it is too large, or not all of its replicates are there.
    """
    manifest = json.loads((trained / "ensemble.json").read_text(encoding="utf-8"))
    files = sorted(trained.glob("replicate-*.safetensors"))
    size = sum(path.stat().st_size for path in files)
    if len(files) != manifest["replicates"]:
        raise SystemExit(f"{len(files)} of {manifest['replicates']} replicates are in {trained}.")
    if size > MOST_BYTES:
        raise SystemExit(f"{size / 1e6:.1f} MB are more than {MOST_BYTES / 1e6:.0f} MB.")
    TARGET.mkdir(parents=True, exist_ok=True)
    for path in (*files, trained / "vocabulary.txt", trained / "ensemble.json"):
        copy = TARGET / path.name
        copy.write_bytes(path.read_bytes())
        copy.chmod(0o644)


def similarity_table(subject: bl.EmbeddingEnsemble, data: Path) -> str:
    """Word-similarity scores as Markdown rows."""
    lines = []
    for name, file in SETS.items():
        judged = read_judgements(data / "similarity" / file)
        score = bl.probes.similarity.word_similarity(subject, judged).sets[0]
        low, high = score.spearman.min(), score.spearman.max()
        lines.append(
            f"| {name} | {score.known} of {score.pairs} | {score.spearman.mean():.3f} "
            f"| {low:.3f} to {high:.3f} |"
        )
    return "\n".join(lines)


def labour_correlation(subject: bl.EmbeddingEnsemble) -> str:
    """Correlation of PSE with the share of men in an occupation, with its intervals."""
    result = bl.occupations(subject)
    words, both = result.agreement("pse"), result.agreement("pse", over="words and corpora")
    answers = bl.two_afc(subject, list(words.words), "gender-pairs")
    single = [float(np.corrcoef(one.mean(axis=1), words.x)[0, 1]) for one in answers.switch]
    return (
        f"Pearson r = {words.pearson:.2f} between pooled PSE over the eight gender pairs and the\n"
        f"percentage of men (BLS 2015-16) in {words.n} occupations: 95 % interval"
        f" {_range(words.pearson_interval)} for\n"
        f"other occupations, {_range(both.pearson_interval)} for another corpus too; single"
        f" replicates give {min(single):.2f} to\n"
        f"{max(single):.2f}. Negative is the expected sign: the more men, the less maleness the"
        " model needs."
    )


def clear_pairs(subject: bl.EmbeddingEnsemble, word: str) -> str:
    """How many cue pairs have a PSE that is clear of 50 %."""
    rows = bl.two_afc(subject, word, "gender-pairs").to_frame()
    pairs = rows[~rows["pooled"]]
    return f"{(pairs['lean'] != 0).sum()} of {len(pairs)}"


def card(subject: bl.EmbeddingEnsemble, data: Path) -> str:
    """The model card as Markdown."""
    manifest = json.loads((TARGET / "ensemble.json").read_text(encoding="utf-8"))
    settings, corpus = manifest["settings"], manifest["corpus"]
    size = sum(p.stat().st_size for p in TARGET.iterdir()) / 1e6
    versions = ", ".join(f"{k} {v}" for k, v in manifest["versions"].items())
    return f"""# wiki-bootstraps

{subject.n_replicates} bootstrapped word embeddings of {settings["vector_size"]} dimensions
over one vocabulary of {len(subject):,} words, for teaching and tests.

- **Method**: positive pointwise mutual information of the words of the vocabulary with
  {settings["contexts"]:,} context words, reduced by a singular value decomposition;
  {", ".join(f"{k} {v}" for k, v in settings.items())}; seed {manifest["seed"]}; {versions}.
- **Corpus**: a sample of English Wikipedia of May 2015 (30,729 articles, CC BY-SA),
  {corpus["lines"]:,} paragraphs, {corpus["tokens"]:,} lower-cased alphabetic tokens.
- **Bootstrap**: the corpus in {settings["blocks"]} stretches of about equal length, each repeated
  a Poisson(1) number of times, anew for each replicate (Liang and Acuna 2020, section 4.2).
  An article stays whole but where a stretch ends in it, so the spread between replicates includes
  what the paragraphs of an article share.
- **Stored** as int8 with one float16 scale per row, {size:.1f} MB.
- **Made again** by `biaslab train bootstraps --method ppmi-svd
  --corpus enwiki-2015-sample.txt.xz --output OUT --words vocabulary.txt --frequent 0
  --replicates {subject.n_replicates}`. `vocabulary.txt` of this folder holds the term lists of the
  papers and of the word-similarity sets, occupations and names that the corpus has at least ten
  times, then its most frequent words.
{of_wikipedia()}

## Quality

| word-similarity set | pairs known | Spearman, mean of replicates | range |
|---|---|---|---|
{similarity_table(subject, data)}

{labour_correlation(subject)}

The PSE of *electrician* is clear of 50 % under {clear_pairs(subject, "electrician")} cue pairs.

## Limits

The corpus is small: many occupations occur fewer than a hundred times ("electrician" 46 times,
"hairdresser" 19 times). Where a switch point spreads over replicates, that spread is shown, not
hidden. Settings were compared by word similarity and by the correlation above
(`docs/decisions/embeddings.md`), so the correlation is a little better than that of a
method chosen without it. Use the embeddings to learn and to test. Do not use them to judge
Wikipedia, the English language or any group of people, nor as a component of anything that decides
about people.
"""


def _range(interval: Interval) -> str:
    return f"{interval.low:.2f} to {interval.high:.2f}"


def main() -> int:
    """Copy, measure, write the card."""
    trained, data = (Path(a) for a in sys.argv[1:3])
    take(trained)
    subject = read_ensemble(TARGET)
    (TARGET / "README.md").write_text(card(subject, data), encoding="utf-8")
    print(subject, *subject.notes, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
