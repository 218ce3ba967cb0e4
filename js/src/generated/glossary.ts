// Written by `make contract` from the glossary. Do not edit.

/** A term of the screens; `long` is empty where the name is a word. */
export interface GlossaryTerm {
  name: string;
  long: string;
  meaning: string;
  source: string;
}

const BLEND: GlossaryTerm = {
  "name": "blend",
  "long": "",
  "meaning": "A mixture of two cues that a model is asked about, from 0 % (all cue 1) to 100 % (all cue 2). Its share of cue 2 is written α.",
  "source": "Liang and Acuna (2020)"
};

const CUE: GlossaryTerm = {
  "name": "cue",
  "long": "",
  "meaning": "One end of a blend, such as “woman” or “man”: a word, or a set of words.",
  "source": ""
};

const SWITCH_POINT: GlossaryTerm = {
  "name": "switch point",
  "long": "",
  "meaning": "The blend from which on a replicate answers with cue 2, written α*. Outside 0 to 100 % it gives one answer to every blend.",
  "source": "Liang and Acuna (2020)"
};

const PSE: GlossaryTerm = {
  "name": "PSE",
  "long": "point of subjective equality",
  "meaning": "The blend at which both answers are equally likely. An unbiased model has it at 50 %.",
  "source": "Liang and Acuna (2020)"
};

const JND: GlossaryTerm = {
  "name": "JND",
  "long": "just noticeable difference",
  "meaning": "The change of the blend that moves the share of answers from 50 to 75 %. A small one means that the model switches sharply. Other conventions can be chosen.",
  "source": "Liang and Acuna (2020)"
};

const GUESS_AND_LAPSE_RATE: GlossaryTerm = {
  "name": "guess and lapse rate",
  "long": "",
  "meaning": "The shares of answers that do not depend on the blend, at its two ends. They are fitted with the curve, as otherwise they would distort the PSE and the JND.",
  "source": "Wichmann and Hill (2001)"
};

const REPLICATE: GlossaryTerm = {
  "name": "replicate",
  "long": "",
  "meaning": "One of several models trained on resampled text. Each answers by itself.",
  "source": ""
};

const CORPUS_INTERVAL: GlossaryTerm = {
  "name": "corpus interval",
  "long": "",
  "meaning": "How far a number moves when the text to train on is resampled. It decides whether a lean is clear.",
  "source": ""
};

const MONTE_CARLO_INTERVAL: GlossaryTerm = {
  "name": "Monte Carlo interval",
  "long": "",
  "meaning": "How exactly the replicates fix their own mean. It shrinks with more replicates, and does not say how clear a lean is.",
  "source": ""
};

const NO_CLEAR_LEAN: GlossaryTerm = {
  "name": "no clear lean",
  "long": "",
  "meaning": "The interval includes the neutral value, so the data fit a lean to either side, and none. A lean of a size that “would show” is found in four of five samples like this one.",
  "source": ""
};

const HOLM_CORRECTION: GlossaryTerm = {
  "name": "Holm correction",
  "long": "",
  "meaning": "Judges many words at once so that all clear leans together are wrong in at most 5 % of studies.",
  "source": "Holm (1979)"
};

const WEAT: GlossaryTerm = {
  "name": "WEAT",
  "long": "Word Embedding Association Test",
  "meaning": "The difference of two word groups' associations with two attribute lists, divided by the standard deviation over words.",
  "source": "Caliskan, Bryson and Narayanan (2017)"
};

const MAC: GlossaryTerm = {
  "name": "MAC",
  "long": "mean average cosine similarity",
  "meaning": "The mean cosine similarity or distance between target words and attribute lists.",
  "source": "Manzini et al. (2019)"
};

const CROSSED_MODEL: GlossaryTerm = {
  "name": "crossed model",
  "long": "",
  "meaning": "A model of distances in which each attribute word and each group word has an effect of its own, as each attribute word meets every group word.",
  "source": ""
};

const HPDI: GlossaryTerm = {
  "name": "HPDI",
  "long": "highest posterior density interval",
  "meaning": "The shortest interval that contains a given share of a posterior.",
  "source": ""
};

const R_HAT: GlossaryTerm = {
  "name": "R-hat",
  "long": "",
  "meaning": "Compares chains of draws with each other. Near 1, they agree.",
  "source": "Vehtari et al. (2021)"
};

const ESS: GlossaryTerm = {
  "name": "ESS",
  "long": "effective sample size",
  "meaning": "The number of independent draws that would be as exact as these.",
  "source": "Vehtari et al. (2021)"
};

const MCSE: GlossaryTerm = {
  "name": "MCSE",
  "long": "Monte Carlo standard error",
  "meaning": "The error of an estimate that comes from drawing.",
  "source": ""
};

const STEREOTYPE_SCORE: GlossaryTerm = {
  "name": "stereotype score",
  "long": "",
  "meaning": "The share of sentence pairs in which the stereotyped version is more probable, averaged over attributes. Without a preference it is 50 %.",
  "source": "Nadeem, Bethke and Reddy (2021)"
};

