"""Treatment: a bias before and after a prompt, concept erasure or fine-tuning, with a placebo.

Liang and Acuna (2020, section 6) propose to treat biases as therapies treat people's, and expect
little loss of performance; Jiang et al. (2023) propose filters and refinements after a test.
"""

from biaslab.probes.treatment.material import halves
from biaslab.probes.treatment.measuring import measure_treatment
from biaslab.probes.treatment.result import Change, TreatmentResult
from biaslab.probes.treatment.treating import INSTRUCTION, treat

__all__ = ["INSTRUCTION", "Change", "TreatmentResult", "halves", "measure_treatment", "treat"]
