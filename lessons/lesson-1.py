# %% [markdown]
# # Lesson 1: from an old illusion to the electrician
#
# A lesson of 45 minutes. How does psychology measure that a judgement is bent, without asking people how they feel?
# And what comes out when a model of language is asked in the same way?
#
# **How to use this page.** No experience with code is needed: choose **Run › Run All Cells** in the menu now, then
# read from the top. Before each result you are asked for **your prediction**. Select an answer and press **Commit**: the
# result and what follows from it, up to the next heading, appear only then. A prediction that fails teaches more than one
# that holds. What you predicted is kept in `predictions.json` beside this page, so it is still there tomorrow. If you do read
# code: the cells that only prepare teaching material are folded (click the bar with the dots to open one); all others are
# short.
#
# | part | | minutes |
# |---|---|---|
# | 1 | A judgement bent by expectation | 4 |
# | 2 | How to measure a bend | 7 |
# | 3 | You as the observer | 7 |
# | 4 | The model as the observer | 9 |
# | 5 | One pair of words is not a gender | 7 |
# | 6 | Many occupations, and the world outside | 5 |
# | 7 | Not only gender | 2 |
# | 8 | Limits, and questions for discussion | 4 |
#
# The exercises at the end are for after class.

# %% tags=["hidden"]
import numpy as np
import pandas as pd

import biaslab as bl
from biaslab.stats import psychometric
from biaslab_widgets import OccupationsBench, PsychometricBench
from biaslab_widgets.classroom import (
    Chart,
    LinesExperiment,
    Prediction,
    SelfCheck,
    interval_chart,
    psychometric_chart,
)
from biaslab_widgets.classroom.lines import OUTCOMES

VERDICTS = {1: "a bias toward female", 0: "no clear bias", -1: "a bias toward male"}

# %% [markdown]
# ## 1. A judgement bent by expectation (4 minutes)
#
# Two boxes stand on a table, one large and one small. The scales say that they weigh exactly the same. You lift one,
# then the other.

# %% tags=["hidden"]
heavier = Prediction(
    "Which box feels heavier?", ["the large one", "the small one", "both feel the same"]
)
heavier

# %% tags=["hidden"]
heavier.reveal(
    "the small one",
    "This is the size-weight illusion, described by Augustin Charpentier in 1891. A common account is that a large thing "
    "is expected to be heavy: when it turns out lighter than expected it feels light. Which account is right is "
    "still debated.",
    "Knowing the answer does not help much. After some lifts the fingers apply the right force to both boxes, and still "
    "the small one is called heavier (Flanagan and Beltzner 2000).",
)

# %% [markdown]
# Nobody has to ask: *are you prejudiced about boxes?* One has only to ask *which is heavier?*, again and again, with
# the large box made heavier in small steps, until the two are called equal. How much more it then weighs **is** the bend,
# in grams.
#
# A model of language has read much text and has come to expect some things, about a *nurse* or an *electrician* for
# example. It cannot be asked how it feels either. But it can be asked *which fits better?*, again and again.
#
# ## 2. How to measure a bend (7 minutes)
#
# The method goes back to Fechner (1860):
#
# - **Constant stimuli.** Choose some levels of the stimulus in advance, and show each of them several times.
# - **Forced choice.** Each time, the observer must choose one of *two* answers; *don't know* is not offered. In short,
#   2AFC: a two-alternative forced choice.
# - **Psychometric curve.** Draw how often the second answer was given against the level of the stimulus. It rises from 0
#   to 100 %.
# - Two numbers are read off it:
#   - the **PSE**, point of subjective equality: the level at which both answers are given equally often. If it is not
#     where the two things really are equal, the judgement is bent, by just that much;
#   - the **JND**, just-noticeable difference: how far one must move from there until the answer is given in 75 % of
#     the trials. It says how sharp the observer's judgement is.
#
# Here is an observer whose truth we know, because we made it: its PSE is 60 %. It is shown each of nine levels twenty
# times.

# %%
levels = np.linspace(0.2, 1.0, 9)
careful = bl.observers.binomial(pse=0.60, jnd=0.06)
answers = np.random.default_rng(seed=2).binomial(
    20, careful.respond("item", "first", "second", levels)
)
pd.DataFrame(
    {"stimulus, %": (100 * levels).round().astype(int), 'answered "second", of 20': answers}
)

