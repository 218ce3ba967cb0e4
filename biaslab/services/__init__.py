"""Services that can only be called: text in, text out."""

from __future__ import annotations

from biaslab.asking.languages import language_code, language_name
from biaslab.asking.opening import AnyService, Composite, as_chain, open_own
from biaslab.asking.protocols import Chain, Cost, Limits, Service, Translator
from biaslab.asking.providers import apertium_analysis
from biaslab.asking.providers.apertium import (
    ApertiumCommand,
    ApertiumHTTP,
    ApertiumServer,
    apertium,
    apertium_is_installed,
)
from biaslab.asking.providers.chat import ChatService, ChatTranslator
from biaslab.asking.providers.classifier import ClassifierService
from biaslab.asking.providers.deep import DeepTranslator
from biaslab.asking.providers.function import FunctionService
from biaslab.asking.providers.http_api import HttpService, HttpTranslator, http_service
from biaslab.asking.providers.inspect import InspectService
from biaslab.asking.providers.language_model_server import LanguageModelServer
from biaslab.asking.providers.models import CaptionService, ModelTranslator
from biaslab.asking.translation import RoundTrip, Translation, round_trip_languages

__all__ = [
    "AnyService", "ApertiumCommand", "ApertiumHTTP", "ApertiumServer", "CaptionService", "Chain",
    "ChatService", "ChatTranslator", "ClassifierService", "Composite", "Cost", "DeepTranslator",
    "FunctionService", "HttpService", "HttpTranslator", "InspectService", "LanguageModelServer",
    "Limits", "ModelTranslator", "RoundTrip", "Service", "Translation", "Translator", "apertium",
    "apertium_analysis", "apertium_is_installed", "as_chain", "http_service", "language_code",
    "language_name", "open_own", "round_trip_languages",
]  # fmt: skip
