"""Recorded answers as a subject: files of replies that somebody else collected."""

from biaslab.answers.opening import replay
from biaslab.answers.recorded import Column, Example, FileSummary, RecordedAnswers, SetAside
from biaslab.answers.simulated import EXAMPLES

__all__ = ["EXAMPLES", "Column", "Example", "FileSummary", "RecordedAnswers", "SetAside", "replay"]
