"""Traces of a bias to the text: which passages pull a word toward which cue.

After Brunet et al. (2019), "Understanding the origins of bias in word embeddings". The probe itself
is `biaslab.trace`: it reads the counts of a corpus, which `biaslab_train` makes.
"""

from biaslab.probes.trace.result import LeftOut, Passage, TogetherOut, TraceResult

__all__ = ["LeftOut", "Passage", "TogetherOut", "TraceResult"]
