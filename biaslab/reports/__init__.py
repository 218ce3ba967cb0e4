"""What is said and drawn of results: their words and their charts.

`REPORTS` lists by class name where each is; `biaslab.records.result` looks there. A new kind of
result joins with one entry. `bokeh` and `svg` paint any chart.
"""

from __future__ import annotations

from biaslab.records.result import Report

_HERE = "biaslab.reports."


def _report(words: str, chart: str = "") -> Report:
    """Places below this package; the function is ``chart`` unless it is named."""
    place = chart if ":" in chart else f"{chart}:chart"
    return Report(_HERE + words, chart and _HERE + place)


REPORTS: dict[str, Report] = {
    "AssociationResult": _report("association.overview", "association.overview"),
    "Balance": _report("rating.words"),
    "CeatResult": _report("association.ceat", "association.ceat"),
    "Comparison": _report("comparison.words", "comparison.chart"),
    "Debiasing": _report("debias"),
    "DecisionsResult": _report("decisions.words", "decisions.chart"),
    "DistanceModelResult": _report("association.distance", "association.distance"),
    "GroupDistances": _report("posterior.contrast_words", "posterior.chart:groups"),
    "ImageAssociation": _report("images.words", "images.chart"),
    "ImageScoreDifference": _report("images.words"),
    "LayersResult": _report("psychometrics.layers", "psychometrics.layers"),
    "LexiconAgreement": _report("posterior.contrast_words", "posterior.chart:lexicon"),
    "MacResult": _report("association.mac", "association.mac"),
    "MeasureResult": _report("association.measure", "association.measure"),
    "MiddleGender": _report("rating.words"),
    "NearestReviews": _report("posterior.location_words", "posterior.chart:reviews"),
    "OccupationsResult": _report("occupations.words", "occupations.chart"),
    "PosteriorOverview": _report("posterior.overview", "posterior.chart:overview"),
    "PosteriorPlane": _report("posterior.location_words", "posterior.chart:plane"),
    "PosteriorResult": _report("posterior.draws", "posterior.draws:traces"),
    "PowerCurve": _report("rating.words"),
    "RatingResult": _report("rating.words", "rating.chart"),
    "SeatResult": _report("association.seat", "association.seat"),
    "ShareDifference": _report("sentences.words"),
    "Spec": _report("spec"),
    "StereotypeScore": _report("sentences.words", "sentences.chart"),
    "TraceResult": _report("trace", "trace"),
    "TwoAFCResult": _report("psychometrics.words", "psychometrics.chart"),
    "WeatResult": _report("association.weat", "association.weat"),
    "WeatSimulation": _report("association.simulation", "association.simulation"),
    "WordDistances": _report("posterior.location_words", "posterior.chart:distances"),
    "WordSimilarityResult": _report("similarity", "similarity:chart"),
}
"""By class name: words and chart."""