# %%
careful_fit = psychometric.fit(levels, answers, 20, family="normal")
axes = {"stimulus": "stimulus, %", "answer": 'answers "second", %'}
psychometric_chart(careful_fit, truth=0.60, **axes)

# %% tags=["check"]
from biaslab.stats.intervals import interval

assert len(levels) == 9
found = interval(careful_fit, "pse")
assert found.low <= 0.60 <= found.high
found = interval(careful_fit, "jnd")
assert found.low <= 0.06 <= found.high

# %% [markdown]
# The points are what was counted, the line is the curve that fits them best, and the dot on it is the PSE. It is near
# the true 60 %, and not exactly there: twenty answers per level are only a sample.
#
# Now a second observer. It is bent in the same way (its true PSE is also 60 %) but it is sloppy: it often says one or the
# other at random.

# %% tags=["hidden"]
sloppy_differs = Prediction(
    "What will differ between the careful and the sloppy observer?",
    ["the PSE", "the JND", "both", "neither"],
)
sloppy_differs

# %% tags=["hidden"]
sloppy = bl.observers.binomial(pse=0.60, jnd=0.18)
answers = np.random.default_rng(seed=3).binomial(
    20, sloppy.respond("item", "first", "second", levels)
)
sloppy_fit = psychometric.fit(levels, answers, 20, family="normal")
both = psychometric_chart({"careful": careful_fit, "sloppy": sloppy_fit}, truth=0.60, **axes)
sloppy_differs.reveal(
    "the JND",
    "The curve of the sloppy observer is flatter: its true JND is three times as large. Both curves pass the middle near 60 %. "
    "How bent a judgement is and how sharp it is are two things, and one needs two numbers to tell them apart.",
    both,
    both.words,
)

# %% tags=["check"]
assert sloppy_fit.jnd() > 2 * careful_fit.jnd()
found = interval(sloppy_fit, "pse")
assert found.low <= 0.60 <= found.high
found = interval(sloppy_fit, "jnd")
assert found.low <= 0.18 <= found.high

# %% [markdown]
# ## 3. You as the observer (7 minutes)
#
# Your turn. You will see two horizontal lines, one with **fins that open outward** and one with **arrowheads**:
#
# `>————<` and `<————>`
#
# You say which *straight line* is longer. The stimulus is the share of the two lines' total length that belongs to the
# line with open fins; at 50 % both are equal, and nothing but the fins differs. (The figure is Müller-Lyer's, of 1889.)

# %% tags=["hidden"]
fins = Prediction("What will your own answers show?", OUTCOMES)
fins

# %% tags=["hidden"]
experiment = LinesExperiment(fins)
experiment

# %% tags=["check"]
from biaslab_widgets.classroom.lines import SHORTER

experiment.simulate()
assert experiment.outcome == SHORTER
assert experiment.asked.sum() == 35

# %% [markdown]
# You have probably seen such a figure before and knew that it is a trick. Did it help?
#
# Compare with your neighbour. Whose PSE is further from 50 %? Whose JND is smaller? They need not be the same person.
# And look at the interval around your PSE: this is what 35 answers can tell, and no more.
#
# ## 4. The model as the observer (9 minutes)
#
# ### The subject
#
# What we probe is called the **subject**: here, *word embeddings*. Such a model has read text and has given each word a
# list of numbers, such that words used in similar company have similar lists. How similar two lists are is their
# *cosine*: 1 for the same direction, 0 for nothing in common.
#
# We have not one such model but many, each trained on another random resample of the same encyclopedia text. Each of
# these **replicates** is one answer to the question: *what would the model have learned from another corpus like this
# one?*

# %%
subject = bl.load("wiki-bootstraps")
subject

# %% [markdown]
# ### The question
#
# Two words are the **cues**: *hers* (cue 1) and *his* (cue 2). Between them lies every blend, from 0 % to 100 % *his*. We
# show the subject a word together with a blend, and it must choose: *hers*, or *his*?
#
# Each cue gets a score: how similar it is to the blend, plus how similar it is to the word. The higher score wins. At a
# blend of 0 % *his* the blend speaks for *hers*, at 100 % it speaks for *his*, and somewhere between the answer
# **switches**. A word that is equally similar to both cues adds the same to both scores, so the switch is at 50 %. If the
# word is more similar to *hers*, more *his* is needed in the blend to win: the switch moves above 50 %.
#
# > **Above 50 % is a bias toward female, below 50 % a bias toward male.**
#
# For each replicate the switch can be worked out with a pencil. With cos for the cosine, and w for the word:
#
# > switch = 1/2 − (cos(w, his) − cos(w, hers)) / (2 × (1 − cos(hers, his)))

