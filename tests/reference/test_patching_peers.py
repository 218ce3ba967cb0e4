"""Patched layers against TransformerLens and nnterp, where one of them is installed.

Both run offline on a saved folder. Neither is a dependency: ``pip install transformer-lens`` or
``pip install nnterp``.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from biaslab.subjects.language_model.model import LanguageModel
from biaslab.subjects.language_model.patching import read_layers
from biaslab.subjects.language_model.reading import Blend, Look
from harness.heavy import torch
from harness.layered_models import gpt2
from harness.needs import needs

pytestmark = needs("torch", "transformers")
ALPHAS = np.array([0.0, 0.3, 0.5, 1.0])


def _question(lm: LanguageModel) -> tuple[Look, Any]:
    """A blend of she and he at the second word, and the texts of the pure cues."""
    tokens = lm.tokenizer.get_vocab()
    ends = [lm.tokenize(f"The {cue} is a nurse and").ids for cue in ("she", "he")]
    at = np.array([len(ends[0]) - 1] * 2)
    targets = np.array([tokens["she"], tokens["he"]])
    sides = [np.array([[tokens[cue]]]) for cue in ("she", "he")]
    return Look(ends[0], at, targets, Blend(2, *sides)), torch.from_numpy(np.stack(ends))


def _answers(logits: Any, look: Look) -> Any:
    read = torch.log_softmax(logits[0, look.positions].double(), dim=-1)
    return read[[0, 1], torch.from_numpy(look.targets)].detach().numpy()


def _mixture(states: Any, alpha: float) -> Any:
    return ((1 - alpha) * states[0] + alpha * states[1])[None]


def _by_transformer_lens(folder: Path, look: Look, ends: Any, layer: int) -> list[Any]:
    from transformer_lens import TransformerBridge

    bridge = TransformerBridge.boot_transformers(str(folder), device="cpu", dtype=torch.float64)
    name = f"blocks.{layer - 1}.hook_out"
    kept: list[Any] = []
    bridge.run_with_hooks(ends, fwd_hooks=[(name, lambda states, hook: kept.append(states))])
    found = []
    for alpha in ALPHAS:
        mixture = _mixture(kept[0], alpha)
        logits = bridge.run_with_hooks(
            ends[:1], fwd_hooks=[(name, lambda states, hook, patched=mixture: patched)]
        )
        found.append(_answers(logits, look))
    return found


def _by_nnterp(folder: Path, look: Look, ends: Any, layer: int) -> list[Any]:
    from nnterp import StandardizedTransformer

    model = StandardizedTransformer(
        str(folder), torch_dtype=torch.float64, device_map="cpu", check_renaming=False
    )
    with model.trace(ends):
        states = model.layers_output[layer - 1].save()
    found = []
    for alpha in ALPHAS:
        mixture = _mixture(states, alpha)
        with model.trace(ends[:1]):
            model.layers_output[layer - 1] = mixture
            logits = model.logits.save()
        found.append(_answers(logits, look))
    return found


PEERS = {"transformer_lens": _by_transformer_lens, "nnterp": _by_nnterp}


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_patches_to_the_same_answers(peer: str, tmp_path: Path) -> None:
    if importlib.util.find_spec(peer) is None:
        pytest.skip(f"{peer} is not installed")
    lm = gpt2(3, plant=2, push=0.3)
    lm.model.save_pretrained(tmp_path)
    lm.tokenizer.save_pretrained(tmp_path)
    look, ends = _question(lm)
    found = read_layers(lm, [look], ALPHAS, [1, 2, 3], memory_mb=64)[0]
    for at, layer in enumerate((1, 2, 3)):
        expected = PEERS[peer](tmp_path, look, ends, layer)
        np.testing.assert_allclose(found[at], expected, atol=1e-5)
