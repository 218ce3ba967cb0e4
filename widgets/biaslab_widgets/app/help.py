"""The help page: keys, terms, and where to read on."""

from __future__ import annotations

from biaslab_widgets.app.assets import MODULES, asset
from biaslab_widgets.app.handlers import PageHandler
from biaslab_widgets.core.glossary import GLOSSARY

KEYS = (
    ("?", "this page"),
    ("/", "search, on pages with a list"),
    ("← →", "move the handle that has the focus; with Shift in large steps"),
    ("↑ ↓", "next or previous row or word"),
    ("Enter", "open or pin what has the focus"),
    ("Space", "select a row"),
    ("Delete", "delete the selected runs; Undo is in the line at the bottom"),
    ("Esc", "release what is pinned, close a menu or the tour"),
)


class HelpHandler(PageHandler):
    """The help page."""

    def get(self) -> None:
        """Show the keys and the glossary."""
        terms = sorted(GLOSSARY, key=lambda term: term.name.lower())
        self.show(
            "help.html",
            title="Help · biaslab",
            current="help",
            keys=KEYS,
            terms=terms,
            style=asset(MODULES, "help.css"),
        )
