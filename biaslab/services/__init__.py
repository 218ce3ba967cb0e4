"""Services that can only be called: text in, text out."""

from __future__ import annotations

from biaslab.services.apertium import apertium, apertium_is_installed
from biaslab.services.apertium_command import ApertiumCommand
from biaslab.services.apertium_http import ApertiumHTTP
from biaslab.services.apertium_server import ApertiumServer
from biaslab.services.caption_service import CaptionService
from biaslab.services.chains import AnyService, Composite, as_chain
from biaslab.services.chat import ChatService, ChatTranslator
from biaslab.services.classifier_service import ClassifierService
from biaslab.services.deep import DeepTranslator
from biaslab.services.function import FunctionService
from biaslab.services.http_api import HttpService, HttpTranslator, http_service
from biaslab.services.inspect_service import InspectService
from biaslab.services.language_model_server import LanguageModelServer
from biaslab.services.languages import language_code, language_name
from biaslab.services.model_translator import ModelTranslator
from biaslab.services.own_service import open_own
from biaslab.services.service import (
    Chain,
    Cost,
    Limits,
    Service,
    Translator,
)
from biaslab.services.translation import RoundTrip, Translation, round_trip_languages

__all__ = [
    "AnyService",
    "ApertiumCommand",
    "ApertiumHTTP",
    "ApertiumServer",
    "CaptionService",
    "Chain",
    "ChatService",
    "ChatTranslator",
    "ClassifierService",
    "Composite",
    "Cost",
    "DeepTranslator",
    "FunctionService",
    "HttpService",
    "HttpTranslator",
    "InspectService",
    "LanguageModelServer",
    "Limits",
    "ModelTranslator",
    "RoundTrip",
    "Service",
    "Translation",
    "Translator",
    "apertium",
    "apertium_is_installed",
    "as_chain",
    "http_service",
    "language_code",
    "language_name",
    "open_own",
    "round_trip_languages",
]