# %%
words = ["nurse", "electrician"]
result = bl.two_afc(subject, words, [("hers", "his")])

first = result.raw_frame().query("observer == 1 and item == 'nurse'").iloc[0]
to_hers, to_his, between = first.cos_item_cue_1, first.cos_item_cue_2, first.cos_cues
by_hand = 1 / 2 - (to_his - to_hers) / (2 * (1 - between))
print(f"cos(nurse, hers) = {to_hers:.3f}")
print(f"cos(nurse, his)  = {to_his:.3f}")
print(f"cos(hers, his)   = {between:.3f}")
print(f"switch of the first replicate: {100 * by_hand:.1f} % by hand", end=", ")
print(f"{100 * first.switch_point:.1f} % by biaslab")

# %% tags=["check"]
assert abs(by_hand - first.switch_point) < 1e-3

# %% [markdown]
# ### From switches to a curve
#
# One replicate switches at one point, like a light. But the replicates do not switch at the same point. At each blend
# we can count **how many of them** have switched: this is the psychometric curve of the subject. Its middle is the PSE,
# and how far the switches are spread is the JND.
#
# *Electrician*: about 98 of 100 in this occupation in the United States are men.

# %% tags=["hidden"]
electrician = Prediction(
    "Asked with the cues hers and his: what will the verdict on 'electrician' be?",
    [VERDICTS[-1], VERDICTS[0], VERDICTS[1]],
)
electrician

# %% tags=["hidden"]
lean = dict(zip(result.items, result.pooled.lean.tolist(), strict=True))
electrician.reveal(
    VERDICTS[lean["electrician"]],
    "Each row below is one replicate: blue up to where it switches, orange from there on. The line is the fitted curve.",
    Chart(result.to_svg(item="electrician"), " ".join(result.verdict("electrician"))),
    "Surprised? Do not explain it away yet: part 5 looks into it. This is what predictions are for. Without one, "
    "nobody would have looked twice.",
)

# %% tags=["check"]
percent_female = bl.specs.get("occupations").outside["percent-female-bls"].values
assert round(100 - percent_female["electrician"]) == 98
assert lean == {"nurse": 1, "electrician": 1}

# %% [markdown]
# ### Two intervals
#
# The table shows two intervals for each PSE. (It opens with your prediction on the electrician.)
#
# - **Corpus interval**: where the switch of *one more replicate* would fall, 95 times in 100. It says how far the answer
#   hangs on which texts happened to be collected. The verdict uses this one.
# - **Monte Carlo interval**: how well *these replicates* pin down their own average.

# %% tags=["after:electrician"]
result.to_frame()[
    ["item", "pse", "pse_low", "pse_high", "monte_carlo_low", "monte_carlo_high", "jnd"]
].round(3)

# %% tags=["hidden"]
more = Prediction(
    "We train sixteen times as many replicates. Which interval becomes much narrower?",
    ["the corpus interval", "the Monte Carlo interval", "both", "neither"],
)
more

# %% tags=["hidden"]
rows = []
for replicates in (32, 512):
    made = bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.1, replicates=replicates, seed=1)
    row = bl.two_afc(made, ["nurse"], [("female", "male")]).to_frame().iloc[0]
    rows.append(
        {
            "replicates": replicates,
            "PSE, %": 100 * row.pse,
            "width of the corpus interval": 100 * (row.pse_high - row.pse_low),
            "width of the Monte Carlo interval": 100 * (row.monte_carlo_high - row.monte_carlo_low),
        }
    )
widths = pd.DataFrame(rows).set_index("replicates").round(1)
more.reveal(
    "the Monte Carlo interval",
    "Below: a made-up subject with a known PSE of 60 %, once with few and once with many replicates. More replicates tell "
    "better where their average lies. They cannot make the texts agree: corpora differ as much as they differ. Whoever "
    "reports only the narrow interval can make any bias 'certain' by training more replicates.",
    widths,
)

