"""A vision-language model with known truth: its associations are planted."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from biaslab.errors import ObserverError, QueryError
from biaslab.portraits import ATTRIBUTES
from biaslab.probes.sentences.simulated_scorer import centre_of, mean_share
from biaslab.records.calls import Reopened, recorded
from biaslab.stats.curves.jnd import Convention
from biaslab.stats.curves.sigmoids import Floats
from biaslab.subjects.embedding.terms import Resolution
from biaslab.subjects.vision_language.pictures import as_picture
from biaslab.subjects.vision_language.questions import CAPTIONS, ConceptAnswers, checked_templates

_AT_ONCE = 64
_Z75 = 0.6744897501960817
_MIDDLES = {"age": 45.0}
"""Values of attributes that leave the log-odds as they are; of the others one half."""
_UNIT_JND = {"quartile": _Z75, "eq6": 2 * _Z75, "sd": 1.0}
"""JND of a normal curve of scale 1, by convention."""


class SimulatedVision(Reopened):
    """Answers like a `VisionLanguageModel`; made by `vision`.

    Of a picture under a term, the log-odds of the first against the second list are the term's
    planted ones, plus effects of the picture and the template. For a drawn portrait (a picture that
    has ``portrait`` and ``appearance``) they follow from its attributes. For a stimulus between two
    people (a picture that has ``item``, ``observer`` and ``alpha``) the probability of the second
    list is a normal curve in alpha. All draws depend on the seed and their subject: the same
    question always gets the same answer, in any order and batch.

    Attributes
    ----------
    rate : float
        Mean P(the first list) of a term without one of its own, over endless pictures.
    rates : mapping of str to float
        Those of terms that have one.
    lists : (tuple of str, tuple of str)
        The concepts.
    image_sd, template_sd : float
        Standard deviations, on the logit scale, over pictures of a term and over templates.
    pse : mapping of str to float
        Point of subjective equality of items over observers.
    jnd, pse_sd : float
        Of each observer's curve, and how far the observers' points lie around the item's.
    traits : mapping of str to float
        Change in the log-odds of a drawn portrait per unit of an attribute.
    """

    kind = "observer"
    name = "simulated vision"
    device = "cpu"
    dtype = "float64"
    notes: tuple[str, ...] = ()
    templates = CAPTIONS
    takes_captions = True
    takes_questions = False

    def __init__(
        self,
        rate: float,
        rates: Mapping[str, float],
        lists: tuple[tuple[str, ...], tuple[str, ...]],
        *,
        image_sd: float,
        template_sd: float,
        pse: Mapping[str, float],
        jnd: float,
        jnd_convention: Convention,
        pse_sd: float,
        seed: int,
        traits: Mapping[str, float] | None = None,
    ) -> None:
        self.rate, self.rates, self.lists = rate, dict(rates), lists
        self.image_sd, self.template_sd = image_sd, template_sd
        self.pse, self.jnd, self.jnd_convention = dict(pse), jnd, jnd_convention
        self.pse_sd, self.seed = pse_sd, seed
        self.traits = dict(traits or {})
        self._list_of = {c: side for side, concepts in enumerate(lists) for c in concepts}

    def __repr__(self) -> str:
        """One line: its rate and seed."""
        return f"<SimulatedVision: rate {self.rate:g}, seed {self.seed}>"

    @property
    def about(self) -> str:
        """Description for the screen."""
        return "a simulated vision-language model with planted answers"

    @property
    def content_hash(self) -> str:
        """SHA-256 of the settings."""
        chosen = [self.rate, sorted(self.rates.items()), self.lists, self.image_sd]
        chosen += [self.template_sd, sorted(self.pse.items()), self.jnd, self.jnd_convention]
        chosen += [self.pse_sd, self.seed]
        chosen += [sorted(self.traits.items())] if self.traits else []
        return hashlib.sha256(json.dumps(chosen).encode()).hexdigest()

    def resolve(self, concepts: Sequence[str]) -> Resolution:
        """Return all concepts as known; those of neither list go with no picture."""
        known = tuple(dict.fromkeys(concepts))
        twice = tuple(c for i, c in enumerate(concepts) if c in concepts[:i])
        return Resolution(known, (), twice, {c: (c,) for c in known})

    def rate_of(self, term: str, templates: Sequence[str] | None = None) -> float:
        """Return P(the first list) of a term, in the limit of many pictures.

        Parameters
        ----------
        term : str
            One without a rate of its own has that of all others.
        templates : sequence of str, optional
            By default `templates`.

        Returns
        -------
        float
            In (0, 1).
        """
        centre = self._centre(term)
        pulls = [self._template(t) for t in (self.templates if templates is None else templates)]
        return float(np.mean([mean_share(centre + pull, self.image_sd) for pull in pulls]))

    def score(
        self, groups: tuple[Sequence[str], Sequence[str]], templates: Sequence[str] | None = None
    ) -> float:
        """Return the true score of two lists of terms with as many pictures each.

        Parameters
        ----------
        groups : (sequence of str, sequence of str)
            Terms of the first group and of the second.
        templates : sequence of str, optional
            By default `templates`.

        Returns
        -------
        float
            In (0, 1); 0.5 is neutral.
        """
        first, second = ([self.rate_of(t, templates) for t in terms] for terms in groups)
        return float(np.mean([*first, *(1 - rate for rate in second)]))

    def pse_of(self, item: str, observer: int | str) -> float:
        """Return one observer's point of subjective equality.

        Parameters
        ----------
        item : str
        observer : int or str
            Number or name of the portrait.

        Raises
        ------
        ObserverError
            If the item has none.
        """
        if item not in self.pse:
            raise ObserverError(
                f"No point of subjective equality is planted for {item!r}. Planted are:"
                f" {', '.join(self.pse) or 'none'}. Give pse={{{item!r}: 0.5}}."
            )
        return self.pse[item] + self.pse_sd * self._normal("observer", item, str(observer))

    def answers(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        *,
        memory_mb: float = math.inf,
        store: object = None,
        between: Callable[[], None] | None = None,
        advance: Callable[[int], None] | None = None,
    ) -> ConceptAnswers:
        """Return the model's answers, as `VisionLanguageModel.answers`.

        Parameters
        ----------
        images : sequence of biaslab.images.Image, or of stimuli
            A stimulus has ``item``, ``observer`` and ``alpha``.
        concepts, templates, between, advance
            As there.
        memory_mb, store
            Not looked at.

        Raises
        ------
        QueryError
            When there is no picture, one has no term, or there are fewer than two concepts.
        """
        del memory_mb, store
        checked = checked_templates(
            self.templates if templates is None else templates, captions=True, questions=True
        )
        if len(set(concepts)) < max(len(concepts), 2):
            raise QueryError("Give at least two concepts, each once.")
        if not len(images):
            raise QueryError("There is no picture to test. Give at least one.")
        scores = np.empty((len(images), len(checked), len(concepts)))
        pulls = np.array([self._template(template) for template in checked])
        for at in range(0, len(images), _AT_ONCE):
            if between is not None:
                between()
            some = images[at : at + _AT_ONCE]
            logits = np.array([self._logits(image, pulls) for image in some])
            scores[at : at + len(some)] = self._spread(logits, concepts)
            if advance is not None:
                advance(len(some))
        return ConceptAnswers(
            tuple(concepts), checked, special.softmax(scores, axis=-1), scores, "planted log-odds"
        )

    def probabilities(
        self,
        images: Sequence[Any],
        concepts: Sequence[str],
        templates: Sequence[str] | None = None,
        **options: Any,
    ) -> Floats:
        """Return probabilities of concepts, as `VisionLanguageModel.probabilities`.

        Parameters
        ----------
        images, concepts, templates, **options
            As of `answers`.

        Returns
        -------
        ndarray, shape (pictures, templates, concepts)
        """
        return self.answers(images, concepts, templates, **options).probabilities

    def forget_pictures(self) -> None:
        """Do nothing: there is no cache."""

    def _logits(self, image: Any, pulls: Floats) -> Floats:
        """Return log-odds of the first list of a picture, in each template."""
        alpha = getattr(image, "alpha", None)
        if alpha is not None:
            centre = self.pse_of(str(image.item), image.observer)
            scale = self.jnd / _UNIT_JND[self.jnd_convention]
            z = (float(alpha) - centre) / scale
            # The second list's probability is a normal curve; templates have no effect here.
            odds = float(special.log_ndtr(-z) - special.log_ndtr(z))
            return np.full(len(pulls), odds)
        if hasattr(image, "appearance"):
            values = {"appearance": image.appearance, **vars(image.portrait.person)}
            centre = special.logit(self.rate)
            pulled = (pull * (values[t] - _MIDDLES.get(t, 0.5)) for t, pull in self.traits.items())
            return np.asarray(centre + sum(pulled) + pulls)
        term = getattr(image, "term", None)
        if not isinstance(term, str):
            raise QueryError(
                "A simulated model knows a picture by its term: give pictures of bl.images."
            )
        picture_effect = self.image_sd * self._normal("picture", term, as_picture(image).hash)
        return np.asarray(self._centre(term) + picture_effect + pulls)

    def _spread(self, logits: Floats, concepts: Sequence[str]) -> Floats:
        """Return log scores with these odds between whole lists."""
        sizes = [max(len(members), 1) for members in self.lists]
        out = np.full((*logits.shape, len(concepts)), -math.log(sum(sizes)) - 3.0)
        for c, concept in enumerate(concepts):
            side = self._list_of.get(concept)
            if side is not None:
                out[..., c] = (0.5 - side) * logits - math.log(sizes[side])
        return out

    def _centre(self, term: str) -> float:
        return centre_of(self.rates.get(term, self.rate), self.image_sd)

    def _template(self, template: str) -> float:
        return self.template_sd * self._normal("template", template)

    def _normal(self, *of: str) -> float:
        digest = hashlib.sha256(json.dumps([self.seed, *of]).encode()).digest()
        # Twelve bytes are two uniform numbers: Box and Muller, without a generator's start-up.
        u, v = (int.from_bytes(digest[k : k + 6], "big") for k in (0, 6))
        radius = math.sqrt(-2 * math.log((u + 1) / (2**48 + 1)))
        return radius * math.cos(2 * math.pi * v / 2**48)


@recorded
def vision(
    rate: float | Mapping[str, float] = 0.5,
    *,
    lists: tuple[Sequence[str], Sequence[str]] = (("woman",), ("man",)),
    image_sd: float = 0.5,
    template_sd: float = 0.0,
    pse: Mapping[str, float] | None = None,
    jnd: float = 0.1,
    jnd_convention: Convention = "quartile",
    pse_sd: float = 0.0,
    traits: Mapping[str, float] | None = None,
    seed: int = 0,
) -> SimulatedVision:
    """Simulate a vision-language model with known answers.

    Parameters
    ----------
    rate : float, or mapping of str to float
        Mean probability of the first list over endless pictures of a term, in (0, 1). A mapping
        gives terms a rate each; others have 0.5.
    lists : (sequence of str, sequence of str)
        The concepts of either list. With only some of them, the odds differ, as they do for
        real models.
    image_sd : float
        How much pictures of a term differ: standard deviation of their log-odds.
    template_sd : float
        The same for templates, which affect all pictures alike.
    pse : mapping of str to float, optional
        Share of the second cue at which an item's stimulus is answered either way, for
        `biaslab.two_afc`.
    jnd : float
        Just-noticeable difference of each observer's curve, above 0, in ``jnd_convention``.
    jnd_convention : {"quartile", "eq6", "sd"}
    pse_sd : float
        Standard deviation of observers' points around the item's.
    traits : mapping of str to float, optional
        For `biaslab.sample_posterior` of portraits: change in the log-odds of the first list per
        unit of ``appearance`` (0 is a stereotypical woman, 1 a stereotypical man) or of an
        attribute of `biaslab.portraits.Person`; none at 0.5, for ``age`` at 45 years.
    seed : int
        The truth's own: another seed is another draw of pictures, templates and observers.

    Returns
    -------
    SimulatedVision
        A subject for `biaslab.image_association`, `biaslab.two_afc`, and
        `biaslab.sample_posterior` of portraits.

    Raises
    ------
    ObserverError
        If a number is out of its range, or a concept is in both lists.
    """
    rates = dict(rate) if isinstance(rate, Mapping) else {}
    whole = 0.5 if isinstance(rate, Mapping) else float(rate)
    for name, value in {"rate": whole, **rates}.items():
        if not 0 < value < 1:
            raise ObserverError(f"{name} is {value}: give a share above 0 and below 1.")
    for name, value in {"image_sd": image_sd, "template_sd": template_sd, "pse_sd": pse_sd}.items():
        if not (value >= 0 and math.isfinite(value)):
            raise ObserverError(f"{name} is {value}: give a number of at least 0.")
    if not (jnd > 0 and math.isfinite(jnd)):
        raise ObserverError(f"jnd is {jnd}: a curve needs a JND above 0.")
    for name, value in (traits or {}).items():
        if name not in ("appearance", *ATTRIBUTES) or not math.isfinite(value):
            raise ObserverError(
                f"traits has {name!r}: {value!r}. Give a finite number for appearance, or for an"
                f" attribute of a portrait: {', '.join(ATTRIBUTES)}."
            )
    if jnd_convention not in _UNIT_JND:
        raise ObserverError(
            f"jnd_convention={jnd_convention!r}: choose one of {', '.join(_UNIT_JND)}."
        )
    first, second = (tuple(concepts) for concepts in lists)
    if both := set(first) & set(second):
        raise ObserverError(f"{min(both)!r} is in both lists. Remove it from one.")
    return SimulatedVision(
        whole,
        rates,
        (first, second),
        image_sd=image_sd,
        template_sd=template_sd,
        pse=dict(pse or {}),
        jnd=jnd,
        jnd_convention=jnd_convention,
        pse_sd=pse_sd,
        seed=seed,
        traits=traits,
    )
