"""Write the tables and pictures of docs/guide/replication.md: ``make replication``.

Each table stands in the page between ``<!-- name -->`` and ``<!-- end -->``. Those on the bundled
subjects are made anywhere. Those on GoogleNews vectors, on the published cosine distances, on
BiasTestGPT's pairs and on Hu and Liu's lexicon need files beside the repository, and the one on
Apertium's round trips needs Apertium; without them they stay as they are, and that is said.
``make replication`` makes all; names of tables as arguments make those only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import biaslab as bl
import replication_association as association
import replication_images as images
import replication_jnd as jnd
import replication_posterior as posterior
import replication_rating as rating
import replication_sentences as sentences
from biaslab.errors import QueryError
from biaslab.probes.occupations import Agreement, MeasureAgreement, OutsideTable
from biaslab.probes.occupations.agreement import SUMMARIES, WEAT, interval
from biaslab.records.result import Interval
from biaslab.records.wording import number
from biaslab.reports import svg
from biaslab.reports.occupations.chart import chart
from biaslab.stats.correlation import correlate
from biaslab.subjects.embedding.base import EmbeddingSubject
from markdown_tables import minus, table
from real import MODELS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "guide" / "replication.md"
IMAGES = ROOT / "docs" / "images"
GOOGLENEWS = ROOT.parent / "shared" / "data" / "embeddings" / "googlenews_8000x300.npz"
BUNDLED = "wiki-bootstraps"
ENDS = 10
REAL = {
    "spacy-en-md": "en_core_web_md of spaCy",
    "wordllama": "WordLlama",
    "minilm": "all-MiniLM-L6-v2, an encoder",
}
"""Models of `make real`, with the names that the page gives them."""
SINGLED_OUT = ("hairdresser", "electrician", "lawyer")

Sections = dict[str, Callable[[], str]]


def main() -> int:
    """Write what can be made here; 1 if the page lacks a place for a table."""
    page = PAGE.read_text(encoding="utf-8")
    made = bundled() | association.bundled() | posterior.bundled() | posterior.sampled()
    made |= jnd.bundled() | sentences.bundled() | images.bundled() | rating.bundled()
    for what, is_here, sections in OUTSIDE:
        if is_here():
            made |= sections()
        else:
            print(f"Without {what} its tables stay as they are.", file=sys.stderr)
    chosen = sys.argv[1:]
    if unknown := [name for name in chosen if name not in made]:
        print(f"No table {unknown[0]!r} can be made here; there are: {', '.join(made)}.")
        return 1
    for name, make in made.items():
        if chosen and name not in chosen:
            continue
        print(f"making: {name}", file=sys.stderr, flush=True)
        page = put(page, name, make())
    PAGE.write_text(page, encoding="utf-8")
    if not chosen:
        draw()
    return 0


def put(page: str, name: str, text: str) -> str:
    """The page with a section replaced.

    Raises `ValueError` when the page has no place for it.
    """
    pattern = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not pattern.search(page):
        raise ValueError(
            f"{PAGE.name} has no place for {name!r}: add <!-- {name} --> <!-- end -->."
        )
    return pattern.sub(lambda m: f"{m[1]}{text}\n{m[2]}", page)


def section(page: str, name: str) -> str:
    """The text of a section of the page."""
    found = re.search(rf"<!-- {re.escape(name)} -->\n(.*?)\n<!-- end -->", page, re.DOTALL)
    if found is None:
        raise ValueError(f"{PAGE.name} has no section {name!r}.")
    return found[1]


def bundled() -> Sections:
    """Sections that rest on the bundled subject alone."""
    subject = bl.load(BUNDLED)
    gender, love = bl.occupations(subject), bl.occupations(subject, groups="love-hate")
    return {
        "electrician": lambda: electrician(subject),
        "hairdresser and lawyer": lambda: hairdresser_and_lawyer(gender),
        "correlations on the bundled ensemble": lambda: correlations(gender),
        "love and hate on the bundled ensemble": lambda: ends(love),
        "love and hate against prestige": lambda: against_prestige(subject),
        "comparison on the bundled ensemble": lambda: comparison(gender),
        "answer on the bundled ensemble": gender.comparison_verdict,
    }


def googlenews() -> Sections:
    """Sections that need the GoogleNews vectors."""
    subject = bl.load(GOOGLENEWS)
    gender, love = bl.occupations(subject), bl.occupations(subject, groups="love-hate")
    return {
        "correlations on GoogleNews": lambda: correlations(gender),
        "love and hate on GoogleNews": lambda: ends(love),
        "comparison on GoogleNews": lambda: comparison(gender),
        "answer on GoogleNews": gender.comparison_verdict,
        "the same words on both": lambda: same_words(subject),
    }


def same_words(other: EmbeddingSubject) -> str:
    """The summaries of the comparison on the words that both subjects know."""
    subjects = {"bundled": bl.load(BUNDLED), "GoogleNews": other}
    known = [
        word
        for word in bl.specs.get("occupations").items
        if all(word in subject for subject in subjects.values())
    ]
    rows = [
        [name, *_measure(row)[:-1]]
        for name, subject in subjects.items()
        for row in bl.occupations(subject, known).comparison()
        if row.measure in SUMMARIES
    ]
    heads = ["subject", "measure", "pairs", "Pearson", "less than WEAT's in size by"]
    return f"{len(known)} words.\n\n" + table(heads, rows)


def other_embeddings() -> str:
    """The claim that any other embedding gives similar results, on five that are not alike."""
    subjects: dict[str, str | Path] = {
        "bundled, PPMI with an SVD": BUNDLED,
        "GoogleNews, skip-gram": GOOGLENEWS,
    }
    subjects |= {name: MODELS[model].path for model, name in REAL.items()}
    first: dict[str, dict[str, float]] = {}
    rows = []
    for name, source in subjects.items():
        subject, cells = bl.load(source), []
        for cues in ("gender-pairs", "love-hate"):
            try:
                result = bl.occupations(subject, groups=cues)
            except QueryError as error:
                if "same vector" not in str(error):
                    raise
                cells.append("both cues have one vector")
                continue
            asked = result.contrasts[0].of_means
            pse = {w: v for w, v in zip(asked.items, asked.pse.tolist(), strict=True) if v == v}
            ours = first.setdefault(cues, pse)
            if cues == "gender-pairs":
                found = result.agreement()
                cells += [str(found.n), _signed(found.pearson, found.pearson_interval)]
                cells += [f"{100 * pse[w]:.0f}" if w in pse else "" for w in SINGLED_OUT]
            shared = [word for word in pse if word in ours]
            rank = correlate([pse[w] for w in shared], [ours[w] for w in shared], "spearman")
            is_first = source == BUNDLED
            cells.append("" if is_first else _signed(float(rank.r), interval(rank, 0.95, "words")))
        rows.append([name, *cells])
    ranks = ("PSE by rank with bundled", "love–hate by rank with bundled")
    return table(["embedding", "words", "PSE and % men", *SINGLED_OUT, *ranks], rows)


def electrician(subject: EmbeddingSubject) -> str:
    """PSE of *electrician* under each pair and pooled, and its JND in the three conventions."""
    result = bl.two_afc(subject, ["electrician"], jnd="sd")
    single, pooled = result.by_pair, result.pooled
    rows = [
        [f"{one} / {two}", *_estimates(single.pse[0, k], single.corpus[0, k], single.jnd[0, k])]
        for k, (one, two) in enumerate(result.pairs)
    ]
    rows.append(["**pooled**", *_estimates(pooled.pse[0], pooled.corpus[0], pooled.jnd[0])])
    return table(
        ["cue pair", "PSE, % of cue 2", "95 %", "JND as σ", "0.6745 σ", "1.349 σ (eq. 6)"], rows
    )


def _estimates(pse: float, corpus: np.ndarray, sigma: float) -> list[str]:
    ends = " to ".join(f"{100 * v:.0f}" for v in corpus)
    return [f"{100 * pse:.1f}", ends, *(f"{100 * k * sigma:.1f}" for k in (1, 0.67449, 1.34898))]


def hairdresser_and_lawyer(result: bl.probes.occupations.OccupationsResult) -> str:
    """The two occupations that the paper singles out, and two more."""
    asked = result.contrasts[0]
    order = np.argsort(np.argsort(asked.pooled.jnd)) + 1
    rows = []
    for word in ("hairdresser", "lawyer", "electrician", "nurse"):
        i = asked.index(word)
        pairs = asked.by_pair.jnd[i]
        rows.append(
            [
                word,
                f"{100 * asked.pse[i]:.1f}",
                " to ".join(f"{100 * v:.0f}" for v in asked.pooled.corpus[i]),
                f"{100 * asked.jnd[i]:.1f}",
                f"{order[i]} of {len(order)}",
                f"{100 * pairs.min():.1f} to {100 * pairs.max():.1f}",
            ]
        )
    heads = ["word", "PSE, % male", "95 %", "JND, pooled", "its rank, 1 the sharpest"]
    return table([*heads, "JND of single pairs"], rows)


def correlations(result: bl.probes.occupations.OccupationsResult) -> str:
    """PSE against percent men, JND against the SD of the proportion, both ways to read a JND."""
    pse = result.agreement("pse")
    spread = result.agreement("jnd")
    rows = [_correlation("PSE, pooled, against % men", pse)]
    if result.n_replicates > 1:
        wide = result.agreement("pse", over="words and corpora")
        # Its p-value would be that of the row above: it speaks of words only.
        row = _correlation("the same, for another corpus too", wide)
        rows.append([*row[:3], "", row[4]])
    rows.append(_correlation("JND, pooled, against √(p(1 − p))", spread))
    rows.append(_correlation("JND, pooled, against PSE", result.pse_with_jnd()))
    asked = result.contrasts[0]
    if result.n_replicates > 1:
        index = [result.words.index(word) for word in spread.words]
        mean = asked.by_pair.jnd[index].mean(axis=1)
        rows.append(_plain("JND, mean of the pairs' own, against √(p(1 − p))", spread.x, mean))
    return table(["", "n", "Pearson", "p", "Spearman"], rows)


def _correlation(name: str, found: Agreement) -> list[str]:
    return [
        name,
        str(found.n),
        _signed(found.pearson, found.pearson_interval),
        _p(found.pearson_p),
        _signed(found.spearman, found.spearman_interval),
    ]


def _plain(name: str, x: np.ndarray, y: np.ndarray) -> list[str]:
    pearson, spearman = correlate(x, y), correlate(x, y, "spearman")
    told = [_signed(float(c.r), interval(c, 0.95, "words")) for c in (pearson, spearman)]
    return [name, str(len(x)), told[0], _p(float(pearson.p)), told[1]]


def ends(result: bl.probes.occupations.OccupationsResult) -> str:
    """Most loved and most hated words, with their PSE and lean."""
    asked = result.contrasts[0]
    order = np.argsort(-asked.pse)
    rows = []
    for rank, (top, bottom) in enumerate(
        zip(order[:ENDS], order[::-1][:ENDS], strict=True), start=1
    ):
        rows.append([str(rank), *_word(result, int(top)), *_word(result, int(bottom))])
    heads = ["", "toward love", "PSE, % hate", "toward hate", "PSE, % hate"]
    places = [
        f"*{word}*: {int(np.flatnonzero(order == asked.index(word))[0]) + 1} of {len(order)}"
        for word in ("teacher", "examiner")
        if word in asked.items
    ]
    return table(heads, rows) + "\n\nPlace, counted from love: " + ", ".join(places) + "."


def against_prestige(subject: EmbeddingSubject) -> str:
    """PSE between love and hate against two surveys of prestige."""
    rows = []
    for name, column in (
        ("Duncan (1961), US", "prestige-duncan"),
        ("Pineo and Porter (1967), Canada", "prestige-pineo-porter"),
    ):
        survey = OutsideTable.from_spec("occupations", column)
        found = bl.occupations(subject, groups="love-hate", outside=survey).agreement()
        rows.append(_correlation(name, found))
    return table(["prestige", "n", "Pearson", "p", "Spearman"], rows)


def _word(result: bl.probes.occupations.OccupationsResult, i: int) -> list[str]:
    asked = result.contrasts[0]
    low, high = asked.pooled.corpus[i]
    told = f" ({100 * low:.0f} to {100 * high:.0f})" if np.isfinite([low, high]).all() else ""
    return [asked.items[i], minus(f"{100 * asked.pse[i]:.0f}{told}")]


def comparison(result: bl.probes.occupations.OccupationsResult) -> str:
    """Each measure against the same numbers for the same words."""
    heads = ["measure", "pairs", "Pearson", "less than WEAT's in size by", "Spearman"]
    return table(heads, (_measure(row) for row in result.comparison()))


def _measure(row: MeasureAgreement) -> list[str]:
    return [
        row.measure,
        str(row.pairs or ""),
        _signed(row.pearson, row.pearson_interval),
        "" if row.measure == WEAT else _signed(row.pearson_gap, row.pearson_gap_interval),
        _signed(row.spearman, row.spearman_interval),
    ]


def draw() -> None:
    """The pictures, all of the bundled subject."""
    subject = bl.load(BUNDLED)
    gender = bl.occupations(subject)
    pictures = {
        "electrician": bl.two_afc(subject, ["electrician"], jnd="sd").to_svg(),
        "pse": gender.to_svg(),
        "jnd": svg.paint(chart(gender, measure="jnd")),
        "love-hate": bl.occupations(subject, groups="love-hate").to_svg(),
        **association.pictures(),
    }
    for name, text in pictures.items():
        (IMAGES / f"replication-{name}.svg").write_text(text, encoding="utf-8")


def _signed(value: float, ends: Interval) -> str:
    return f"{number(value)} ({number(ends.low)} to {number(ends.high)})"


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


OUTSIDE: tuple[tuple[str, Callable[[], bool], Callable[[], Sections]], ...] = (
    ("the GoogleNews vectors", GOOGLENEWS.is_file, googlenews),
    ("the authors' cosine distances", association.present, association.authors),
    (
        "the GoogleNews vectors and the models of `make real`",
        lambda: GOOGLENEWS.is_file() and all(MODELS[name].path.exists() for name in REAL),
        lambda: {"any other embedding": other_embeddings},
    ),
    ("the sample of Wikipedia", jnd.present, jnd.with_corpus),
    ("Hu and Liu's lexicon", posterior.present, posterior.with_lexicon),
    ("BiasTestGPT's pairs", sentences.present, sentences.authors),
    (
        "BiasTestGPT's pairs and the models of `make real`",
        lambda: sentences.present() and MODELS["smollm2"].path.exists(),
        sentences.amplified,
    ),
    ("Apertium", rating.present, rating.measured),
)
"""What is not in the package: its name, whether it is here, and the sections on it."""


if __name__ == "__main__":
    sys.exit(main())
