"""Translators of the package deep-translator, such as Google and DeepL."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

from biaslab.asking.calling import StillRunsError, within
from biaslab.asking.languages import language_code
from biaslab.asking.protocols import Cost, Limits, Named
from biaslab.asking.translation import no_pair
from biaslab.errors import (
    MissingExtraError,
    OutboundError,
    ServiceAnswerError,
    ServiceBusyError,
    ServiceError,
    ServiceFailedError,
    ServiceRefusedError,
    ServiceSetupError,
    ServiceTimeoutError,
    ServiceUnreachableError,
)
from biaslab.people.secret import Secret, keys_in
from biaslab.records.calls import recorded_class


@functools.cache
def without_redirects(engine: type) -> Any:
    """Copy an engine so that its requests are checked and follow no redirect.

    deep-translator calls ``requests.get`` and ``requests.post``, which connect anywhere, follow any
    redirect, take along keys that are not in an Authorization header, and read answers of any size.
    The package itself is not changed. The copy's requests are those of
    `biaslab.network.checked_requests`.
    """
    spec = importlib.util.find_spec(engine.__module__)
    if spec is None or spec.loader is None:
        return engine
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "requests"):
        import requests

        from biaslab.network.checked_requests import request

        own = {method: functools.partial(request, method) for method in ("get", "post")}
        vars(module)["requests"] = SimpleNamespace(**vars(requests) | own)
    return getattr(module, engine.__name__)


_SUFFIX = "Translator"
_NAMES = {"en": "english", "es": "spanish"}
"""Some engines know languages by their names, and codes with a region, only."""
_KINDS: dict[str, tuple[type[ServiceError], str]] = {
    "TooManyRequests": (ServiceBusyError, "reports too many requests."),
    "RequestError": (ServiceFailedError, "rejected the request."),
    "ServerException": (ServiceFailedError, "failed."),
    "ConnectionError": (ServiceUnreachableError, "cannot be reached. Check the network."),
    "Timeout": (ServiceTimeoutError, "did not answer in time."),
    "ApiKeyException": (ServiceRefusedError, "needs a key: pass it as api_key=..."),
    "AuthorizationException": (ServiceRefusedError, "rejects this key: check it."),
    "TranslationNotFound": (ServiceAnswerError, "sent no translation."),
    "ElementNotFoundInGetRequest": (ServiceAnswerError, "sent no translation."),
    "NotValidPayload": (ServiceAnswerError, "rejects this text."),
    "NotValidLength": (ServiceAnswerError, "rejects a text of this length."),
    "JSONDecodeError": (ServiceAnswerError, "sent something other than JSON, perhaps a web page."),
}
"""Errors of deep-translator and its HTTP client, by the name of the class or of a base."""


@recorded_class
class DeepTranslator(Named):
    """A translator of deep-translator.

    Parameters
    ----------
    engine : str
        Such as ``"google"``, ``"yandex"``, ``"deepl"``, ``"microsoft"``, ``"libre"`` or
        ``"mymemory"``: the beginning of the name of the package's class.
    version : str
        Also part of the key of stored answers: such a service changes without notice.
        Give the month, say, to ask it again in the next one.
    limits : Limits, optional
        By default two calls per second, one after the other.
    cost : Cost, optional
        By its price list.
    **options
        For the package's class, such as ``api_key``. They are in no message and no representation.

    Raises
    ------
    MissingExtraError
        If deep-translator is not installed.
    ServiceSetupError
        If it has no such engine; lists the available ones.
    ServiceRefusedError
        If the engine needs a key.
    """

    def __init__(
        self,
        engine: str,
        *,
        version: str = "",
        limits: Limits | None = None,
        cost: Cost | None = None,
        **options: Any,
    ) -> None:
        try:
            import deep_translator
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                'This needs deep-translator: pip install "biaslab[services]"'
            ) from error
        known = {
            name.removesuffix(_SUFFIX).lower(): name
            for name in dir(deep_translator)
            if name.endswith(_SUFFIX)
        }
        if engine.lower() not in known:
            raise ServiceSetupError(
                f"deep-translator has no {engine!r}: it has {', '.join(sorted(known))}."
            )
        self._class = without_redirects(getattr(deep_translator, known[engine.lower()]))
        self._options = {
            option: Secret(value) if keys_in({option: value}) else value
            for option, value in options.items()
        }
        self._version = version
        self.name = known[engine.lower()].removesuffix(_SUFFIX)
        self.about = "translator on the internet"
        self.limits = limits or Limits(calls_per_second=2.0)
        self.cost = cost or Cost()
        self._codes = self._languages()

    def pairs(self) -> frozenset[tuple[str, str]]:
        """See `Translator.pairs`: all that deep-translator knows of this engine."""
        return frozenset((a, b) for a in self._codes for b in self._codes if a != b)

    def identity_of(self, source: str, target: str) -> str:
        """Return engine, version and pair."""
        return " ".join(
            filter(None, ("deep-translator", self.name, self._version, f"{source}-{target}"))
        )

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """See `Translator.translate`."""
        for code in (source, target):
            if code not in self._codes:
                raise no_pair(self.name, source, target, self.pairs())
        return [self._translate(text, self._codes[source], self._codes[target]) for text in texts]

    def _languages(self) -> dict[str, str]:
        """Map codes of `language_code` to the engine's own."""
        named: dict[str, str] = self._translator("en", "es").get_supported_languages(as_dict=True)
        codes: dict[str, str] = {}
        for name, code in named.items():
            for text in (name, code):
                with suppress(ServiceSetupError):  # a name with a script, say, which its code says
                    codes.setdefault(language_code(text), code)
                    break
        return codes

    def _translator(self, source: str, target: str) -> Any:
        """Create a translator for one call: some of them cache their last request."""
        with self._reporting():
            options = {
                option: value.open() if isinstance(value, Secret) else value
                for option, value in self._options.items()
            }
            try:
                return self._class(source=source, target=target, **options)
            except TypeError as error:
                raise ServiceSetupError(f"{self.name} rejects these options: {error}") from None
            except Exception as error:  # the package's errors have no common base
                if type(error).__name__ != "LanguageNotSupportedException":
                    raise
                source, target = _NAMES.get(source, source), _NAMES.get(target, target)
                return self._class(source=source, target=target, **options)

    def _translate(self, text: str, source: str, target: str) -> str:
        def call() -> Any:
            return self._translator(source, target).translate(text)

        with self._reporting():
            # deep-translator waits for ever for a server that is silent.
            answer = within(self.limits.timeout, call)
        if isinstance(answer, list) and len(answer) == 1:  # Yandex's form
            (answer,) = answer
        if not isinstance(answer, str):
            raise ServiceAnswerError(f"{self.name} sent no translation.")
        return answer

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        """Raise a `ServiceError` in place of an error of the package.

        Its messages quote keys and whole tables of languages, so they are not passed on.
        """
        try:
            yield
        except ServiceError:
            raise
        except OutboundError as error:
            raise ServiceRefusedError(f"{self.name}: {error}") from None
        except StillRunsError:
            raise ServiceTimeoutError(
                f"{self.name} did not answer within {self.limits.timeout:g} s."
            ) from None
        except Exception as error:  # noqa: BLE001  # the error is reported
            for each in type(error).__mro__:
                if each.__name__ in _KINDS:
                    kind, what = _KINDS[each.__name__]
                    raise kind(f"{self.name} {what}") from None
            raise ServiceAnswerError(f"{self.name} failed with {type(error).__name__}.") from None
