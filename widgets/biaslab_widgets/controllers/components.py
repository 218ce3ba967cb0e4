"""All components: what the contract tests and the TypeScript writer go through."""

from __future__ import annotations

from biaslab_widgets.controllers.occupations_fields import OCCUPATIONS_BENCH
from biaslab_widgets.controllers.psychometric_fields import PSYCHOMETRIC_BENCH

COMPONENTS = (PSYCHOMETRIC_BENCH, OCCUPATIONS_BENCH)