# %% tags=["check"]
few, many = (widths.iloc[n] for n in (0, 1))
assert many["width of the Monte Carlo interval"] < 0.5 * few["width of the Monte Carlo interval"]
assert many["width of the corpus interval"] > 0.7 * few["width of the corpus interval"]

# %% [markdown]
# ### By hand
#
# The same probe, to be driven by you. Each row of the picture is one replicate.
#
# 1. **Drag the handle** under the picture, or focus it and use the arrow keys. Where have half of the replicates
#    switched? Compare with the PSE.
# 2. **Type other words**: *librarian*, *engineer*, *dancer*. Then a word that has nothing to do with people: *stone*.
# 3. Turn up the **perceptual noise**. What changes: the PSE, the JND, or both?

# %% tags=["after:electrician"]
bench = PsychometricBench(subject, word="electrician", pairs=[("hers", "his")])
bench

# %% tags=["check"]
still = bl.two_afc(subject, ["electrician"], [("hers", "his")])
noisy = bl.two_afc(subject, ["electrician"], [("hers", "his")], perception=0.2)
assert abs(noisy.pse[0] - still.pse[0]) < 1e-6
assert noisy.jnd[0] > still.jnd[0]

# %% [markdown]
# ## 5. One pair of words is not a gender (7 minutes)
#
# *Hers* and *his* are two words with lives of their own. So let us ask about the electrician with seven other pairs:
# *female/male*, *woman/man*, *girl/boy*, *sister/brother*, *she/he*, *her/him*, *daughter/son*.

# %% tags=["hidden"]
seven = Prediction(
    "What will most of the seven other pairs say about 'electrician'?", list(VERDICTS.values())
)
seven

# %% tags=["hidden"]
pairs = bl.two_afc(subject, words, "gender-pairs")
frame = pairs.to_frame()


def by_pair(word):
    """One row per pair, and the pooled one last."""
    rows = frame[frame.item == word]
    names = [
        f"all {len(pairs.pairs)} pairs" if row.pooled else f"{row.cue_1} / {row.cue_2}"
        for row in rows.itertuples()
    ]
    return interval_chart(
        names,
        rows.pse,
        rows.pse_low,
        rows.pse_high,
        stimulus=f"{word}: PSE, % of cue 2 in the blend",
    )


others = frame[(frame.item == "electrician") & ~frame.pooled & (frame.cue_1 != "hers")]
most = others.lean.value_counts().idxmax()
seven.reveal(
    VERDICTS[most],
    "Each row is a pair of cues, with the PSE and its corpus interval; the last row pools them all.",
    by_pair("electrician"),
    "And the nurse:",
    by_pair("nurse"),
)

# %% tags=["check"]
pooled = frame[frame.pooled].set_index("item").lean
assert len(pairs.pairs) == 8
assert most == 0
assert (others.lean == 1).sum() == 0
assert pooled["electrician"] == 0
assert pooled["nurse"] == 1
nurse = frame[(frame.item == "nurse") & ~frame.pooled]
assert (nurse.pse > 0.5).all()
assert (nurse.lean == 1).sum() > len(nurse) / 2

# %% [markdown]
# Two words, two fates. For one of them all pairs are on the same side of 50 % and the pooled interval excludes it;
# for the other, the finding hung on one pair.
#
# Why that pair? Let us ask it about *everything*. The table counts the verdicts over all occupations of the catalogue
# that the subject knows, pair by pair.

# %%
occupations = bl.occupations(subject, "occupations", "gender-pairs")
leans = occupations.contrasts[0].by_pair.lean
per_pair = pd.DataFrame(
    {
        "pair": [f"{one} / {two}" for one, two in occupations.contrasts[0].pairs],
        "toward cue 1 (female)": (leans == 1).sum(axis=0),
        "no clear bias": (leans == 0).sum(axis=0),
        "toward cue 2 (male)": (leans == -1).sum(axis=0),
        "mean PSE, %": (100 * occupations.contrasts[0].by_pair.pse.mean(axis=0))
        .round()
        .astype(int),
    }
).set_index("pair")
per_pair

# %% [markdown]
# And about things that are neither women nor men:

# %%
things = bl.two_afc(
    subject, ["stone", "mathematics", "kitchen", "table"], [("hers", "his"), ("she", "he")]
)
things.to_frame().query("not pooled")[
    ["item", "cue_1", "cue_2", "pse", "pse_low", "pse_high", "lean"]
].round(2)

