"""What is said and drawn of results: their words and their charts.

`REPORTS` lists by class name where each is; `biaslab.reporting` looks there. A new kind of result
joins with one entry. `bokeh` and `svg` paint any chart.
"""

from __future__ import annotations

from biaslab.reporting import Report

_HERE = "biaslab.reports."


def _report(words: str, chart: str = "") -> Report:
    """Places below this package; the function is ``chart`` unless it is named."""
    place = chart if ":" in chart else f"{chart}:chart"
    return Report(_HERE + words, chart and _HERE + place)


REPORTS: dict[str, Report] = {
    "AssociationResult": _report("association.overview", "association.overview"),
    "Balance": _report("rating.balance_words"),
    "CeatResult": _report("association.ceat_words", "association.sentence_tests_chart:ceat"),
    "Comparison": _report("comparison.words", "comparison.chart"),
    "Debiasing": _report("debias"),
    "DecisionsResult": _report("decisions.words", "decisions.chart"),
    "DistanceModelResult": _report("association.distance_words", "association.distance_chart"),
    "GroupDistances": _report("posterior.groups_words", "posterior.chart:groups"),
    "ImageAssociation": _report("images.words", "images.chart"),
    "ImageScoreDifference": _report("images.difference_words"),
    "LayersResult": _report("layers.words", "layers.chart"),
    "LexiconAgreement": _report("posterior.lexicon_words", "posterior.chart:lexicon"),
    "MacResult": _report("association.mac_words", "association.mac_chart"),
    "MeasureResult": _report("association.measure_words", "association.measure_chart"),
    "MiddleGender": _report("rating.middle_words"),
    "NearestReviews": _report("posterior.reviews_words", "posterior.reviews_chart"),
    "OccupationsResult": _report("occupations.words", "occupations.chart"),
    "PosteriorOverview": _report("posterior.overview", "posterior.chart:overview"),
    "PosteriorPlane": _report("posterior.plane_words", "posterior.chart:plane"),
    "PosteriorResult": _report("posterior.draws_words", "posterior.traces_chart"),
    "PowerCurve": _report("rating.power_words"),
    "RatingResult": _report("rating.words", "rating.chart"),
    "SeatResult": _report("association.seat_words", "association.sentence_tests_chart:seat"),
    "ShareDifference": _report("sentences.difference_words"),
    "Spec": _report("spec"),
    "StereotypeScore": _report("sentences.words", "sentences.chart"),
    "TraceResult": _report("trace.words", "trace.chart"),
    "TwoAFCResult": _report("psychometrics.words", "psychometrics.chart"),
    "WeatResult": _report("association.weat_words", "association.weat_chart"),
    "WeatSimulation": _report("association.simulation_words", "association.simulation_chart"),
    "WordDistances": _report("posterior.distances_words", "posterior.chart:distances"),
    "WordSimilarityResult": _report("similarity", "similarity:chart"),
}
"""By class name: words and chart."""
