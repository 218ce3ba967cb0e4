"""What the lessons need besides the benches: predictions, experiments, small charts.

Plain ipywidgets and SVG: nothing is fetched, and a cell that shows one returns at once.
"""

from biaslab_widgets.classroom.charts import Chart, interval_chart, psychometric_chart
from biaslab_widgets.classroom.differences import difference_chart, histogram_chart
from biaslab_widgets.classroom.lines import LinesExperiment
from biaslab_widgets.classroom.morphs import MorphByHand
from biaslab_widgets.classroom.pictures import PictureSheet, picture_sheet
from biaslab_widgets.classroom.prediction import Prediction, register
from biaslab_widgets.classroom.question import SelfCheck

__all__ = [
    "Chart",
    "LinesExperiment",
    "MorphByHand",
    "PictureSheet",
    "Prediction",
    "SelfCheck",
    "difference_chart",
    "histogram_chart",
    "interval_chart",
    "picture_sheet",
    "psychometric_chart",
]

register()
