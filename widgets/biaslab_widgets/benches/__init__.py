"""The registry of benches: a new one joins by one line in `BENCHES`.

A bench has one name everywhere: that of its folder here and in ``js/src/benches``, of its built
module in ``static``, and of its address in the app. Its folder holds

- ``fields.py`` with ``COMPONENT``, the component with the record of its state;
- ``bench.py`` with the question, and ``view.py`` with what the screen shows;
- ``widget.py`` with the bench as Python sees it, from which each host makes its class;
- ``frame.py`` with ``FRAME``, which the app's page shows until the bench has come.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from biaslab_widgets.core.bench.widget import Widget
    from biaslab_widgets.core.frame import Frame
    from biaslab_widgets.core.state.fields import Component


@dataclass(frozen=True)
class BenchEntry:
    """A bench in the registry; its parts are imported when they are first needed.

    Attributes
    ----------
    name : str
        Name of its folder.
    title : str
        Its title in the app's navigation.
    notebook_name : str
        Name of its class in notebooks.
    question : str
        The question that it asks a model, for the home page; empty for a tool.
    """

    name: str
    title: str
    notebook_name: str
    question: str = ""

    @property
    def slug(self) -> str:
        """Its address below the server's root, and the name of its front-end module."""
        return self.name.replace("_", "-")

    @property
    def component(self) -> Component:
        """Its component: the record of its state, and its module."""
        return cast("Component", self._part("fields", "COMPONENT"))

    @property
    def frame(self) -> Frame:
        """What the app's page shows until the bench has come."""
        return cast("Frame", self._part("frame", "FRAME"))

    @property
    def widget(self) -> type[Widget]:
        """The bench as Python sees it, without a host."""
        return cast("type[Widget]", self._part("widget", self.notebook_name))

    @property
    def notebook_class(self) -> type[Any]:
        """Its class in notebooks."""
        return cast("type[Any]", _host("jupyter").notebook_class(self.widget))

    @property
    def panel_class(self) -> type[Any]:
        """Its class in the served app, a Panel component."""
        return cast("type[Any]", _host("panel").panel_class(self.widget))

    def _part(self, module: str, attribute: str) -> object:
        return getattr(import_module(f"{__name__}.{self.name}.{module}"), attribute)


def _host(name: str) -> Any:
    """A host, which brings libraries that the other host does without."""
    return import_module(f"biaslab_widgets.hosts.{name}")


BENCHES: Final = (
    BenchEntry(
        "psychometric",
        "Psychometric",
        "PsychometricBench",
        "At which blend of female and male does the model switch its answer?",
    ),
    BenchEntry(
        "occupations",
        "Occupations",
        "OccupationsBench",
        "Which occupations does the model tie to women, which to men?",
    ),
    BenchEntry(
        "association",
        "Association",
        "AssociationBench",
        "Are the words of a religion closer to its stereotypes than to neutral words?",
    ),
    BenchEntry(
        "posterior",
        "Posterior",
        "PosteriorBench",
        "What does a classifier imagine when it says “positive”?",
    ),
    BenchEntry(
        "sentences",
        "Sentences",
        "SentenceBench",
        "Does the model find stereotyped sentences more likely?",
    ),
    BenchEntry(
        "images",
        "Images",
        "ImageBench",
        "How male must a scientist look before the model says “a man”?",
    ),
    BenchEntry(
        "rating",
        "Rating",
        "RatingBench",
        "Does a translation keep “she” and “he” apart?",
    ),
    BenchEntry(
        "decisions",
        "Decisions",
        "DecisionBench",
        "How many more years must one applicant bring to be invited as often as another?",
    ),
    BenchEntry("word_lists", "Word lists", "WordListEditor"),
)
