"""Neural networks as classifiers: any torch module, and models in Hugging Face's format."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biaslab.errors import SubjectError
from biaslab.subjects.classifier.base import Classifier, StimulusMoments
from biaslab.subjects.embedding.word_embedding import WordEmbedding
from biaslab.subjects.pretrained.files import LoadedModel, ModelFiles, hash_model
from biaslab.subjects.pretrained.options import input_device

if TYPE_CHECKING:
    import torch

    from biaslab.subjects.embedding.word_embedding import WordEmbedding


class TorchClassifier(Classifier):
    """A torch module that maps points (n, d) to logits.

    Parameters
    ----------
    module : torch.nn.Module
        Gives logits of shape (n, K), one per label. With two labels (n,) or (n, 1) will do: the
        logit of the second label against the first. It is put into evaluation mode.
    dim : int
        Number d of dimensions.
    labels : sequence of str
        K labels in the order of the logits.
    words, stimuli, name, about, notes
        As of `biaslab.subjects.classifier.base.Classifier`.
    device : str, optional
        Device; by default that of its parameters.

    Raises
    ------
    SubjectError
        When the module cannot take such points, answers with another shape, or with NaN.

    Examples
    --------
    >>> import torch, biaslab as bl
    >>> module = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    >>> bl.TorchClassifier(module, dim=5, labels=["negative", "positive"], name="mine")
    <TorchClassifier 'mine': negative, positive over 5 dimensions, on cpu>
    """

    def __init__(
        self,
        module: torch.nn.Module,
        *,
        dim: int,
        labels: Sequence[str],
        words: WordEmbedding | None = None,
        stimuli: StimulusMoments | None = None,
        name: str = "classifier",
        about: str = "",
        notes: Iterable[str] = (),
        device: str | None = None,
    ) -> None:
        if device is not None:
            module = module.to(device)
        example = next((p for p in module.parameters() if p.is_floating_point()), None)
        super().__init__(
            labels=labels,
            dim=dim,
            name=name,
            about=about or f"torch module {type(module).__name__}",
            notes=notes,
            words=words,
            stimuli=stimuli,
            device=device or ("cpu" if example is None else str(example.device)),
            dtype="float64" if example is not None and example.element_size() == 8 else "float32",
        )
        self.module = module.eval()
        self._hash: tuple[tuple[int, ...], str] | None = None
        self._try_out()

    @property
    def content_hash(self) -> str:
        """SHA-256 of the module's structure, parameters and labels; parameters may change."""
        import torch

        state = self.module.state_dict()
        tensors = {key: value for key, value in state.items() if isinstance(value, torch.Tensor)}
        versions = tuple(value._version for value in tensors.values())
        if self._hash is None or self._hash[0] != versions:
            digest = hashlib.sha256(f"{self.module!r}|{self.labels}|{self.dim}".encode())
            for key, value in tensors.items():
                digest.update(f"|{key} {value.dtype} {tuple(value.shape)}|".encode())
                flat = value.detach().cpu().contiguous().reshape(-1)
                digest.update(flat.view(torch.uint8).numpy().tobytes() if len(flat) else b"")
            self._hash = versions, digest.hexdigest()
        return self._hash[1]

    def _logits(self, points: torch.Tensor) -> torch.Tensor:
        import torch

        example = next((p for p in self.module.parameters() if p.is_floating_point()), None)
        inputs = points if example is None else points.to(example.dtype)
        try:
            answer = self.module(inputs)
        except (RuntimeError, ValueError, TypeError, IndexError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise SubjectError(
                f"{self.name} cannot take points of shape {tuple(points.shape)}: {reason} Check"
                f" dim={self.dim}, and that the module maps (n, {self.dim}) to (n,"
                f" {len(self.labels)})."
            ) from error
        if not isinstance(answer, torch.Tensor):
            raise SubjectError(
                f"{self.name} answers with a {type(answer).__name__}. Wrap it in a module that"
                " returns the tensor of logits."
            )
        if len(self.labels) == 2 and answer.shape in ((len(points),), (len(points), 1)):
            second = answer.reshape(-1)
            answer = torch.stack([torch.zeros_like(second), second], dim=-1)
        return answer.to(points.dtype)


_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
#: Points that go through the model at once.
_BATCH = 256
#: Words, spread over the vocabulary, at which a model is tried out.
_TRIED = 64


class HuggingFaceClassifier(LoadedModel, Classifier):
    """p(label | s), where s is the single input embedding of a text.

    The model reads its special tokens as around any text of one token ([CLS] s [SEP] for BERT),
    with s in the place of that token's embedding; so a word that is one token has the
    probabilities that the model gives to the text of this word.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A sequence classifier of K >= 2 labels, one of which holds. It is put into evaluation mode.
    tokenizer : transformers.PreTrainedTokenizerBase
        The model's own.
    device : str, optional
        Device of the model; by default its present one.
    name, about
        As of `biaslab.subjects.classifier.base.Classifier`.
    files : ModelFiles, optional
        The files that the model was opened from, by which large weights are identified.

    Raises
    ------
    SubjectError
        When the model does not classify texts, is multi-label, or
        cannot start from input embeddings.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        *,
        device: str | None = None,
        name: str = "classifier",
        about: str = "",
        files: ModelFiles | None = None,
    ) -> None:
        config = model.config
        if getattr(config, "problem_type", None) == "multi_label_classification":
            raise SubjectError(
                f"{name} gives each label its own probability, so several labels can apply. Wrap"
                " the logit of one label in a module: bl.TorchClassifier(module, dim=...,"
                " labels=[...])."
            )
        labels = config.id2label
        if len(labels) < 2:
            raise SubjectError(
                f"{name} returns one number instead of probabilities of labels. Choose a classifier"
                " with at least two labels."
            )
        self.model = model.eval() if device is None else model.to(device).eval()
        self.tokenizer = tokenizer
        self.files = files
        weights = model.get_input_embeddings().weight
        notes: tuple[str, ...] = ()
        if all(re.fullmatch(r"LABEL_\d+", str(label)) for label in labels.values()):
            notes = ("The model does not name its labels: see its card for what they mean.",)
        super().__init__(
            labels=[str(labels[k]) for k in sorted(labels)],
            dim=int(weights.shape[1]),
            name=name,
            about=about or f"text classifier {type(model).__name__}",
            notes=notes,
            device=input_device(model),
            dtype="float64" if weights.element_size() == 8 else "float32",
        )
        self._before, self._after = self._special_tokens()
        self._try_out()

    @property
    def words(self) -> WordEmbedding | None:
        """Input embeddings of words that are one token; None if there are none."""
        return self._whole_words

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of weights, labels and special tokens; some seconds for a large model."""
        form = f"{type(self.model).__name__}|{self.labels}|{self._before}|{self._after}"
        digest = hashlib.sha256(form.encode())
        hash_model(digest, self.model, self.files, ordered=False)
        return digest.hexdigest()

    def _logits(self, points: torch.Tensor) -> torch.Tensor:
        import torch

        if not len(points):
            return points.new_empty((0, len(self.labels)))
        parts = [points[i : i + _BATCH] for i in range(0, len(points), _BATCH)]
        return torch.cat([self._answers(part) for part in parts]).to(points.dtype)

    def _answers(self, points: torch.Tensor) -> torch.Tensor:
        import torch

        table = self.model.get_input_embeddings()

        def special(ids: list[int]) -> torch.Tensor:
            if not ids:  # a table may not take an empty look-up
                return points.new_empty((len(points), 0, self.dim))
            embedded = table(torch.as_tensor(ids, device=points.device)).detach()
            row: torch.Tensor = embedded.to(points.dtype)
            return row.expand(len(points), -1, -1)

        inputs = torch.cat([special(self._before), points[:, None], special(self._after)], dim=1)
        mask = torch.ones(inputs.shape[:2], dtype=torch.long, device=points.device)
        try:
            out = self.model(inputs_embeds=inputs.to(table.weight.dtype), attention_mask=mask)
        except (RuntimeError, ValueError, TypeError, NotImplementedError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise SubjectError(
                f"{self.name} cannot start from input embeddings: {reason} Choose an encoder such"
                " as BERT or DistilBERT."
            ) from error
        answer: torch.Tensor = out.logits
        return answer

    def _special_tokens(self) -> tuple[list[int], list[int]]:
        """Return the special tokens before and after a text of one token."""
        ids = self.tokenizer("a")["input_ids"]
        special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        inner = [i for i, token in enumerate(ids) if token not in special]
        if not inner:
            return [], []
        return list(ids[: inner[0]]), list(ids[inner[-1] + 1 :])

    def _trial_points(self) -> NDArray[np.float64]:
        """Return input embeddings of tokens spread over the vocabulary."""
        table = self.model.get_input_embeddings().weight.detach()
        rows = np.unique(np.linspace(0, len(table) - 1, _TRIED).astype(int))
        return np.asarray(table[rows.tolist()].double().cpu().numpy())

    @cached_property
    def _whole_words(self) -> WordEmbedding | None:
        size = self.model.get_input_embeddings().weight.shape[0]
        ids = [i for i in range(min(len(self.tokenizer), size))]  # noqa: C416
        # Word-initial markers remain if a tokenizer has no decoder.
        decoded = self.tokenizer.batch_decode([[i] for i in ids])
        texts = [text.strip().lstrip("\u0120\u2581") for text in decoded]
        fit = [(i, text) for i, text in zip(ids, texts, strict=True) if _WORD.fullmatch(text)]
        # As inside a text: after a space if the tokenizer distinguishes that.
        read = self.tokenizer([f" {text}" for _, text in fit], add_special_tokens=False)
        words: dict[str, int] = {}
        for (i, text), tokens in zip(fit, read["input_ids"], strict=True):
            if list(tokens) == [i]:
                words.setdefault(text, i)
        if not words:
            return None
        table = self.model.get_input_embeddings().weight.detach()
        rows = table[list(words.values())].float().cpu().numpy()
        return WordEmbedding(
            list(words), rows, name=self.name,
            about=f"input embeddings of the words that {self.name} has as one token",
        )  # fmt: skip
