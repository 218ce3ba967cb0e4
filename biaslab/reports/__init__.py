"""What is said and drawn of results: their words, Bokeh figures and still pictures.

`REPORTS` lists by class name where each is; `biaslab.reporting` looks there. A new kind of result
joins with one entry.
"""

from __future__ import annotations

from biaslab.reporting import Report

_HERE = "biaslab.reports."


def _report(words: str, figure: str = "", svg: str = "", chart: str = "") -> Report:
    """Places below this package; a function has the name of its argument unless it is named."""
    return Report(
        words and _HERE + words,
        _function(figure, "figure"),
        _function(svg, "svg"),
        _function(chart, "chart"),
    )


def _function(place: str, usual: str) -> str:
    if not place:
        return ""
    return _HERE + (place if ":" in place else f"{place}:{usual}")


REPORTS: dict[str, Report] = {
    "AssociationResult": _report("association.overview", chart="association.overview"),
    "Balance": _report("rating.balance_words"),
    "CeatResult": _report("association.ceat_words", chart="association.sentence_tests_chart:ceat"),
    "Debiasing": _report("debias"),
    "DistanceModelResult": _report(
        "association.distance_words", chart="association.distance_chart"
    ),
    "GroupDistances": _report("posterior.groups_words", "posterior.bokeh:groups"),
    "ImageAssociation": _report("images.words", "images.bokeh", "images.svg:single"),
    "ImageScoreDifference": _report("images.difference_words"),
    "LexiconAgreement": _report("posterior.lexicon_words", "posterior.bokeh:lexicon"),
    "MacResult": _report("association.mac_words", chart="association.mac_chart"),
    "MeasureResult": _report("association.measure_words"),
    "MiddleGender": _report("rating.middle_words"),
    "NearestReviews": _report("posterior.reviews_words"),
    "OccupationsResult": _report("occupations.words", "occupations.bokeh", "occupations.svg"),
    "PosteriorOverview": _report("posterior.overview", "posterior.overview", "posterior.svg"),
    "PosteriorPlane": _report("posterior.plane_words", "posterior.bokeh:plane"),
    "PosteriorResult": _report("posterior.draws_words", "posterior.traces_bokeh"),
    "PowerCurve": _report("rating.power_words"),
    "RatingResult": _report("rating.words", "rating.bokeh"),
    "SeatResult": _report("association.seat_words", chart="association.sentence_tests_chart:seat"),
    "ShareDifference": _report("sentences.difference_words"),
    "Spec": _report("spec"),
    "StereotypeScore": _report("sentences.words", "sentences.bokeh", "sentences.svg:single"),
    "TwoAFCResult": _report("psychometrics.words", "psychometrics.bokeh", "psychometrics.svg"),
    "WeatResult": _report("association.weat_words", chart="association.weat_chart"),
    "WeatSimulation": _report("association.simulation_words", chart="association.simulation_chart"),
    "WordDistances": _report("posterior.distances_words", "posterior.bokeh:distances"),
    "WordSimilarityResult": _report("similarity"),
}
"""By class name: words, figure and still picture."""
