"""Derivatives of the restricted likelihood of decisions around the mode of coefficients."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np

from biaslab.stats.decision_curve import DecisionCurvature
from biaslab.stats.decision_likelihood import Categories
from biaslab.stats.decision_model import DecisionModel
from biaslab.stats.decision_parameters import Parameter
from biaslab.stats.laplace import Mode
from biaslab.stats.sigmoids import Floats

_LAPSES: Final = {"yes": [0], "no": [1], "lapse": [0, 1]}
"""Answers that lapses of a kind are."""


class Surroundings:
    """What a mode says about the parameters beside the coefficients.

    Parameters
    ----------
    model : DecisionModel
    free : ndarray, shape (M,)
    mode : Mode
        At these free parameters.

    Attributes
    ----------
    covariance : ndarray, shape (D, D)
        Of coefficients and effects, given the settings.
    bend : ndarray, shape (D,)
        Derivative of half the log determinant of the precision by coefficients and effects.
    """

    def __init__(self, model: DecisionModel, free: Floats, mode: Mode) -> None:
        settings = model.settings(free)
        self._model, self._free, self._settings, self._mode = model, free, settings, mode
        curve, likelihood = model.curve, model.likelihood
        self._scale = curve.scale(settings)
        self._z, _ = curve.predictor(mode.x, settings)
        self._cats = likelihood.categories(self._z, settings)
        cats = self._cats
        self._share = likelihood.weight * likelihood.counts / cats.p
        self._ratio = cats.slope / cats.p
        self._first = (self._share * cats.slope).sum(axis=0)
        self._second = (self._share * (cats.bend - self._ratio * cats.slope)).sum(axis=0)
        by_slope = likelihood.total * self._ratio
        self._expected = (by_slope * cats.slope).sum(axis=0)
        self._steeper = (by_slope * (2 * cats.bend - self._ratio * cats.slope)).sum(axis=0)
        self.covariance = np.asarray(np.linalg.inv(mode.precision), dtype=np.float64)
        scaled = self._scale[:, None] * self.covariance * self._scale
        self._leverage = curve.quadratic(scaled, settings)
        self.bend = self._gathered(self._steeper * self._leverage) / 2
        if curve.steepness is not None:
            self.bend[0] -= self.covariance[0, 0] / curve.steepness[1] ** 2 / mode.x[0] ** 3

    def exact(self) -> Floats:
        """Return minus the Hessian of the joint density, shape (D, D)."""
        return DecisionCurvature(
            self._model.curve, self._mode.x, self._settings, self._second, self._expected
        ).exact()

    def by_parameters(self) -> tuple[Floats, Floats]:
        """Return derivatives by the logarithms of the free parameters, at a mode that stays.

        Returns
        -------
        direct : ndarray, shape (M,)
            Of the restricted likelihood, without densities.
        sides : ndarray, shape (D, M)
            Of the gradient by coefficients and effects.
        """
        parameters = self._model.parameters
        direct, sides = np.zeros(len(parameters)), np.zeros((len(self._scale), len(parameters)))
        for m, parameter in enumerate(parameters):
            if parameter.kind == "sd":
                direct[m], sides[:, m] = self._by_sd(parameter.name)
            elif parameter.kind == "sensitivity":
                direct[m], sides[:, m] = self._by_sensitivity(parameter)
            else:
                direct[m], sides[:, m] = self._by_rate(parameter, float(np.exp(self._free[m])))
        return direct, sides

    def _by_sd(self, name: str) -> tuple[float, Floats]:
        curve, x = self._model.curve, self._mode.x
        members = np.array([factor.sd_name == name for factor in self._model.factors])
        own = np.append(members, False)[curve.factor_of]
        moved, _ = curve.predictor(np.where(own, x, 0.0), self._settings)
        direct = self._first @ moved - (self._steeper * moved) @ self._leverage / 2
        direct -= np.sum(1 - np.diag(self.covariance)[own])
        return float(direct), self._gathered(self._second * moved) + np.where(own, x, 0.0)

    def _by_sensitivity(self, parameter: Parameter) -> tuple[float, Floats]:
        own = self._model.contrasts[:, parameter.group][self._model.answers.group]
        moved = own * self._z
        curvature = self._steeper * moved + 2 * own * self._expected
        direct = self._first @ moved - curvature @ self._leverage / 2
        return float(direct), self._gathered(self._second * moved + own * self._first)

    def _by_rate(self, parameter: Parameter, value: float) -> tuple[float, Floats]:
        if parameter.kind == "indecision":
            return self._by_indecision(value)
        share, ratio = self._share, self._ratio
        room_lost, of_first, of_expected = self._by_room
        if parameter.kind == "position":
            listed = self._cats.favoured
            gained = (share * listed).sum(axis=0)
            first = of_first - (share * ratio * listed).sum(axis=0)
            expected = of_expected - (ratio**2 * listed).sum(axis=0)
        else:
            kinds = _LAPSES[parameter.kind]
            gained = share[kinds].sum(axis=0)
            first = len(kinds) * of_first - (share * ratio)[kinds].sum(axis=0)
            expected = len(kinds) * of_expected - (ratio**2)[kinds].sum(axis=0)
            room_lost = len(kinds) * room_lost
        total = self._model.likelihood.total
        direct, sides = gained - room_lost - total * expected * self._leverage / 2, first
        if parameter.group is not None:
            own = self._model.answers.group == parameter.group
            direct, sides = own * direct, own * first
        return value * float(direct.sum()), value * self._gathered(sides)

    @cached_property
    def _by_room(self) -> tuple[Floats, Floats, Floats]:
        """What a share of answers takes from those that follow the quality, each (R,).

        Of the likelihood, and of its slope and the expected information per answer by z.
        """
        share, ratio = self._share, self._ratio
        core, unit = self._cats.core, self._cats.slope / self._cats.room
        lost = (share * core).sum(axis=0)
        of_first = (share * (ratio * core - unit)).sum(axis=0)
        return lost, of_first, (ratio * (ratio * core - 2 * unit)).sum(axis=0)

    def _by_indecision(self, value: float) -> tuple[float, Floats]:
        p_by, slope_by = value * self._cats.by_indecision, value * self._cats.slope_by_indecision
        of_first = (self._share * (slope_by - self._ratio * p_by)).sum(axis=0)
        of_expected = self._model.likelihood.total * (
            self._ratio * (2 * slope_by - self._ratio * p_by)
        ).sum(axis=0)
        direct = float(np.sum(self._share * p_by)) - float(of_expected @ self._leverage) / 2
        return direct, self._gathered(of_first)

    def _gathered(self, weights: Floats) -> Floats:
        return np.asarray(self._scale * self._model.curve.gathered(weights, self._settings))


def rate_derivatives(
    model: DecisionModel, parameter: Parameter, cats: Categories, value: float
) -> Floats:
    """Return derivatives of probabilities by the logarithm of a rate, (K, R)."""
    if parameter.kind == "indecision":
        return np.asarray(value * cats.by_indecision)
    if parameter.kind == "position":
        return np.asarray(value * (cats.favoured - cats.core))
    places = _LAPSES[parameter.kind]
    by = -len(places) * cats.core
    by[places] += 1
    if parameter.group is not None:
        by = by * (model.answers.group == parameter.group)
    return np.asarray(value * by)
