"""Artificial psychophysics (paper 000): the two-alternative forced choice task, PSE and JND."""

from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.perception import Perception, share_by_integration
from biaslab.probes.psychometrics.probe import two_afc
from biaslab.probes.psychometrics.result import TwoAFCResult

__all__ = ["FramedModel", "Perception", "TwoAFCResult", "share_by_integration", "two_afc"]