# %% tags=["check"]
possessive, personal = per_pair.loc["hers / his"], per_pair.loc["she / he"]
assert possessive["toward cue 1 (female)"] > len(leans) / 2
assert personal["toward cue 2 (male)"] > len(leans) / 2
pulls = occupations.contrasts[0].by_pair.pse.mean(axis=0) - 0.5
assert abs(pulls.mean()) < 0.5 * abs(pulls).mean(), "the pulls partly cancel"
mathematics, kitchen = things.by_pair.lean[1], things.by_pair.lean[2]
assert (mathematics == -1).all()
assert (kitchen == 1).all()

# %% [markdown]
# Under *hers / his* most occupations lie clearly above 50 %, under *she / he* most lie clearly below. Neither is news about
# occupations. Each pair has a **pull of its own** that moves all words together. Why, the probe does not say. One may
# guess: *hers* is a rare word, as many names of occupations are, and *he* stands in a great many biographies. And a word
# need not name a person to lean: look at *kitchen* and *mathematics*.
#
# Pooling over pairs does two things: the pulls partly cancel, and where they do not, the interval becomes wide, since the
# pairs are now a sample too. When the pooled interval includes 50 %, the honest answer is **no clear bias**:
# neither that there is one, nor that there is none.
#
# **A minute with your neighbour:** someone shows only *she / he* and reports that most occupations are "male-biased".
# What do you answer?
#
# ## 6. Many occupations, and the world outside (5 minutes)
#
# For these occupations the share of men is known from U.S. labour statistics. Remember the axis: a *high* PSE is a bias
# toward *female*.

# %% tags=["hidden"]
signs = {
    -1: "negative: the more men work in an occupation, the lower its PSE",
    0: "none: the interval of the correlation includes 0",
    1: "positive: the more men work in an occupation, the higher its PSE",
}
labour = Prediction(
    "PSE (pooled over all pairs) against the share of men: which correlation do you expect?",
    list(signs.values()),
)
labour

# %% tags=["hidden"]
agreement = occupations.agreement()
around = agreement.pearson_interval
sign = 1 if around.low > 0 else -1 if around.high < 0 else 0
labour.reveal(
    signs[sign],
    f"r = {agreement.pearson:.2f}, 95 % interval {around.low:.2f} to {around.high:.2f}, "
    f"{len(agreement.words)} occupations.".replace("-", "−"),
    "A sign is only right or wrong together with its axis: a paper that draws the axis the other way round prints the "
    "same finding with the opposite sign. And look how wide the interval is.",
    OccupationsBench(subject),
)

# %% tags=["check"]
assert sign == -1
assert abs(agreement.pearson) < 0.6
assert around.high - around.low > 0.3

# %% [markdown]
# In the view above: which occupations lie far from the line? Is there one that contradicts what you expected? Click it and
# look at its pairs. (*Electrician* and *hairdresser* stand fewer than a hundred times in this subject's corpus, says its
# model card: it has not had much to learn from.)
#
# **The correlation answers a narrow question**: whether, over these occupations, the PSE goes together with the share of men.
# It is no proof that the probe is right, and an occupation off the line is no error: texts need not tell what labour
# statistics tell.

# %% tags=["check"]
counts = occupations.lean_counts()
assert counts.undecided > len(occupations.words) / 2

import re
from importlib.resources import files

card = (
    files("biaslab").joinpath("bundled", "wiki-bootstraps", "README.md").read_text(encoding="utf-8")
)
for rare in ("electrician", "hairdresser"):
    assert int(re.search(rf'"{rare}" (\d+) times', card).group(1)) < 100

# %% [markdown]
# ## 7. Not only gender (2 minutes)
#
# Any two words can be the ends of the line. Here *love* is cue 1 and *hate* is cue 2, so **above 50 % leans to love**.

# %% tags=["hidden"]
candidates = ["teacher", "examiner", "programmer", "investigator"]
loved = Prediction("Which of these occupations leans most to love?", candidates)
loved

