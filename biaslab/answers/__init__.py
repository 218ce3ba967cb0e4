"""Recorded answers as a subject: files of replies that somebody else collected."""

from biaslab.answers.opening import replay
from biaslab.answers.recorded import Column, Example, RecordedAnswers, SetAside

__all__ = ["Column", "Example", "RecordedAnswers", "SetAside", "replay"]
