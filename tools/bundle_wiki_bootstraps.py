"""Make the bundled subject ``wiki-bootstraps`` from a trained ensemble, with its model card.

``python tools/bundle_wiki_bootstraps.py TRAINED WORDS ../shared/data`` keeps the rows of WORDS and
of the most frequent words that still fit, and measures what the card says. A row is quantised by
itself, so the kept rows are the bytes that training with this vocabulary would have written.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from safetensors.numpy import load_file, save_file

import biaslab as bl
from biaslab.probes.similarity import read_judgements
from biaslab.subjects.ensemble_folder import write_vocabulary

TARGET = Path(__file__).resolve().parent.parent / "biaslab" / "bundled" / "wiki-bootstraps"
VOCABULARY_SIZE = 4870
"""Words that fit 32 replicates of 102 bytes a word into 16 MB."""
SETS = {
    "WordSim-353": "wordsim353.tsv",
    "MEN": "MEN_dataset_natural_form_full.tsv",
    "SimLex-999": "SimLex-999.tsv",
    "MTurk-771": "MTURK-771.tsv",
    "RG-65": "RG_word.tsv",
}


def prune(trained: Path, wanted: list[str], counts: Path) -> None:
    """Write the kept rows of every replicate to the bundled folder."""
    vocabulary = (trained / "vocabulary.txt").read_text(encoding="utf-8").split()
    position = {word: row for row, word in enumerate(vocabulary)}
    with counts.open(encoding="utf-8") as stream:
        next(stream)
        frequent = [line.split("\t")[0] for line in stream]
    ranked = [word for word in dict.fromkeys([*wanted, *frequent]) if word in position]
    kept = sorted(ranked[:VOCABULARY_SIZE])
    rows = np.array([position[word] for word in kept])
    TARGET.mkdir(parents=True, exist_ok=True)
    write_vocabulary(TARGET, kept)
    for path in sorted(trained.glob("replicate-*.safetensors")):
        tensors = {name: tensor[rows] for name, tensor in load_file(path).items()}
        out = TARGET / path.name
        save_file(tensors, out)
        out.chmod(0o644)
    found = len(list(TARGET.glob("replicate-*.safetensors")))
    source = trained / "ensemble.json"
    recipe = json.loads((source if source.exists() else trained / "recipe.json").read_text())
    manifest = {"format": "biaslab-ensemble", "version": 1, **recipe, "replicates": found}
    (TARGET / "ensemble.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


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


def labour_correlation(subject: bl.EmbeddingEnsemble, data: Path) -> str:
    """Correlation of PSE with the share of men in an occupation, with its interval."""
    table = pd.read_csv(data / "occupations" / "occupations-stats.tsv", sep="\t")
    table = table.set_index("occupation")
    result = bl.two_afc(subject, list(table.index), "gender-pairs")
    male = 100 - table.loc[list(result.items), "bls_pct_female"].to_numpy()
    n = len(male)
    r = float(np.corrcoef(result.pse, male)[0, 1])
    low, high = np.tanh(np.arctanh(r) + np.array([-1.96, 1.96]) / np.sqrt(n - 3))
    single = [float(np.corrcoef(s.mean(axis=1), male)[0, 1]) for s in result.switch]
    return (
        f"Pearson r = {r:.2f} (95 % {low:.2f} to {high:.2f}, Fisher z, n = {n} occupations)\n"
        "between pooled PSE over the eight gender pairs and percent male (BLS 2015-16);\n"
        f"single replicates give {min(single):.2f} to {max(single):.2f}. Negative is the expected "
        "sign:\nthe more men, the less maleness the model needs."
    )


def card(subject: bl.EmbeddingEnsemble, data: Path) -> str:
    """The model card as Markdown."""
    manifest = json.loads((TARGET / "ensemble.json").read_text())
    settings, corpus = manifest["settings"], manifest["corpus"]
    size = sum(p.stat().st_size for p in TARGET.iterdir()) / 1e6
    versions = ", ".join(f"{k} {v}" for k, v in manifest["versions"].items())
    return f"""# wiki-bootstraps

{subject.n_replicates} bootstrapped word embeddings of {settings["vector_size"]} dimensions
over one vocabulary of {len(subject):,} words, for teaching and tests.

- **Method**: skip-gram (gensim), {", ".join(f"{k} {v}" for k, v in settings.items())};
  seed {manifest["seed"]}; {versions}.
- **Corpus**: a sample of English Wikipedia of May 2015 (30,729 articles, CC BY-SA),
  {corpus["lines"]:,} paragraphs, {corpus["tokens"]:,} lower-cased alphabetic tokens.
- **Bootstrap**: each paragraph repeated a Poisson(1) number of times, anew for each replicate
  (Liang and Acuna 2020, section 4.2). Paragraphs are resampled and not articles, so the spread
  between replicates leaves out what whole articles share. Word frequencies for subsampling and
  noise words are those of the whole corpus.
- **Stored** as int8 with one float16 scale per row, {size:.1f} MB.
- **Made again** by `biaslab train bootstraps --corpus enwiki-2015-sample.txt.xz --output OUT
  --words vocabulary.txt --frequent 0 --replicates {subject.n_replicates}`. `vocabulary.txt` of this
  folder holds the term lists of the papers and of the word-similarity sets, occupations
  and names that the corpus has at least ten times, then its most frequent words.

## Quality

| word-similarity set | pairs known | Spearman, mean of replicates | range |
|---|---|---|---|
{similarity_table(subject, data)}

{labour_correlation(subject, data)}

## Limits

The corpus is small: many occupations occur fewer than a hundred times ("electrician" 46 times,
"hairdresser" 19 times), so that their switch points spread widely over replicates. That spread is
shown, not hidden. Use it to learn and to test. Do not use it to judge Wikipedia, the English
language or any group of people, nor as a component of anything that decides about people.
"""


def main() -> int:
    """Prune, measure, write the card."""
    trained, words, data = (Path(a) for a in sys.argv[1:4])
    counts = Path(sys.argv[4]) if len(sys.argv) > 4 else trained / "work" / "counts.tsv"
    prune(trained, words.read_text(encoding="utf-8").split(), counts)
    subject = bl.load(TARGET)
    (TARGET / "README.md").write_text(card(subject, data), encoding="utf-8")
    print(subject, *subject.notes, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