# %% tags=["hidden"]
asked = ["murder", "war", *candidates, "nurse", "painter", "friend", "wedding"]
love = bl.two_afc(subject, asked, "love-hate").to_frame().sort_values("pse", ascending=False)
top = next(word for word in love.item if word in candidates)
loved.reveal(
    top,
    interval_chart(
        love.item,
        love.pse,
        love.pse_low,
        love.pse_high,
        ends=("love", "hate"),
        stimulus="PSE, % hate in the blend",
    ),
    "Friend, wedding, murder and war are there to see whether the probe finds what nobody doubts: a positive control. "
    "For the occupations there is no outside number to compare with, and only one pair of cues was asked. After part 5: "
    "how far would you trust this picture?",
)

# %% tags=["check"]
by_word = love.set_index("item").lean
assert top == "teacher"
assert by_word[["friend", "wedding"]].tolist() == [1, 1]
assert by_word[["murder", "war"]].tolist() == [-1, -1]

# %% [markdown]
# ## 8. Limits, and questions for discussion (4 minutes)
#
# - **It is this subject.** Small, made for teaching, a sample of one encyclopedia from one year. Another model needs its own
#   measurement.
# - **It is these words.** Part 5 showed how much hangs on the cues. The list of words is a choice too.
# - **"No clear bias" is not "no bias".** Nor is a bias in associations a harm, or its absence a clearance.
# - **It does not say why.** What is taken for granted is often left out of texts, and what surprises is written down: a text
#   may say *male nurse* just because it finds that worth saying.
# - **Two alternatives.** A forced choice between two ends cannot show what lies outside them: gender is not a line between
#   two words.
# - **A metaphor.** The model has no expectations as a person has. We say that its *answers* are bent, and can measure it; the
#   rest is a way of speaking.
#
# Discuss:
#
# 1. A company tests its model with *she / he* only, finds "no clear bias" for *programmer*, and prints "free of
#    gender bias" on the box. List what is wrong with the sentence.
# 2. For which of these would the finding on *nurse* matter: a search engine for job advertisements, a translation
#    service, a spelling checker? What would you have to measure to know?
# 3. Where is the analogy between the lines of part 3 and the model of part 4 strong, and where does it break?
# 4. Should a model's PSE agree with labour statistics, or be at 50 % for every occupation? Who decides?

# %% [markdown]
# ## Exercises
#
# Exercises 1 to 3 need no code: use the psychometric bench of part 4, or paper. Below each you can check your answer.
#
# ### Exercise 1: contradicting pairs
#
# In the psychometric bench, find an occupation for which one pair of cues says *a bias toward female* and another one *a bias toward
# male*. What would you report about this occupation?

# %% tags=["solution"]
# Your answer (write it here, after the #; or look for all such occupations in `leans`):
contradicting = [
    word
    for word, row in zip(occupations.words, leans, strict=True)
    if (row == 1).any() and (row == -1).any()
]
print(len(contradicting), "of", len(occupations.words), "occupations:", ", ".join(contradicting))

# %% tags=["check"]
assert 5 <= len(contradicting) < len(occupations.words)

# %% tags=["hidden"]
SelfCheck(
    "What would you report about such an occupation?",
    [
        "the pair that says what you expected",
        "the pooled PSE with its interval, and that the pairs disagree",
        "the pair with the narrowest interval",
    ],
    right="the pooled PSE with its interval, and that the pairs disagree",
    hint="Each pair has a pull of its own.",
)

# %% [markdown] tags=["solution"]
# There are many, because each pair has a pull of its own. An honest report gives the pooled PSE with its interval over
# corpora *and* pairs, says that the pairs disagree, and shows them.

# %% [markdown]
# ### Exercise 2: with a pencil
#
# For some word, cos(w, female) = 0.30 and cos(w, male) = 0.20, and cos(female, male) = 0.60. Where is the switch? To which
# side is the bias? And where would it be if the two cues were more similar to each other, with cos(female, male) = 0.90?

# %% tags=["solution"]
# Your calculation here (or do it on paper):
for between in (0.60, 0.90):
    print(
        f"cos(female, male) = {between:.2f}: switch at {100 * (1 / 2 - (0.20 - 0.30) / (2 * (1 - between))):.1f} %"
    )

# %% tags=["check"]
assert abs(0.5 - (0.20 - 0.30) / (2 * (1 - 0.60)) - 0.625) < 1e-12
assert abs(0.5 - (0.20 - 0.30) / (2 * (1 - 0.90)) - 1.0) < 1e-12

