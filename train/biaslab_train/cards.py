"""Texts of model cards: licence and source, and the card of a sentiment classifier."""

from __future__ import annotations

from textwrap import fill
from typing import Any

from biaslab.subjects.classifier.sentiment import SentimentClassifier
from biaslab_train.settings import SentimentSettings

_OWN = "BSD-3-Clause, as biaslab."


def of_own_making(made_from: str) -> str:
    """Return the line of a subject for which everything was made by biaslab itself."""
    return _line(f"{_OWN} Source: {made_from}, all made by biaslab; no data of others.")


def of_wikipedia() -> str:
    """Return the line of a subject trained on the sample of Wikipedia."""
    return _line(
        f"{_OWN} Source: English Wikipedia of May 2015 by its authors, whose text is CC BY-SA 3.0."
        " No article is stored. Whoever hands on the text itself is bound by its licence."
    )


def of_reviews() -> str:
    """Return the line of a classifier trained on the Large Movie Review data."""
    return _line(
        f"{_OWN} Source: the Large Movie Review data (Maas et al. 2011), which come with no"
        " licence and ask to be cited; the reviews are their authors'. No review is stored."
    )


def _line(text: str) -> str:
    return fill(f"- **Licence**: {text}", 100, subsequent_indent="  ", break_on_hyphens=False)


def sentiment_card(name: str, classifier: SentimentClassifier, size: int) -> str:
    """Return the card as Markdown.

    - `name`: of the classifier.
    - `classifier`: output of `biaslab_train.sentiment.training.train_sentiment`: its recipe has the
      figures.
    - `size`: bytes of its files.
    """
    recipe = classifier.recipe
    s, reviews, quality = (
        SentimentSettings(**recipe["settings"]),
        recipe["reviews"],
        recipe["quality"],
    )
    versions = ", ".join(f"{k} {v}" for k, v in recipe["versions"].items())
    held_out = quality.get("held_out")
    return f"""# {name}

A sentiment classifier of reviews: an average of {classifier.dim}-dimensional word vectors and a
multilayer perceptron, for teaching and tests.

- **Data**: {reviews["labelled"]:,} labelled training reviews, {reviews["test"]:,} test reviews,
  {reviews["unlabelled"]:,} without label. Made for the Large Movie Review data (Maas et al. 2011).
  {reviews["without_known_words"]:,} labelled reviews hold no known word and are left out;
  {reviews["stars_against_label"]:,} have stars that go against their label. No review text is
  stored.
- **Words**: {len(classifier.words):,}, lower-cased, letters only, each at least {s.min_count} times
  in the {reviews["text_of_vectors"]:,} reviews ({reviews["words_of_vectors"]:,} words) on which
  the vectors were first trained, without labels.
- **Vectors**: skip-gram (gensim), window {s.window}, {s.negative} noise words, subsampling
  {s.sample:g}, {s.skip_gram_epochs} passes{_tuned(s)}.
- **Network**: {classifier.dim} numbers, {s.hidden} tanh units, {len(classifier.labels)} labels.
  Recipe `{s.recipe}`, seed {s.seed}; the best of at most {s.epochs} passes on {s.held_out:.0%} of
  the training reviews was number {recipe["best_epoch"]}; {versions}.
- **Stored** as safetensors, vectors as int8 with one float16 scale per word, {size / 1e6:.1f} MB in
  all. Mean and covariance of the training reviews' stimuli are stored for the prior of
  `bl.sample_posterior`.
- **Made again** by `biaslab train sentiment --data DATA --output OUT --recipe {s.recipe} --seed
  {s.seed}`.{_licence(name)}

## Quality

| figure | {" | ".join(_columns(quality))} |
|---|{"---|" * len(_columns(quality))}
{_rows(quality)}

Intervals are 95 % (DeLong; for cross-validation of the mean over the folds). They cover which
reviews were drawn, not how another training would turn out. The word vectors of the
cross-validation were first trained on the text of all its reviews without labels; whatever is
learnt from labels is learnt within the folds. Liang and Acuna (2020) report an AUC of 0.953 in
cross-validation and do not say how they made the folds. Random folds have reviews of the same films
on both sides, so that titles and names help; folds of neighbouring reviews, and the test reviews,
mostly have other films.
{_rounding(held_out)}
## Calibration{" on the test reviews" if held_out else " in cross-validation (random folds)"}

| mean p(positive) | share positive | 95 % (Wilson) | reviews |
|---|---|---|---|
{_calibration(held_out or quality["cross_validated_random"])}

## What it is for, and what not

It shows how a classifier is turned around, from p(label | text) to the texts it expects of a label,
on any laptop and without a network. It has read film reviews only, averages words without their
order, and carries whatever reviewers associate with names and groups: that is what is studied with
it. Do not use it to judge people, their texts or any group, nor as a component of anything that
decides about people.
"""


def _licence(name: str) -> str:
    """Return the line of the bundled classifier; whoever trains another states its own."""
    return f"\n{of_reviews()}" if name == "imdb-sentiment" else ""


def _tuned(s: SentimentSettings) -> str:
    if not s.tuned:
        return "; then left as they are"
    return (
        f"; then trained further together with the network\n  on the labels, leaving out"
        f" {s.word_dropout:.0%} of a review's words and {s.dropout:.0%} of the hidden units at"
        " random in each step"
    )


def _columns(quality: dict[str, Any]) -> list[str]:
    folds = quality["cross_validated_random"]["folds"]
    names = [f"cross-validated, {folds} random folds", f"{folds} folds of neighbours"]
    return [*names, "test reviews"] if "held_out" in quality else names


def _rows(quality: dict[str, Any]) -> str:
    order = ("cross_validated_random", "cross_validated_blocks", "held_out")
    measures = [quality[key] for key in order if key in quality]
    figures = (("accuracy", ".1%"), ("log_loss", ".3f"), ("calibration_error", ".3f"))
    lines = ["| AUC | " + " | ".join(_auc(each["auc"]) for each in measures) + " |"]
    for figure, form in figures:
        cells = " | ".join(format(each[figure], form) for each in measures)
        lines.append(f"| {figure.replace('_', ' ')} | {cells} |")
    return "\n".join(lines)


def _auc(measure: dict[str, Any]) -> str:
    if measure["low"] is None:
        return f"{measure['value']:.4f}"
    return f"{measure['value']:.4f} ({measure['low']:.4f} to {measure['high']:.4f})"


def _rounding(held_out: dict[str, Any] | None) -> str:
    if held_out is None:
        return "There were no test reviews.\n"
    return (
        f"The figures of the test reviews are those of the stored vectors; before rounding to int8"
        f" the AUC was\n{held_out['auc_before_rounding']:.4f}.\n"
    )


def _calibration(measure: dict[str, Any]) -> str:
    return "\n".join(
        f"| {b['probability']:.3f} | {b['share']:.3f} | {b['low']:.3f} to {b['high']:.3f}"
        f" | {b['n']:,} |"
        for b in measure["calibration"]
    )
