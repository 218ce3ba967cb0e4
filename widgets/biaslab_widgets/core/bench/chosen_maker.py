"""Who makes the material of a bench in three steps, as a person has chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from biaslab.jobs.job import Job, JobGroup
from biaslab.people.secret import Secret
from biaslab_widgets.core.state.bench_state import MakerOption
from biaslab_widgets.core.subjects.sources import about_endpoint

T = TypeVar("T")
M_co = TypeVar("M_co", covariant=True)
ENDPOINT = "endpoint"


def endpoint_option() -> MakerOption:
    """Any endpoint, for the list of who can make material."""
    name = "OpenAI-compatible endpoint"
    return {"key": ENDPOINT, "name": name, "about": about_endpoint(), "endpoint": True}


class OfEndpoint(Protocol[M_co]):
    """Makes a maker of a model at an endpoint."""

    def __call__(self, model: str, *, base_url: str | None, key: Secret) -> M_co:
        """See the class."""


class ChosenMaker:
    """Who is to make material, as the front end has chosen; opened in the background.

    A person's key for an endpoint goes from the command to the client and nowhere else.

    - `who`: `ENDPOINT`, or another.
    - `args`: ``model``, ``base_url``.
    - `key`: for an endpoint.
    - `model`: empty where none is named.
    """

    def __init__(self, who: Any, args: Mapping[str, Any], key: Secret) -> None:
        self.who = str(who or ENDPOINT)
        self.model = str(args.get("model") or "").strip()
        self._url = str(args.get("base_url") or "").strip()
        self._key = key

    def begin(
        self, jobs: JobGroup, function: Callable[..., T], *args: Any, **options: Any
    ) -> Job[T]:
        """Run ``function(self, *args, **options)``; an endpoint's answers are waited for apart."""
        start = jobs.start_waiting if self.who == ENDPOINT else jobs.start
        return start(function, self, *args, **options)

    def of_endpoint(self, kind: OfEndpoint[T]) -> T:
        """The maker at the endpoint; the key is used this once."""
        key, self._key = self._key, Secret("")
        return kind(self.model, base_url=self._url or None, key=key)
