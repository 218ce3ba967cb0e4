"""State of the word-list editor, shared by its controller, both hosts and the front end."""

from __future__ import annotations

from biaslab_widgets.core.bench_fields import EXCHANGE, NO_BENCH_ANSWER, SUBJECT, BenchAnswer
from biaslab_widgets.core.fields import Component, Field
from biaslab_widgets.core.word_list_records import TermMark, WordList


class WordListAnswer(BenchAnswer):
    """The marks of the lists' odd terms; this bench has no picture."""

    marks: list[TermMark]
    picture: None


NO_ANSWER: WordListAnswer = {**NO_BENCH_ANSWER, "marks": [], "picture": None}

COMPONENT = Component(
    name="WordListEditor",
    module="word-lists",
    fields=(
        SUBJECT,
        Field("lists", list[WordList], [], "The word lists, in order."),
        Field("fixed", bool, False, "Lists can be neither added, renamed nor removed."),
        Field("answer", WordListAnswer, NO_ANSWER, "What is odd in the lists.", output=True),
        *EXCHANGE,
    ),
)
