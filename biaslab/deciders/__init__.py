"""Deciders: whatever can be asked for a decision in words."""

from biaslab.deciders.chat_decider import ChatDecider
from biaslab.deciders.choosing import decider_of
from biaslab.deciders.classifier_decider import ClassifierDecider
from biaslab.deciders.decider import OUTCOMES, Decider, Outcome, Reply, StreamingDecider
from biaslab.deciders.function_decider import FunctionDecider
from biaslab.deciders.inspect_decider import InspectDecider
from biaslab.deciders.language_model_decider import LanguageModelDecider
from biaslab.deciders.picture_chat import PictureChatDecider
from biaslab.deciders.picture_question import PictureQuestion
from biaslab.deciders.picture_subject import PictureChat
from biaslab.deciders.price import Price
from biaslab.deciders.reading import Reading, read_reply
from biaslab.deciders.service_decider import ServiceDecider
from biaslab.deciders.simulated import SimulatedDecider
from biaslab.deciders.simulated_faults import Faults
from biaslab.deciders.simulated_pictures import SimulatedPictureChat
from biaslab.deciders.simulated_server import SimulatedServer
from biaslab.deciders.simulated_truth import DeciderTruth
from biaslab.deciders.stored_replies import StoredReplies, ask

__all__ = [
    "OUTCOMES",
    "ChatDecider",
    "ClassifierDecider",
    "Decider",
    "DeciderTruth",
    "Faults",
    "FunctionDecider",
    "InspectDecider",
    "LanguageModelDecider",
    "Outcome",
    "PictureChat",
    "PictureChatDecider",
    "PictureQuestion",
    "Price",
    "Reading",
    "Reply",
    "ServiceDecider",
    "SimulatedDecider",
    "SimulatedPictureChat",
    "SimulatedServer",
    "StoredReplies",
    "StreamingDecider",
    "ask",
    "decider_of",
    "read_reply",
]
