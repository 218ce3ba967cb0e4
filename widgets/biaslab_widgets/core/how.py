"""Writes "How this works": steps with formulas, the numbers put in, and references."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from biaslab_widgets.core.state.records import Citation, How, Step


@dataclass(frozen=True)
class Reference:
    """A publication.

    - `year`: None for a manuscript without a date.
    - `url`: its DOI or another lasting address; empty where it has none.
    """

    authors: str
    year: int | None
    title: str
    where: str = ""
    url: str = ""

    @property
    def text(self) -> str:
        """As it is written in a list of references."""
        year = f" ({self.year})" if self.year is not None else ""
        dot = "" if self.title.endswith("?") else "."
        where = f" {self.where}." if self.where else ""
        return f"{self.authors}{year}. {self.title}{dot}{where}"


def cited(key: str) -> Citation:
    """Return a reference of the table as the front end gets it."""
    one = REFERENCES[key]
    return {"text": one.text, "url": one.url}


_DOI = "https://doi.org/"
_ARXIV = "https://arxiv.org/abs/"

REFERENCES: Final[Mapping[str, Reference]] = {
    "liang-acuna": Reference(
        "Liang, L., and Acuna, D. E.",
        2020,
        "Artificial mental phenomena: Psychophysics as a framework to detect perception biases in"
        " AI models",
        "FAT* '20",
        f"{_DOI}10.1145/3351095.3375623",
    ),
    "wichmann-hill": Reference(
        "Wichmann, F. A., and Hill, N. J.",
        2001,
        "The psychometric function: I. Fitting, sampling, and goodness of fit",
        "Perception & Psychophysics 63, 1293-1313",
        f"{_DOI}10.3758/BF03194544",
    ),
    "holm": Reference(
        "Holm, S.",
        1979,
        "A simple sequentially rejective multiple test procedure",
        "Scandinavian Journal of Statistics 6, 65-70",
        "https://www.jstor.org/stable/4615733",
    ),
    "eeoc": Reference(
        "EEOC, Civil Service Commission, Department of Labor, and Department of Justice",
        1978,
        "Uniform guidelines on employee selection procedures",
        "29 CFR 1607.4 D",
    ),
    "prins": Reference(
        "Prins, N.",
        2013,
        "The psi-marginal adaptive method: How to give nuisance parameters the attention they"
        " deserve (no more, no less)",
        "Journal of Vision 13(7):3",
        "https://doi.org/10.1167/13.7.3",
    ),
    "macmillan": Reference(
        "Macmillan, N. A., and Creelman, C. D.",
        2005,
        "Detection theory: A user's guide",
        "Second edition, Lawrence Erlbaum",
    ),
    "caliskan": Reference(
        "Caliskan, A., Bryson, J. J., and Narayanan, A.",
        2017,
        "Semantics derived automatically from language corpora contain human-like biases",
        "Science 356, 183-186",
        f"{_DOI}10.1126/science.aal4230",
    ),
    "manzini": Reference(
        "Manzini, T., Yao Chong, L., Black, A. W., and Tsvetkov, Y.",
        2019,
        "Black is to criminal as Caucasian is to police: Detecting and removing multiclass bias in"
        " word embeddings",
        "NAACL-HLT 2019",
        f"{_ARXIV}1904.04047",
    ),
    "bertrand-mullainathan": Reference(
        "Bertrand, M., and Mullainathan, S.",
        2004,
        "Are Emily and Greg more employable than Lakisha and Jamal? A field experiment on labor"
        " market discrimination",
        "American Economic Review 94, 991-1013",
        f"{_DOI}10.1257/0002828042002561",
    ),
    "garcia-perez": Reference(
        "García-Pérez, M. A., and Alcalá-Quintana, R.",
        2017,
        "The indecision model of psychophysical performance in dual-presentation tasks: Parameter"
        " estimation and comparative analysis of response formats",
        "Frontiers in Psychology 8, 1142",
        f"{_DOI}10.3389/fpsyg.2017.01142",
    ),
    "bayesian-cosine": Reference(
        "Anonymous",
        None,
        "A Bayesian method of cosine-based word2vec bias estimation",
        "Manuscript that names no authors",
    ),
    "vehtari": Reference(
        "Vehtari, A., Gelman, A., Simpson, D., Carpenter, B., and Bürkner, P.-C.",
        2021,
        "Rank-normalization, folding, and localization: An improved R-hat for assessing convergence"
        " of MCMC",
        "Bayesian Analysis 16, 667-718",
        f"{_DOI}10.1214/20-BA1221",
    ),
    "jiang": Reference(
        "Jiang, R., Kocielnik, R., Saravanan, A., Han, P., Alvarez, R. M., and Anandkumar, A.",
        2023,
        "Empowering Domain Experts to Detect Social Bias in Generative AI with User-Friendly"
        " Interfaces",
        "Manuscript",
    ),
    "nadeem": Reference(
        "Nadeem, M., Bethke, A., and Reddy, S.",
        2021,
        "StereoSet: Measuring stereotypical bias in pretrained language models",
        "ACL-IJCNLP 2021",
        f"{_DOI}10.18653/v1/2021.acl-long.416",
    ),
    "sanborn": Reference(
        "Sanborn, A. N., Griffiths, T. L., and Shiffrin, R. M.",
        2010,
        "Uncovering mental representations with Markov chain Monte Carlo",
        "Cognitive Psychology 60, 63-106",
        f"{_DOI}10.1016/j.cogpsych.2009.07.001",
    ),
    "srivastava-rossi": Reference(
        "Srivastava, B., and Rossi, F.",
        2018,
        "Towards Composable Bias Rating of AI Services",
        "AIES '18",
        f"{_DOI}10.1145/3278721.3278744",
    ),
}


MINUS = "\N{MINUS SIGN}"
NOTHING_YET = "There is no result yet. Once there is one, its numbers stand here."


def how(
    about: str, steps: Iterable[Step] = (), *, read: Sequence[str] = (), guide: str = ""
) -> How:
    """Steps for what is in focus, with references.

    - `about`: what the numbers are of, in one line.
    - `read`: keys of `biaslab_widgets.core.how.REFERENCES`.
    - `guide`: page of the documentation.
    """
    return {
        "about": about,
        "steps": list(steps),
        "references": [cited(key) for key in read],
        "guide": guide,
    }


def step(title: str, formula: str = "", *numbers: str, text: str = "") -> Step:
    """One step; ``numbers`` are lines of arithmetic that hold as they are written."""
    return {"title": title, "formula": formula, "numbers": list(numbers), "text": text}


def number(value: float, digits: int = 3) -> str:
    """A number as it is written: with a minus sign, and a word where it is none."""
    if math.isnan(value):
        return "none"
    if math.isinf(value):
        return "infinite" if value > 0 else f"{MINUS}infinite"
    return f"{value:,.{digits}f}".replace("-", MINUS)


def signed(value: float, digits: int = 3) -> str:
    """A number that is put into a formula: in brackets when it is negative."""
    text = number(value, digits)
    return f"({text})" if value < 0 else text


def percent(share: float, digits: int = 1) -> str:
    """A share from 0 to 1, in per cent."""
    return f"{number(100 * share, digits)} %"


def points(share: float, digits: int = 1) -> str:
    """A difference of shares, in points of per cent."""
    return f"{number(100 * share, digits)} points"


def ends(low: float, high: float, digits: int = 1) -> str:
    """An interval of shares, in per cent."""
    return f"{number(100 * low, digits)} to {percent(high, digits)}"


def total(values: Sequence[float], digits: int = 3) -> str:
    """A sum: of few values each of them, of many the sum and how many there are."""
    if len(values) <= _FEW:
        return "(" + " + ".join(signed(v, digits) for v in values) + ")"
    return signed(math.fsum(values), digits)


_FEW = 6
"""At most so many values of a sum are written."""


def mean_line(values: Sequence[float], digits: int = 3, tail: str = "") -> str:
    """The mean of values as arithmetic: "(0.2 + 0.4) / 2 = 0.300"."""
    n = len(values)
    return f"{total(values, digits)} / {n} = {number(math.fsum(values) / n, digits)}{tail}"
