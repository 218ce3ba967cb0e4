"""Artificial psychophysics: two-alternative forced choice, PSE and JND.

References
----------
Liang and Acuna (2020), "Artificial mental phenomena: Psychophysics as a framework to detect
perception biases in AI models", FAT* '20, doi:10.1145/3351095.3375623.
"""

from biaslab.probes.psychometrics.adaptive_trials import curve_posteriors
from biaslab.probes.psychometrics.black_box_trials import OneByOne
from biaslab.probes.psychometrics.framed_model import FramedModel
from biaslab.probes.psychometrics.frames import agreement_effects
from biaslab.probes.psychometrics.layers import LayersResult
from biaslab.probes.psychometrics.options import Adaptive, CuePairs, Repeated
from biaslab.probes.psychometrics.perception import Perception, share_by_integration
from biaslab.probes.psychometrics.probe import two_afc, two_afc_layers
from biaslab.probes.psychometrics.result import TwoAFCResult
from biaslab.probes.psychometrics.trial_memory import Conversation, Memory, memory
from biaslab.probes.psychometrics.trials import Trials

__all__ = [
    "Adaptive", "Conversation", "CuePairs", "FramedModel", "LayersResult", "Memory", "OneByOne",
    "Perception", "Repeated", "Trials", "TwoAFCResult", "agreement_effects", "curve_posteriors",
    "memory", "share_by_integration", "two_afc", "two_afc_layers",
]  # fmt: skip
