"""Deciders: whatever can be asked for a decision in words."""

from biaslab.asking.opening import ServiceDecider, decider_of
from biaslab.asking.protocols import (
    OUTCOMES,
    Decider,
    Outcome,
    Price,
    Reply,
    StreamingDecider,
    request_of,
)
from biaslab.asking.providers.chat import ChatDecider
from biaslab.asking.providers.classifier import ClassifierDecider
from biaslab.asking.providers.function import FunctionDecider
from biaslab.asking.providers.inspect import InspectDecider
from biaslab.asking.providers.language_model import LanguageModelDecider
from biaslab.asking.providers.pictures import PictureChat, PictureChatDecider, PictureQuestion
from biaslab.asking.reading.reading import Reading, read_reply
from biaslab.asking.simulated.decider import SimulatedDecider
from biaslab.asking.simulated.pictures import SimulatedPictureChat
from biaslab.asking.simulated.server import Faults, SimulatedServer
from biaslab.asking.simulated.truth import DeciderTruth
from biaslab.asking.stored_replies import StoredReplies, ask

__all__ = [
    "OUTCOMES", "ChatDecider", "ClassifierDecider", "Decider", "DeciderTruth", "Faults",
    "FunctionDecider", "InspectDecider", "LanguageModelDecider", "Outcome", "PictureChat",
    "PictureChatDecider", "PictureQuestion", "Price", "Reading", "Reply", "ServiceDecider",
    "SimulatedDecider", "SimulatedPictureChat", "SimulatedServer", "StoredReplies",
    "StreamingDecider", "ask", "decider_of", "read_reply", "request_of",
]  # fmt: skip