const FRAME: GlossaryTerm = {
  "name": "frame",
  "long": "",
  "meaning": "A sentence with a gap for the word that is asked about. Several make observers.",
  "source": ""
};

const DSBS: GlossaryTerm = {
  "name": "DSBS",
  "long": "data-sensitive biased system",
  "meaning": "The rating of a service whose output is as biased as its input.",
  "source": "Srivastava and Rossi (2018)"
};

const UCS: GlossaryTerm = {
  "name": "UCS",
  "long": "unbiased compensated system",
  "meaning": "The rating of a service that gives unbiased output whatever its input.",
  "source": "Srivastava and Rossi (2018)"
};

const BS: GlossaryTerm = {
  "name": "BS",
  "long": "biased system",
  "meaning": "The rating of a service whose output is biased even if its input is not.",
  "source": "Srivastava and Rossi (2018)"
};

const GAP: GlossaryTerm = {
  "name": "gap",
  "long": "",
  "meaning": "How much more of a quality one group must bring to be accepted as often as the other: the difference between their PSEs.",
  "source": ""
};

const IMPACT_RATIO: GlossaryTerm = {
  "name": "impact ratio",
  "long": "",
  "meaning": "The rate at which the second group is accepted, divided by that of the first. Below 0.8 it fails the four-fifths rule.",
  "source": "EEOC (1978)"
};

const LAPSE: GlossaryTerm = {
  "name": "lapse",
  "long": "",
  "meaning": "An answer that does not depend on the case.",
  "source": ""
};

const ADAPTIVE_PLACEMENT: GlossaryTerm = {
  "name": "adaptive placement",
  "long": "",
  "meaning": "Each question has the level at which its answer is expected to say most about the gap.",
  "source": "Prins (2013)"
};

const D_: GlossaryTerm = {
  "name": "d′",
  "long": "sensitivity",
  "meaning": "How far apart a model's evidence of qualified people lies from that of the others, in standard deviations: z(hits) − z(false alarms). At 0 it cannot tell them apart.",
  "source": "Macmillan and Creelman (2005)"
};

const CRITERION: GlossaryTerm = {
  "name": "criterion",
  "long": "",
  "meaning": "How much evidence a model demands before it says yes, written c. Above 0 it leans to no, below 0 to yes.",
  "source": "Macmillan and Creelman (2005)"
};

const ROC: GlossaryTerm = {
  "name": "ROC",
  "long": "receiver operating characteristic",
  "meaning": "The curve of hits against false alarms along which only the criterion changes. A higher curve means a greater sensitivity.",
  "source": "Macmillan and Creelman (2005)"
};

const HIT: GlossaryTerm = {
  "name": "hit",
  "long": "",
  "meaning": "A yes to somebody who is qualified. A no is a miss.",
  "source": "Macmillan and Creelman (2005)"
};

const FALSE_ALARM: GlossaryTerm = {
  "name": "false alarm",
  "long": "",
  "meaning": "A yes to somebody who is not qualified. A no is a correct rejection.",
  "source": "Macmillan and Creelman (2005)"
};

export const PSYCHOMETRIC_TERMS = [
  BLEND,
  CUE,
  SWITCH_POINT,
  PSE,
  JND,
  GUESS_AND_LAPSE_RATE,
  REPLICATE,
  FRAME,
  CORPUS_INTERVAL,
  MONTE_CARLO_INTERVAL,
  NO_CLEAR_LEAN,
];

export const OCCUPATIONS_TERMS = [
  BLEND,
  CUE,
  SWITCH_POINT,
  PSE,
  JND,
  REPLICATE,
  CORPUS_INTERVAL,
  NO_CLEAR_LEAN,
  HOLM_CORRECTION,
  WEAT,
];

export const ASSOCIATION_TERMS = [
  HPDI,
  CROSSED_MODEL,
  MAC,
  WEAT,
  REPLICATE,
  R_HAT,
  ESS,
];

export const POSTERIOR_TERMS = [
  R_HAT,
  ESS,
  MCSE,
];

export const SENTENCES_TERMS = [
  STEREOTYPE_SCORE,
  NO_CLEAR_LEAN,
];

export const IMAGES_TERMS = [
  BLEND,
  PSE,
  JND,
  NO_CLEAR_LEAN,
];

export const RATING_TERMS = [
  DSBS,
  UCS,
  BS,
  PSE,
  JND,
];

export const DECISIONS_TERMS = [
  GAP,
  PSE,
  JND,
  CUE,
  IMPACT_RATIO,
  LAPSE,
  ADAPTIVE_PLACEMENT,
  D_,
  CRITERION,
  ROC,
  HIT,
  FALSE_ALARM,
];

export const OPINION_TERMS = [
  IMPACT_RATIO,
  HOLM_CORRECTION,
];

export const WORD_LISTS_TERMS = [
  WEAT,
];