# %% tags=["hidden"]
SelfCheck(
    "Exercise 2: where is the switch, in percent?",
    right=62.5,
    digits=1,
    hint="Put the cosines into the formula of part 4.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 2: and where with cos(female, male) = 0.90, in percent?",
    right=100.0,
    digits=1,
    hint="Only the divisor changes.",
)

# %% [markdown] tags=["solution"]
# Above 50 %, so toward female. With cues that are nearly the same, blends differ little, and the same small difference
# between the word's two cosines moves the switch much further: here to the end of the axis. Beyond it no blend would
# make the replicate change its answer; biaslab counts such cases and does not clip them.

# %% [markdown]
# ### Exercise 3: say it right
#
# Which of these sentences does the result of part 5 support? (a) "Wikipedia thinks that nurses are women." (b) "These
# embeddings need clearly more than half of the male cue before they answer with it for *nurse*, over resampled corpora and
# pairs." (c) "The embeddings have no gender bias about electricians."

# %% tags=["hidden"]
SelfCheck(
    "Exercise 3: which sentence is supported?",
    ["(a)", "(b)", "(c)"],
    right="(b)",
    hint="Look for an author, and for “no bias”.",
)

# %% [markdown] tags=["solution"]
# **Only (b).** (a) speaks of an author and its thoughts; what was measured are the answers of small models trained on a sample
# of its text. (c) takes *no clear bias* for *no bias*: the pooled interval for the electrician includes 50 %, and much besides.

# %% [markdown]
# ### Exercise 4: does 95 % mean 95 %?
#
# With a made-up subject the truth is known. Make 200 subjects with a true PSE of 60 % (`seed=0` to `seed=199`), as in
# part 4, and count how often the *Monte Carlo* interval includes 0.6. What do you expect? And how often does the *corpus*
# interval include 0.6, and why is that no contradiction to its 95 %?

# %% tags=["solution"]
# Your code here. Start from:
# made = bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.1, replicates=32, seed=0)
# bl.two_afc(made, ["nurse"], [("female", "male")]).to_frame()
hits = {"monte_carlo": 0, "pse": 0}
for seed in range(200):
    made = bl.observers.embedding(pse={"nurse": 0.6}, jnd=0.1, replicates=32, seed=seed)
    row = bl.two_afc(made, ["nurse"], [("female", "male")]).to_frame().iloc[0]
    for kind in hits:
        hits[kind] += bool(row[f"{kind}_low"] <= 0.6 <= row[f"{kind}_high"])
hits

# %% tags=["check"]
assert 180 <= hits["monte_carlo"] <= 199
assert hits["pse"] == 200

# %% tags=["hidden"]
SelfCheck(
    "Of the 200 corpus intervals: how many include 0.6?",
    right=200,
    hint="For whose switch is the corpus interval made?",
)

# %% tags=["hidden"]
SelfCheck(
    "And of the 200 Monte Carlo intervals?",
    ["about 100", "about 190", "all 200"],
    right="about 190",
    hint="It is the one that promises 95 %.",
)

# %% [markdown] tags=["solution"]
# The Monte Carlo interval holds the true PSE in about 95 of 100 cases. The corpus interval holds it always: it is no
# interval *of the PSE*. It says where the switch of **one more replicate** would fall, and it is that which it holds 95
# times in 100.

# %% [markdown]
# ### Exercise 5: all there is, or a sample?
#
# In part 5 the eight pairs counted as a *sample* of all the pairs that one could have asked with (`pairs_as="resampled"`).
# Ask again with `pairs_as="fixed"`: the eight pairs are all there is. How many occupations now lean to either side? Which
# choice would you defend?

# %% tags=["solution"]
# Your code here. Start from:
# bl.occupations(subject, "occupations", "gender-pairs", pairs_as="resampled").lean_counts()
counted = {
    how: bl.occupations(subject, "occupations", "gender-pairs", pairs_as=how).lean_counts()
    for how in ("resampled", "fixed")
}
pd.DataFrame(counted, index=["toward female", "toward male", "no clear bias", "no interval"]).T

# %% tags=["check"]
assert counted["fixed"].undecided < counted["resampled"].undecided
assert counted["fixed"].group_2 > counted["fixed"].group_1

# %% tags=["hidden"]
SelfCheck(
    "With which choice do more occupations lean to either side?",
    ["resampled", "fixed", "both alike"],
    right="fixed",
    hint="Which of them counts the disagreement between pairs?",
)

