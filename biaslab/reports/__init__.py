"""What is said and drawn of results: their words, Bokeh figures and still pictures.

`REPORTS` lists by class name where each is; `biaslab.reporting` looks there. A new kind of result
joins with one entry.
"""

from __future__ import annotations

from biaslab.reporting import Report

_HERE = "biaslab.reports."


def _report(words: str = "", figure: str = "", svg: str = "") -> Report:
    return Report(*(_HERE + place if place else "" for place in (words, figure, svg)))


REPORTS: dict[str, Report] = {
    "AssociationResult": _report(
        figure="association.overview:figure", svg="association.overview:svg"
    ),
    "CeatResult": _report(figure="association.sentence_tests_bokeh:ceat"),
    "DistanceModelResult": _report(
        figure="association.distance_bokeh:figure", svg="association.distance_svg:svg"
    ),
    "GroupDistances": _report(figure="posterior.bokeh:groups"),
    "ImageAssociation": _report(figure="images.bokeh:figure", svg="images.svg:single"),
    "LexiconAgreement": _report(figure="posterior.bokeh:lexicon"),
    "MacResult": _report(figure="association.mac_bokeh:figure", svg="association.mac_svg:svg"),
    "OccupationsResult": _report(figure="occupations.bokeh:figure", svg="occupations.svg:svg"),
    "PosteriorOverview": _report(figure="posterior.overview:figure", svg="posterior.svg:svg"),
    "PosteriorPlane": _report(figure="posterior.bokeh:plane"),
    "PosteriorResult": _report(figure="posterior.traces_bokeh:figure"),
    "RatingResult": _report(figure="rating.bokeh:figure"),
    "SeatResult": _report(figure="association.sentence_tests_bokeh:seat"),
    "StereotypeScore": _report(figure="sentences.bokeh:figure", svg="sentences.svg:single"),
    "TwoAFCResult": _report(figure="psychometrics.bokeh:figure", svg="psychometrics.svg:svg"),
    "WeatResult": _report(figure="association.weat_bokeh:figure", svg="association.weat_svg:svg"),
    "WeatSimulation": _report(figure="association.simulation_bokeh:figure"),
    "WordDistances": _report(figure="posterior.bokeh:distances"),
}
"""By class name: words, figure and still picture."""
