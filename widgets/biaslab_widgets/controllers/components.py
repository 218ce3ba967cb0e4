"""All components: what the contract tests and the TypeScript writer go through."""

from __future__ import annotations

from biaslab_widgets.controllers.association_fields import ASSOCIATION_BENCH
from biaslab_widgets.controllers.images_fields import IMAGE_BENCH
from biaslab_widgets.controllers.occupations_fields import OCCUPATIONS_BENCH
from biaslab_widgets.controllers.posterior_fields import POSTERIOR_BENCH
from biaslab_widgets.controllers.psychometric_fields import PSYCHOMETRIC_BENCH
from biaslab_widgets.controllers.rating_fields import RATING_BENCH
from biaslab_widgets.controllers.sentences_fields import SENTENCE_BENCH
from biaslab_widgets.controllers.word_list_editor_fields import WORD_LIST_EDITOR

COMPONENTS = (
    PSYCHOMETRIC_BENCH,
    ASSOCIATION_BENCH,
    OCCUPATIONS_BENCH,
    POSTERIOR_BENCH,
    SENTENCE_BENCH,
    IMAGE_BENCH,
    RATING_BENCH,
    WORD_LIST_EDITOR,
)
