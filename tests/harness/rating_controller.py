"""A rating bench's controller, driven as a front end does, without a host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biaslab.services import Cost, Limits
from biaslab_widgets.benches.rating.bench import RatingController
from biaslab_widgets.benches.rating.services import service_sources
from harness.driven import Driven
from harness.emitted import Gate

MIDDLES = {"es": "faithful", "tr": "always-he", "ca": "erasing"}


class Echo:
    """A service that answers each text with itself, counts calls, and waits where it is told to.

    Parameters
    ----------
    gate_at : int, optional
        The call, from 1, that waits at `gate`.
    """

    about = "says it again"
    limits = Limits(texts_per_call=1)
    cost = Cost(per_call=0.01, currency="EUR")

    def __init__(self, name: str = "echo", gate_at: int | None = None, version: str = "1") -> None:
        self.name, self.gate_at = name, gate_at
        self.identity = f"echo {name} {version}" if version else ""
        self.gate = Gate()
        self.asked: list[str] = []
        self.error: Exception | None = None

    def answer(self, texts: Sequence[str]) -> list[str]:
        """The same."""
        if self.error is not None:
            raise self.error
        self.asked += texts
        if len(self.asked) == self.gate_at:
            self.gate.pass_through()
        return list(texts)


class Bench(Driven):
    """A controller, and what it has emitted.

    Parameters
    ----------
    services
        As of the bench; by default all simulated ones, and Apertium where it is installed.
    **options
        As of the controller.
    """

    def __init__(self, services: Any = None, **options: Any) -> None:
        super().__init__(lambda emit: RatingController(service_sources(services), emit, **options))

    def rated(self, **values: Any) -> dict[str, Any]:
        """The picture once everything was asked."""
        self.answer(**values)
        self.controller.run().wait()
        number = self.controller._tests.count
        return self.until(lambda p: p["run"]["number"] == number and not p["run"]["running"])

    def planned(self, **values: Any) -> dict[str, Any]:
        """What the design costs, once the store was looked at."""
        self.answer(**values)
        controller, setup = self.controller, self.controller.setup

        def there(state: dict[str, Any]) -> bool:
            key, plan = setup._planned
            told = state.get("plan", controller.snapshot().plan)
            here = key == setup._plan_key(controller.snapshot())
            return here and {**told, "recommended": 0} == {**plan, "recommended": 0}

        self.emitted.until(there)
        found: dict[str, Any] = self.state["plan"]
        return found

    def row(self, language: str = "") -> dict[str, Any]:
        """A row of the matrix."""
        rows = self.state["answer"]["picture"]["rows"]
        return next(row for row in rows if row["language"] == language)

    def shares(self, block: int, *shares: float) -> list[dict[str, Any]]:
        """The blocks with other shares of one, as a drag sends them."""
        name = "/".join(f"{100 * share:.0f}" for share in shares[:-1])
        return [
            {**one, "name": name, "shares": list(shares)} if i == block else dict(one)
            for i, one in enumerate(self.state["distributions"])
        ]
