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
  { value: "quartile", label: "0.6745 σ" },
  { value: "eq6", label: "1.349 σ, eq. 6" },
  { value: "sd", label: "σ, Fig. 2" },
] as const;

export const SCORINGS = [
  { value: "eq8", label: "mixed cosines, as in the paper" },
  { value: "mixture", label: "cosine to the true mixture" },
] as const;
