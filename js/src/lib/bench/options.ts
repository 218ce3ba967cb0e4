/** Options of the two-alternative task, in the same words on every bench. */
export const FAMILIES = [
  { value: "normal", label: "Normal" },
  { value: "logistic", label: "Logistic" },
  { value: "weibull", label: "Weibull" },
  { value: "gumbel", label: "Gumbel" },
] as const;

/** Switch points have a distribution of their own; answers that are probabilities have none. */
export const CURVES = [
  { value: "auto", label: "Automatic" },
  ...FAMILIES,
  { value: "empirical", label: "Empirical" },
] as const;

export const RATES = [
  { value: "free", label: "fitted" },
  { value: "equal", label: "fitted as one" },
  { value: "none", label: "0, as in the paper" },
] as const;

export const JNDS = [
  { value: "quartile", label: "50 to 75 % of the curve, 0.67 σ" },
  { value: "eq6", label: "middle half of the curve, 1.35 σ" },
  { value: "sd", label: "standard deviation, σ" },
] as const;

export const SCORINGS = [
  { value: "eq8", label: "mixed cosines, as in the paper" },
  { value: "mixture", label: "cosine to the true mixture" },
] as const;