# %% [markdown] tags=["solution"]
# With *fixed* more verdicts come out, most of them toward male, because the disagreement between the pairs no longer counts.
# Nobody holds that gender *is* these eight pairs, so *resampled* is the default. *Fixed* answers a narrower question: what
# about just these eight? Both may be reported, if it is said which.

# %% [markdown]
# ### Exercise 6: the best of eight
#
# Correlate the PSE with the labour statistics for each of the eight pairs *alone*. Which pair agrees best? Would you report
# that pair's correlation as your finding?

# %% tags=["solution"]
# Your code here. Start from:
# bl.occupations(subject, "occupations", {"female": ["woman"], "male": ["man"]}).agreement()
rows = []
for one, two in bl.specs.get("gender-pairs").cue_pairs:
    alone = bl.occupations(subject, "occupations", {"female": [one], "male": [two]}).agreement()
    around = alone.pearson_interval
    rows.append(
        {"pair": f"{one} / {two}", "r": alone.pearson, "low": around.low, "high": around.high}
    )
best_of_eight = pd.DataFrame(rows).set_index("pair").sort_values("r").round(2)
best_of_eight

# %% tags=["check"]
assert best_of_eight.index[0] == "woman / man"
assert best_of_eight.r.iloc[0] < agreement.pearson
assert abs(best_of_eight.loc["hers / his", "r"]) < 0.2

# %% tags=["hidden"]
SelfCheck(
    "Which pair alone agrees best?",
    ["she / he", "woman / man", "hers / his", "daughter / son"],
    right="woman / man",
    hint="The axis: a high PSE is a bias toward female, so the best r is the most negative.",
)

# %% [markdown] tags=["solution"]
# One pair alone agrees better than all eight pooled, and *hers / his*, with which part 4 began, hardly at all. To report
# the best pair *because* it is the best would be to choose the question by its answer; among eight tries one
# looks good by luck too. One may announce it as a guess, and test it on **other** words or another subject.

# %% [markdown]
# ### Exercise 7: a spectrum of your own
#
# Choose two ends (*young* and *old*, *rich* and *poor*) and some words. Write one sentence with the verdict, its uncertainty
# and its limits. Include a positive control: a word about which nobody would disagree.

# %% tags=["solution"]
# Your code here. Start from:
# print(bl.two_afc(subject, ["student", "grandfather"], [("young", "old")]).summary())
own = bl.two_afc(subject, ["student", "teacher", "manager", "grandfather"], [("young", "old")])
print(own.summary())

# %% tags=["check"]
assert own.pooled.lean[own.index("grandfather")] != -1
assert own.pooled.lean[own.index("student")] == 1

# %% tags=["hidden"]
SelfCheck(
    "Your positive control fails. What do you report about your other words?",
    [
        "their verdicts, as they are",
        "nothing yet: other pairs of cues come first",
        "their verdicts, without the control",
    ],
    right="nothing yet: other pairs of cues come first",
    hint="What does the control test?",
)

# %% [markdown] tags=["solution"]
# Whatever you chose, the sentence should name the subject, the pair, the PSE with its interval, and what was *not* asked.
# In the example the positive control fails: not even *grandfather* leans to *old*. So do not report the student either. The
# cues seem not to mean here what was meant by them (an *old* town, a *young* team): try other pairs first.

# %% [markdown]
# ## Sources
#
# - Charpentier, A. (1891). Analyse expérimentale de quelques éléments de la sensation de poids. *Archives de physiologie
#   normale et pathologique* 3, 122–135.
# - Fechner, G. T. (1860). *Elemente der Psychophysik*.
# - Flanagan, J. R., and Beltzner, M. A. (2000). Independence of perceptual and sensorimotor predictions in the size–weight
#   illusion. *Nature Neuroscience* 3, 737–741.
# - Liang, L., and Acuna, D. E. (2020). Artificial mental phenomena: psychophysics as a framework to detect perception biases
#   in AI models. *FAT\* '20*. The model's score is its eq. 8; its occupations and pairs are those of section 5.1.
# - Müller-Lyer, F. C. (1889). Optische Urteilstäuschungen. *Archiv für Physiologie*, Supplement, 263–270.
# - Labour statistics: U.S. Bureau of Labor Statistics 2015 and 2016, as compiled by Rudinger et al. (2018).
