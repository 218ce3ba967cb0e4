"""Probabilities of clerk-lm's answers, as the model has them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from biaslab.cases import Question
from biaslab.errors import TrainingError
from biaslab.subjects.pretrained.opening import building

_AT_ONCE: Final = 256
Floats = npt.NDArray[np.float64]


class ClerkAnswers:
    """Probabilities of a model's answers.

    Parameters
    ----------
    folder : Path
        A folder that ``biaslab train clerk`` wrote.
    """

    def __init__(self, folder: Path) -> None:
        import transformers

        library: Any = transformers  # it declares few types
        if not (folder / "config.json").is_file():
            raise TrainingError(f"{folder} contains no model. Train one with biaslab train clerk.")
        with building():
            model = library.AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
        self.model: Any = model.float().eval()
        self.tokenizer: Any = library.AutoTokenizer.from_pretrained(folder, local_files_only=True)

    def probabilities(self, questions: Sequence[Question], *, chat: bool = False) -> list[Floats]:
        """Return the probabilities of each question's answers, as the model has them.

        Parameters
        ----------
        questions : sequence of Question
        chat : bool
            Ask in the model's template for chats, rather than with the prompt alone.
        """
        import torch

        encoded = [self._tokens(question.prompt, chat) for question in questions]
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        out: dict[int, Floats] = {}
        for at in range(0, len(order), _AT_ONCE):
            part = order[at : at + _AT_ONCE]
            lengths = [len(encoded[i]) for i in part]
            ids = np.full((len(part), max(lengths)), self.tokenizer.pad_token_id)
            for row, i in enumerate(part):
                ids[row, : lengths[row]] = encoded[i]
            with torch.inference_mode():
                states = self.model.model(torch.from_numpy(ids), use_cache=False).last_hidden_state
                last = states[torch.arange(len(part)), torch.tensor(lengths) - 1]
                scores = torch.softmax(self.model.lm_head(last).double(), -1).numpy()
            for row, i in enumerate(part):
                answers = self.tokenizer.convert_tokens_to_ids(list(questions[i].answers))
                out[i] = scores[row, answers]
        return [out[i] for i in range(len(encoded))]

    def _tokens(self, prompt: str, chat: bool) -> list[int]:
        if not chat:
            return list(self.tokenizer(prompt)["input_ids"])
        text = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
        )
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
