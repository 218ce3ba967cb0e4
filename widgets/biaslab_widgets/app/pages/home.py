"""The home page and the help page."""

from __future__ import annotations

from biaslab_widgets.app.assets import first_run, picture
from biaslab_widgets.app.pages.handlers import PageHandler
from biaslab_widgets.app.shell import HOME
from biaslab_widgets.benches import BENCHES
from biaslab_widgets.core.glossary import GLOSSARY

LAST = 3
_WORDS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")


class HomeHandler(PageHandler):
    """The home page."""

    def get(self) -> None:
        """Show each bench as the question that it asks, with a picture of a run."""
        runs = self.site.store.runs()
        last_runs = [self.site.store.run(name) for name in runs["id"][:LAST]]
        cards = [(entry, first_run(entry.name)) for entry in BENCHES if entry.question]
        asking = [card for card in cards if card[0].need]
        self.show(
            "home.html",
            title="biaslab",
            current=HOME,
            groups=(
                (
                    f"{_WORDS[len(asking)]} questions to ask a model",
                    "each with a run on a bundled model",
                    asking,
                ),
                (
                    "Answers that you have already",
                    "no model is asked",
                    [card for card in cards if not card[0].need],
                ),
            ),
            example=first_run("images"),
            portraits=picture("portraits.webp"),
            runs=last_runs,
            runs_in_all=len(runs),
        )


class TourHandler(PageHandler):
    """The beginning of the tour, which goes over the benches' own pages."""

    def get(self) -> None:
        """Lead to its first step."""
        self.redirect("psychometric?word=nurse&tour=0")


KEYS = (
    ("?", "this page"),
    ("/", "search, on pages with a list"),
    ("← →", "move the handle that has the focus; with Shift in large steps"),
    ("↑ ↓", "next or previous row or word"),
    ("Enter", "open or pin what has the focus"),
    ("Space", "select a row"),
    ("Delete", "delete the selected runs; Undo is in the line at the bottom"),
    ("N, W", "next name, next wording in the case of Decisions"),
    ("T, P", "to the trials, to the next PSE in Decisions"),
    ("Esc", "release what is pinned, close a menu or the tour"),
)


class HelpHandler(PageHandler):
    """The help page."""

    def get(self) -> None:
        """Show the keys and the glossary."""
        terms = sorted(GLOSSARY, key=lambda term: term.name.lower())
        self.show("help.html", title="Help · biaslab", current="help", keys=KEYS, terms=terms)
