"""The glossary: each term of the screens in one or two sentences, with its source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Term:
    """A term of the screens.

    - `name`: as the screens write it.
    - `long`: spelled out; empty where the name is a word.
    - `source`: where it comes from; empty for terms of biaslab.
    """

    name: str
    meaning: str
    long: str = ""
    source: str = ""


_LIANG = "Liang and Acuna (2020)"
_CALISKAN = "Caliskan, Bryson and Narayanan (2017)"
_MANZINI = "Manzini et al. (2019)"
_MACMILLAN = "Macmillan and Creelman (2005)"
_SRIVASTAVA = "Srivastava and Rossi (2018)"

GLOSSARY: Final = (
    Term(
        "blend",
        "A mixture of two cues that a model is asked about, from 0 % (all cue 1) to 100 % (all cue"
        " 2). Its share of cue 2 is written α.",
        source=_LIANG,
    ),
    Term("cue", "One end of a blend, such as “woman” or “man”: a word, or a set of words."),
    Term(
        "switch point",
        "The blend from which on a replicate answers with cue 2, written α*. Outside 0 to 100 % it"
        " gives one answer to every blend.",
        source=_LIANG,
    ),
    Term(
        "PSE",
        "The blend at which both answers are equally likely. An unbiased model has it at 50 %.",
        "point of subjective equality",
        _LIANG,
    ),
    Term(
        "JND",
        "The change of the blend that moves the share of answers from 50 to 75 %. A small one means"
        " that the model switches sharply. Other conventions can be chosen.",
        "just noticeable difference",
        _LIANG,
    ),
    Term(
        "guess and lapse rate",
        "The shares of answers that do not depend on the blend, at its two ends. They are fitted"
        " with the curve, as otherwise they would distort the PSE and the JND.",
        source="Wichmann and Hill (2001)",
    ),
    Term("replicate", "One of several models trained on resampled text. Each answers by itself."),
    Term(
        "corpus interval",
        "How far a number moves when the text to train on is resampled. It decides whether a lean"
        " is clear.",
    ),
    Term(
        "Monte Carlo interval",
        "How exactly the replicates fix their own mean. It shrinks with more replicates, and does"
        " not say how clear a lean is.",
    ),
    Term(
        "no clear lean",
        "The interval includes the neutral value, so the data fit a lean to either side, and none."
        " A lean of a size that “would show” is found in four of five samples like this one.",
    ),
    Term(
        "Holm correction",
        "Judges many words at once so that all clear leans together are wrong in at most 5 % of"
        " studies.",
        source="Holm (1979)",
    ),
    Term(
        "WEAT",
        "The difference of two word groups' associations with two attribute lists, divided by the"
        " standard deviation over words.",
        "Word Embedding Association Test",
        _CALISKAN,
    ),
    Term(
        "MAC",
        "The mean cosine similarity or distance between target words and attribute lists.",
        "mean average cosine similarity",
        _MANZINI,
    ),
    Term(
        "crossed model",
        "A model of distances in which each attribute word and each group word has an effect of its"
        " own, as each attribute word meets every group word.",
    ),
    Term(
        "HPDI",
        "The shortest interval that contains a given share of a posterior.",
        "highest posterior density interval",
    ),
    Term(
        "R-hat",
        "Compares chains of draws with each other. Near 1, they agree.",
        source="Vehtari et al. (2021)",
    ),
    Term(
        "ESS",
        "The number of independent draws that would be as exact as these.",
        "effective sample size",
        "Vehtari et al. (2021)",
    ),
    Term("MCSE", "The error of an estimate that comes from drawing.", "Monte Carlo standard error"),
    Term(
        "stereotype score",
        "The share of sentence pairs in which the stereotyped version is more probable, averaged"
        " over attributes. Without a preference it is 50 %.",
        source="Nadeem, Bethke and Reddy (2021)",
    ),
    Term(
        "frame", "A sentence with a gap for the word that is asked about. Several make observers."
    ),
    Term(
        "DSBS",
        "The rating of a service whose output is as biased as its input.",
        "data-sensitive biased system",
        _SRIVASTAVA,
    ),
    Term(
        "UCS",
        "The rating of a service that gives unbiased output whatever its input.",
        "unbiased compensated system",
        _SRIVASTAVA,
    ),
    Term(
        "BS",
        "The rating of a service whose output is biased even if its input is not.",
        "biased system",
        _SRIVASTAVA,
    ),
    Term(
        "gap",
        "How much more of a quality one group must bring to be accepted as often as the other: the"
        " difference between their PSEs.",
    ),
    Term(
        "impact ratio",
        "The rate at which the second group is accepted, divided by that of the first. Below 0.8 it"
        " fails the four-fifths rule.",
        source="EEOC (1978)",
    ),
    Term("lapse", "An answer that does not depend on the case."),
    Term(
        "adaptive placement",
        "Each question has the level at which its answer is expected to say most about the gap.",
        source="Prins (2013)",
    ),
    Term(
        "d′",
        "How far apart a model's evidence of qualified people lies from that of the others, in"
        " standard deviations: z(hits) − z(false alarms). At 0 it cannot tell them apart.",
        "sensitivity",
        _MACMILLAN,
    ),
    Term(
        "criterion",
        "How much evidence a model demands before it says yes, written c. Above 0 it leans to no,"
        " below 0 to yes.",
        source=_MACMILLAN,
    ),
    Term(
        "ROC",
        "The curve of hits against false alarms along which only the criterion changes. A higher"
        " curve means a greater sensitivity.",
        "receiver operating characteristic",
        _MACMILLAN,
    ),
    Term("hit", "A yes to somebody who is qualified. A no is a miss.", source=_MACMILLAN),
    Term(
        "false alarm",
        "A yes to somebody who is not qualified. A no is a correct rejection.",
        source=_MACMILLAN,
    ),
)


def glossary_typescript(terms_of: Mapping[str, Iterable[str]]) -> str:
    """Return the TypeScript module of the glossary: a constant per term, and a list per bench.

    A bench's module takes its own list along, and no more.

    - `terms_of`: names of the terms that each bench shows, by the bench's name.
    """
    blocks = [_HEAD, _INTERFACE]
    for term in GLOSSARY:
        record = {"name": term.name, "long": term.long, "meaning": term.meaning}
        blocks.append(
            f"const {_constant(term.name)}: GlossaryTerm = "
            + json.dumps({**record, "source": term.source}, ensure_ascii=False, indent=2)
            + ";"
        )
    for bench, terms in terms_of.items():
        names = "".join(f"  {_constant(term)},\n" for term in terms)
        blocks.append(f"export const {_constant(bench)}_TERMS = [\n{names}];")
    return "\n\n".join(blocks) + "\n"


_HEAD = "// Written by `make contract` from the glossary. Do not edit."
_INTERFACE = """/** A term of the screens; `long` is empty where the name is a word. */
export interface GlossaryTerm {
  name: string;
  long: string;
  meaning: string;
  source: string;
}"""


def _constant(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name).upper()
