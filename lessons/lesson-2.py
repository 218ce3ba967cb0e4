# %% [markdown]
# # Lesson 2: means of means manufacture confidence
#
# A lesson of 45 minutes. A well-known test answers the question *does this model hold a stereotype?* with one number.
# What has been thrown away on the way to that number, and what is left of its certainty when one keeps it?
#
# **How to use this page.** As in lesson 1: choose **Run › Run All Cells** now, then read from the top and commit a
# prediction before each result. No experience with code is needed; cells that only prepare teaching
# material are folded. Part 4 of [lesson 1](lesson-1.ipynb) explains word embeddings and cosines.
#
# | part | | minutes |
# |---|---|---|
# | 1 | One number for a prejudice | 5 |
# | 2 | What one number hides | 8 |
# | 3 | Full lists | 3 |
# | 4 | Compared with what? | 6 |
# | 5 | Word by word | 6 |
# | 6 | How many data points are these? | 6 |
# | 7 | Throw the data away, step by step | 4 |
# | 8 | Before and after debiasing | 4 |
# | 9 | What may be concluded, and questions for discussion | 3 |
#
# The exercises at the end are for after class.

# %% tags=["hidden"]
import numpy as np
import pandas as pd

import biaslab as bl
from biaslab_widgets import AssociationBench
from biaslab_widgets.classroom import Prediction, SelfCheck, difference_chart, histogram_chart

subject = bl.load("wiki-bootstraps")
gender = bl.specs.get("manzini-gender")
NEARER_TO_OWN = "nearer to the own group's"


def intervals(contrasts, axis, ends=("", "")):
    """One row per contrast of a distance model; an empty name leaves a gap."""
    rows = [
        (name, c.mean, c.interval.low, c.interval.high) if c else ("", np.nan, np.nan, np.nan)
        for name, c in contrasts
    ]
    return difference_chart(*zip(*rows, strict=True), axis=axis, ends=ends)


# %% [markdown]
# ## 1. One number for a prejudice (5 minutes)
#
# Psychology has a test that does not ask people what they think, the Implicit Association Test: how much faster does
# somebody sort *he* together with *soldier* than together with *nurse*? In 2017 Caliskan, Bryson and Narayanan
# carried it over to word embeddings: cosines take the place of reaction times. Their test, **WEAT**, needs four
# lists:
#
# - two lists of **protected words**, X and Y (they call them *targets*): here words for men and words for women;
# - two lists of **attributes**, A and B: here occupations, stereotyped as men's and as women's.
#
# It can be done with a pencil. These are the cosines of one model, two words a side:

# %%
men, women = ["he", "boy"], ["she", "girl"]
mens, womens = ["soldier", "lawyer", "manager"], ["nurse", "dancer", "librarian"]
small = bl.weat(
    subject,
    targets={"men": men, "women": women},
    attributes={"men's": mens, "women's": womens},
    replicates=1,
)
table = pd.DataFrame(small.cosines[0], index=small.words, columns=small.lists.attribute_words)
table["s: mean of A − mean of B"] = table[mens].mean(axis=1) - table[womens].mean(axis=1)
table.round(3)

# %% [markdown]
# The last column is each word's **association** s: how much nearer it is to A than to B. Then
#
# > effect size = (mean s of X − mean s of Y) / standard deviation of all s

# %%
s = table["s: mean of A − mean of B"]
by_hand = (s[men].mean() - s[women].mean()) / s.std(ddof=1)
print(f"effect size: {by_hand:.2f} by hand, {small.effect_size:.2f} by biaslab")

# %% tags=["check"]
assert abs(by_hand - small.effect_size) < 1e-9
assert small.effect_size > 0.9 * small.ceiling
assert (s[men].abs() < 0.1).all()
assert (s[women] < -0.1).all()

# %% [markdown]
# By a common rule of thumb for effect sizes, everything above 0.8 is *large*. So is that it: a large bias?
#
# ## 2. What one number hides (8 minutes)
#
# Three questions to put to an effect size before believing it.
#
# ### How large can it get?

# %% tags=["hidden"]
largest = Prediction(
    "Two protected words a side, any words, any model: how large can the effect size become?",
    ["there is no limit", "10 or so", "less than 2"],
)
largest

# %% tags=["hidden"]
sizes = (2, 5, 8, 25)
ceilings = pd.DataFrame(
    {
        f"{n} + {n} words": [
            bl.association.weat_simulation(sizes=(n, n, 5, 5), draws=1, ddof=d).ceiling
            for d in (0, 1)
        ]
        for n in sizes
    },
    index=["SD divides by N (ddof 0)", "SD divides by N − 1 (ddof 1)"],
)
largest.reveal(
    "less than 2",
    "The spread that one divides by holds the difference itself: when the lists lie far apart, it grows along. The table shows the "
    "ceiling. Whether the standard deviation divides by N or by N − 1 is rarely said in papers, and with two words a side it matters.",
    ceilings.round(3),
    f"Ours was {small.effect_size:.2f}, with ddof 1. The largest that Caliskan et al. report is 1.81.",
)

# %% tags=["check"]
assert ceilings.iloc[0].round(9).eq(2).all()
assert ceilings.iloc[1].max() < 2
assert ceilings.iloc[1, 0] < 1.74

# %% [markdown]
# ### How small may the difference be?
#
# Because it is divided by the spread, an effect size has no unit. Take every cosine of the table above, and shrink it
# to a hundredth:

# %%
shrunk = table[mens + womens] / 100
t = shrunk[mens].mean(axis=1) - shrunk[womens].mean(axis=1)
now = t[men].mean() - t[women].mean()
print(f"difference of means: {s[men].mean() - s[women].mean():.4f}, now {now:.6f}")
print(f"effect size: {by_hand:.2f}, now {now / t.std(ddof=1):.2f}")

# %% [markdown]
# ### How often does nothing look like this?
#
# *A Bayesian method of cosine-based word2vec bias estimation*, which this lesson follows and calls *the paper*, does
# a simple simulation. Two words a side, five attributes a side, and all cosines are drawn **from one and the same
# distribution**: there is no association at all. Then WEAT is computed (with ddof 0, as it must have been there).

# %% tags=["hidden"]
nothing = Prediction(
    "How often will the effect size be 1 or more (in either direction), though there is nothing?",
    ["in fewer than 5 of 100 cases", "in about 20 of 100", "in about 50 of 100"],
)
nothing

# %% tags=["hidden"]
two = bl.association.weat_simulation(sizes=(2, 2, 5, 5), ddof=0, sd=0.05)
share = 100 * two.share_reaching(1)
nothing.reveal(
    nothing.options[0] if share < 10 else nothing.options[1] if share < 35 else nothing.options[2],
    f"In {share:.0f} of 100. Here are {len(two.effect_size):,} effect sizes; the two lines are those that the paper prints for two "
    "draws from nothing.",
    histogram_chart(
        two.edges,
        two.counts,
        axis="effect size of 2 + 2 words, no true difference",
        marks={"the paper: 1.82": 1.82, "the paper: −1.93": -1.93},
        limits=(-two.ceiling, two.ceiling),
    ),
)

# %% tags=["check"]
assert 40 < share < 60
assert two.share_reaching(1.8) > 0.05
narrow = bl.association.weat_simulation(sizes=(2, 2, 5, 5), ddof=0, sd=0.001)
assert np.allclose(narrow.effect_size, two.effect_size)
chance = {n: bl.association.weat_simulation(sizes=(n, n, 5, 5), ddof=0) for n in (2, 4, 8, 16)}
reach = [c.interval.high for c in chance.values()]
assert reach == sorted(reach, reverse=True)
assert 0.8 < chance[8].interval.high < 1.2
assert small.partitions == 6
assert small.p >= 1 / 6

# %% [markdown]
# To be fair to WEAT: it comes with a **permutation test**, which asks in how many of all splits of the protected
# words into two lists the difference is as large. With two words a side there are only six splits, so its p can never
# be below one in six: it would have warned. And with longer lists, chance alone no longer reaches so far:

# %%
chance = {n: bl.association.weat_simulation(sizes=(n, n, 5, 5), ddof=0) for n in (2, 4, 8, 16)}
difference_chart(
    [f"{n} + {n} words" for n in chance],
    [0.0] * len(chance),
    [c.interval.low for c in chance.values()],
    [c.interval.high for c in chance.values()],
    axis="where 95 of 100 effect sizes lie when there is nothing",
)

# %% [markdown]
# So an effect size alone says little: not how many words stand behind it, not how large the difference is, not how
# close it is to its ceiling. Two papers' effect sizes can be compared only if all of that is the same.
#
# ## 3. Full lists (3 minutes)
#
# Now with full lists, those of Manzini et al. (2019): seven words for men and seven for women, and 25 occupations.
# From here on we speak of *distances*, 1 − cosine: **0 is the same direction, 1 is unrelated**.

# %%
distances = bl.association.distances(subject, gender)
full = bl.weat(subject, gender)
print(full.summary().splitlines()[0])

# %% tags=["check"]
assert [len(words) for words in full.lists.groups.values()] == [7, 7]
assert len(full.lists.attribute_words) == 25
assert full.p < 0.01
assert full.effect_size > 1

# %% [markdown]
# Reported the usual way, as an effect size and its p, this reads as certain as it gets: *the words for men stand nearer to
# men's occupations*.

# %% tags=["hidden"]
nearer = Prediction(
    "Of the seven words for men: how many are, on average, nearer to the men's occupations than to the women's?",
    ["all seven", "four to six", "one to three", "none"],
)
nearer

# %% tags=["hidden"]
men_words = full.lists.groups["man"]
each = pd.Series(full.association.mean(axis=0), index=full.words)
count = int((each[list(men_words)] > 0).sum())
low, high = np.quantile(full.association, [0.025, 0.975], axis=0)
nearer.reveal(
    {7: "all seven", 0: "none"}.get(count, "four to six" if count > 3 else "one to three"),
    "Each row is a protected word with its s, the mean over all replicates; the line holds 95 of 100 replicates. All words for women are "
    "nearer to the women's occupations. The words for men stand between the two lists: only “he” is nearer to the men's, by a little, and "
    "“uncle” is nearer to the women's. WEAT says no more than that the two groups differ, and its verdict adds: compared with those of "
    "the other group.",
    difference_chart(
        full.words,
        each,
        low,
        high,
        axis="s: association with men's less women's occupations",
        ends=("nearer to women's", "nearer to men's"),
    ),
)

# %% tags=["check"]
assert count == 1
assert each["he"] > 0.01
assert each["father"] < -0.005
assert each["uncle"] < -0.03
assert each[list(men_words)].abs().max() < 0.08
assert (each.drop(list(men_words)) < -0.03).all()

# %% [markdown]
# The test compares, and the comparison swallows what both groups have in common. Part 7 goes through its steps one by
# one, to see what else is swallowed. But first the controls, which an effect size leaves out.
#
# ## 4. Compared with what? (6 minutes)
#
# Manzini et al. measure with the **MAC**, a mean of means of such distances, where 1 is unrelated. So whatever is below 1
# seems to be an association. Is it?
#
# The paper adds **control words**: *neutral* ones, drawn by chance from a vocabulary, such as *ballpark*, *exports*
# and *rubber*; and *human* ones that say what anybody does, such as *walk*, *breakfast* and *speak*. Take the lists
# on race of Manzini et al., whose stereotypes are such words as *criminal*, *farmer* and *engineer*. In our subject
# their mean distance to the own group is a little below 1.

# %% tags=["hidden"]
neutral = Prediction(
    "How far from the same protected words will the neutral words stand?",
    [
        "at about 1: unrelated",
        "clearly below 1, but farther than the stereotypes",
        "nearer than the stereotypes",
    ],
)
neutral

# %% tags=["hidden"]
by_lists = {
    name: bl.mac(subject, f"manzini-{name}").by_connection
    for name in ("race", "religion", "gender")
}
controlled = pd.DataFrame(by_lists).T.rename(
    columns={
        "associated": "own stereotypes",
        "different": "other groups' stereotypes",
        "human": "human controls",
        "none": "neutral controls",
    }
)
race = by_lists["race"]
place = 2 if race["none"] < race["associated"] else 1 if race["none"] < 0.95 else 0
neutral.reveal(
    neutral.options[place],
    "Mean distances (means of means, as MAC has them). The neutral words of race are nearly at 1. But compare two rows: race's own "
    "stereotypes are as far as religion's neutral words. The same distance can be nearer than neutral words or just as far: "
    "the 1 of geometry is no baseline; only control words are.",
    controlled.round(3),
)

# %% tags=["check"]
assert place == 0
assert 0.94 < race["associated"] < 0.98
assert race["none"] - race["associated"] > 0.02
assert abs(race["associated"] - by_lists["religion"]["none"]) < 0.015
less = -controlled.loc["gender"].sub(controlled.loc["gender", "neutral controls"])
assert less["own stereotypes"] > 0.1
assert less["other groups' stereotypes"] > 0.03

# %% [markdown]
# For race, the own stereotypes are only a little nearer than neutral words; part 6 asks whether that is clear. For
# gender they are far nearer. But the *other* group's are nearer than neutral words, too. MAC has no such column,
# so it would count all of this as bias.
#
# What is it then? Occupations are words about people, and so are *he* and *aunt*; *ballpark* is not. So let us take a
# control that deserves the name: **other occupations**, in no list of stereotypes.

# %%
listed = """author writer editor worker teacher baker painter broker accountant chef pharmacist
farmer driver cook photographer journalist auditor inspector"""
others = listed.split()
ends = ("own stereotypes farther", "own stereotypes nearer")

acts = bl.distance_model(subject, gender)
jobs = bl.distance_model(subject, gender, controls={"human": others})
intervals(
    [
        ("neutral words", acts.contrast("none", "associated")),
        ("what anybody does", acts.contrast("human", "associated")),
        ("other occupations", jobs.contrast("human", "associated")),
        ("the other group's", acts.contrast("different", "associated")),
    ],
    "distance to these, less distance to the own group's stereotypes",
    ends,
)

# %% tags=["check"]
assert not set(others) & {word for words in gender.attributes.values() for word in words}
chain = [acts.contrast("none", "associated"), acts.contrast("human", "associated")]
chain += [jobs.contrast("human", "associated"), acts.contrast("different", "associated")]
assert all(c.interval.low > 0.01 for c in chain)
assert 0.4 < chain[2].mean / chain[0].mean < 0.65
assert chain[2].mean < 0.7 * chain[1].mean
assert jobs.table.counts["human"] == 14 * len(others)

# %% [markdown]
# The better the control, the less is left of the "association": beside other occupations, about half. Here every
# interval excludes 0, so something is left in each row. (The lines are intervals of the *crossed* model; parts 5 and 6
# say what that is. A hollow mark would say that its interval includes 0.)
#
# **A minute with your neighbour:** the last row is the only one that compares stereotypes with stereotypes. Does it
# tell you whether words for men, words for women or both are nearer to their own?
#
# ## 5. Word by word (6 minutes)
#
# The paper proposes: keep every distance, and let a **Bayesian model** say what they support. You give it the
# distances and, as *priors*, what you hold possible beforehand; it returns a *posterior*: every value with how well
# it fits both. We show its mean and the **89 % HPDI**, the shortest interval that holds so much of it. (Why 89? To
# remind everybody that 95 is a habit too.)
#
# Its second model has separate coefficients for each protected word. So we can ask each word for itself: are the
# other group's stereotypes farther from it than its own?

# %% tags=["hidden"]
how_many = Prediction(
    "For how many of the fourteen words will the interval exclude 0?",
    ["three or fewer", "four to nine", "ten or more"],
)
how_many

# %% tags=["hidden"]
separate = bl.distance_model(subject, gender, model="per-word")
axis = "distance to the other group's stereotypes, less distance to the own"


def of_words(model):
    """The contrast of each protected word."""
    mean, around = model.word_contrasts("different", "associated")
    return difference_chart(model.words, mean, *around.T, axis=axis, ends=ends)


def clear(model):
    """Whether the interval of each word excludes 0."""
    _, around = model.word_contrasts("different", "associated")
    return (around > 0).all(axis=1) | (around < 0).all(axis=1)


of_men, of_women = clear(separate)[:7].sum(), clear(separate)[7:].sum()
n_clear = of_men + of_women
how_many.reveal(
    how_many.options[0 if n_clear <= 3 else 1 if n_clear <= 9 else 2],
    f"{n_clear} of 14: {of_women} of the seven words for women, and {of_men} of the seven for men.",
    of_words(separate),
    "By this model the words for women are nearer to women's stereotypes, and those for men stand between the two lists. If each row were "
    "a finding of its own, we would have found a stereotype of women, and hardly any of men.",
)

# %% tags=["check"]
assert of_men <= 1
assert of_women >= 5
mean, _ = separate.word_contrasts("different", "associated")
assert abs(mean[:7].mean()) < 0.03
assert (mean[7:] > 0.03).all()

# %% [markdown]
# But two things are mixed in each row: how near an occupation is to *all* fourteen words, and how much nearer it is to
# those of its own group. The first is *one* finding, repeated fourteen times: on average the women's list is the nearer
# one. It adds to the rows for women, and takes away from the rows for men. Here are the occupations themselves,
# averaged over all fourteen protected words:

# %%
frame = distances.to_frame()
stereotypes = frame[frame.connection.isin(["associated", "different"])]
of_attribute = stereotypes.groupby(["list", "attribute"]).distance.mean().sort_values()
pd.concat([of_attribute.head(4), of_attribute.tail(4)]).round(2).to_frame(
    "mean distance to all fourteen words"
)

# %% tags=["check"]
by_list = of_attribute.groupby("list").mean()
assert by_list["woman stereotype"] < by_list["man stereotype"] - 0.05
assert of_attribute.iloc[-1] - of_attribute.iloc[0] > 0.3
assert [of_attribute.index[0][1], of_attribute.index[-1][1]] == ["maid", "executive"]

# %% [markdown]
# *Maid* is near to everyone, *executive* far from everyone. The spread between occupations is far larger than
# anything that we are looking for.
#
# ## 6. How many data points are these? (6 minutes)
#
# Seven plus seven words, times 25 occupations, are 350 distances. The paper's models treat them as 350 *independent*
# ones. But each occupation **meets every protected word**: whatever is peculiar to *maid* is counted fourteen times.
# It is as if one asked 25 people fourteen questions each, and reported 350 people.
#
# A **crossed model** gives each protected word and each attribute word a level of its own, and takes both as samples:
# others could have been chosen. The same fourteen words:

# %% tags=["after:how_many"]
of_words(acts)

# %% tags=["check"]
assert acts.model == "crossed"
assert clear(acts).sum() >= 8
mean, around = acts.word_contrasts("different", "associated")
assert (mean > 0.01).all()
assert (around[:, 0] < 0.02).sum() >= 5
assert (mean[:7] > 0.03).all()

# %% [markdown] tags=["after:how_many"]
# Now all fourteen words lean to their own group's stereotypes, those for men too: the level of each occupation is taken
# out of every row. Several intervals reach 0 or nearly so, but most exclude it. These rows compare, as WEAT does. They
# do not say that *father* is nearer to men's occupations (it is not, see part 3), but that it is less near to women's
# than the levels of these occupations would let one expect.
#
# Now race: three groups, with the stereotypes of Manzini et al. The paper's first model (*pooled*: one coefficient for
# each kind of connection) and the crossed model, side by side:

# %% tags=["hidden"]
independent = Prediction(
    "What does the paper's pooled model do, which takes all distances as independent, compared with the crossed one?",
    [
        "it is surer: its intervals are narrower",
        "it is less sure: its intervals are wider",
        "about the same",
    ],
)
independent

# %% tags=["hidden"]
on_race = bl.distance_model(subject, "manzini-race")
rows = []
for of, name in (
    ("different", "other groups'"),
    ("human", "human controls"),
    ("none", "neutral words"),
):
    for model in ("pooled", "crossed"):
        found = next(c for c in on_race.beside[model] if (c.of, c.minus) == (of, "associated"))
        rows.append((f"{name}, {model}", found))
    rows.append(("", None))
independent.reveal(
    independent.options[0 if on_race.narrower > 1.1 else 2],
    f"Up to {on_race.narrower:.1f} times narrower here.",
    intervals(rows[:-1], "distance to these, less distance to the own group's stereotypes", ends),
    "The bench says so when the two models answer differently. Its verdict on these lists:",
    " ".join(on_race.verdict()),
)

# %% tags=["check"]
assert on_race.narrower > 1.3
told = {
    m: {c.of: c.excludes_null for c in on_race.beside[m] if c.minus == "associated"}
    for m in ("pooled", "crossed")
}
assert told["pooled"]["none"]
assert not told["crossed"]["none"]
assert next(c for c in on_race.beside["pooled"] if c.of == "none").interval.low > 0.003
assert " ".join(on_race.verdict()).count("The models disagree") == 1

# %% [markdown]
# Are the stereotypes of a race nearer to its words than neutral words are? *Yes* by the paper's model; *it is
# not clear* by the crossed one. The data are the same, and the averages nearly too. What differs is what counts as
# **one** observation.

# %% [markdown]
# ## 7. Throw the data away, step by step (4 minutes)
#
# Now see how one effect size comes about. Go through the steps yourself, in the bench below, with the lists of part 3.
#
# 1. **Every distance**: each mark is one protected word and one attribute word.
# 2. **A mean per word and list.** What has become of the spread?
# 3. **Means of means**: this is the *MAC* of part 4. Which word was it? How many points had each mean?
# 4. **One effect size.** Neither the scale nor the controls are left.
#
# Suppose one single occupation carried the whole result: at which step would you no longer notice? (Exercise 2 asks
# whether one does.)

# %%
bench = AssociationBench(subject, spec="manzini-gender")
bench

# %% tags=["check"]
asked = bl.association.overview(subject, gender)
assert asked.distance_model.table.n == distances.n
assert asked.distance_model.table.n > 1000
assert asked.weat is not None
assert asked.weat.exceed == full.exceed

# %% [markdown]
# ## 8. Before and after debiasing (4 minutes)
#
# **Hard debiasing** (Bolukbasi et al. 2016) finds the direction in which *she* differs from *he*, *mother* from
# *father* and so on, and takes it out of all other words. Then it moves each such pair until both words are equally
# far from everything else.

# %% tags=["hidden"]
moves = Prediction(
    "What happens to the neutral words, such as 'ballpark': where do they stand from the protected words afterwards?",
    ["nearer", "farther", "in some replicates nearer, in some farther"],
)
moves

# %% tags=["hidden"]
debiased = bl.debias(subject, gender)
names = {
    "associated": "own stereotypes",
    "different": "the other group's",
    "human": "human controls",
    "none": "neutral controls",
}
was, now = bl.mac(subject, gender), bl.mac(debiased, gender)
change = {
    name: now.by_connection_by_replicate[key] - was.by_connection_by_replicate[key]
    for key, name in names.items()
}
moved = pd.DataFrame(
    {
        "distance before": [was.by_connection[key] for key in names],
        "after": [now.by_connection[key] for key in names],
        "change": [values.mean() for values in change.values()],
        "replicates in which it is nearer": [
            f"{(v < 0).sum()} of {len(v)}" for v in change.values()
        ],
    },
    index=list(names.values()),
).round(4)
share = (change["neutral controls"] < 0).mean()
after = bl.weat(debiased, gender)
moves.reveal(
    moves.options[0 if share == 1 else 1 if share == 0 else 2],
    moved,
    f"WEAT's effect size was {full.effect_size:.2f}, and is {abs(after.effect_size):.2f} now.",
)

# %% tags=["check"]
assert share == 0
assert abs(change["neutral controls"].mean()) < 0.01
assert abs(after.effect_size) < 1e-6
assert (change["own stereotypes"] > 0).all()
assert (change["the other group's"] < 0).all()

# %% [markdown]
# Three things to notice:
#
# - **The zero is made, not found.** After the pairs were put equally far from everything, WEAT on these pairs *must*
#   be zero: it now measures whether the code works. A measure that was used as the goal is no measure any more; test
#   with words that the debiasing has not seen.
# - **Neutral words moved as well**: the cost of debiasing that one sees only with controls. In the paper's data they
#   came nearer; here they move away, in all replicates, and by very little. *Certain* and *large* are two things.
# - **Own and other stereotypes met in the middle**: the difference of part 4 is gone, the closeness to people's words
#   in general stays.
#
# Choose *debiasing* in the bench of part 7 to see all words before and after.
#
# ## 9. What may be concluded, and questions for discussion (3 minutes)
#
# - **Not one number.** Report the difference in its unit, its interval, the number of words, and the single words.
# - **Nothing without controls.** A distance is near or far only beside another, and the choice of controls is part of
#   the finding.
# - **Count what was sampled.** Words were chosen, and others could have been; models were trained on one sample of
#   texts, and another could have been. An interval should say which of these it is about.
# - **"Not clear" is not "no bias".** It asks for longer lists.
# - **It is this subject and these lists**: small models of one encyclopedia, lists written by people with a
#   stereotype in mind.
#
# Discuss:
#
# 1. A paper reports an effect size of 1.81 with p below one in a thousand. What else do you ask for?
# 2. The model of part 5 finds something else in the words for men than the crossed model of part 6.
#    Does one of them have to be wrong?
# 3. A company debiases its embeddings, measures WEAT again, finds 0, and prints "bias-free". What do you answer?
# 4. Who should write the lists of stereotypes, and what follows if they are written by those who expect to find
#    something?

# %% [markdown]
# ## Exercises
#
# Exercises 1 to 3 need no code: use the bench of part 7, or paper. Below each you can
# check your answer.
#
# ### Exercise 1: with a pencil
#
# Two words for men have s = 0.30 and s = 0.20, two words for women have s = 0.10 and s = 0.00. Compute the effect
# size with ddof 0 and with ddof 1. And what do you get for 0.003, 0.002, 0.001 and 0?

# %% tags=["solution"]
# Your calculation here (or do it on paper):
values = np.array([0.30, 0.20, 0.10, 0.00])
for scale in (1, 0.01):
    v = values * scale
    difference = v[:2].mean() - v[2:].mean()
    sizes = [f"{difference / v.std(ddof=ddof):.2f} (ddof {ddof})" for ddof in (0, 1)]
    print(f"difference {difference:g}: effect size", ", ".join(sizes))

# %% tags=["check"]
assert abs(0.2 / values.std(ddof=0) - 1.789) < 1e-3
assert abs(0.2 / values.std(ddof=1) - 1.549) < 1e-3

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: the effect size with ddof 0?",
    right=1.79,
    digits=2,
    within=1,
    hint="Divide the squares by N.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: the effect size with ddof 1?",
    right=1.55,
    digits=2,
    within=1,
    hint="Divide the squares by N − 1.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: what do the smaller values give?",
    ["smaller effect sizes", "the same effect sizes", "larger effect sizes"],
    right="the same effect sizes",
    hint="Shrink the difference and the spread.",
)

# %% [markdown] tags=["solution"]
# The same effect sizes for a difference a hundredth as large. And the same data give two effect sizes, depending on a
# choice that is rarely reported.

# %% [markdown]
# ### Exercise 2: one word more or less
#
# In the bench of part 7, remove one occupation, look at WEAT's p and at the contrast *different − associated*, put it
# back (undo), and remove another. Which one changes the contrast most? Does a single occupation carry the result?

# %% tags=["solution"]
# Your answer (write it here, after the #; or leave each occupation out in turn):
rows = []
for word in full.lists.attribute_words:
    left = {name: [w for w in words if w != word] for name, words in gender.attributes.items()}
    found = bl.weat(subject, targets=gender.groups, attributes=left, resamples=1)
    model = bl.distance_model(
        subject, gender, attributes=left, attribute_groups=gender.attribute_groups
    )
    gap = model.contrast("different", "associated")
    rows.append(
        (word, found.effect_size, found.exceed, gap.mean, gap.interval.low, gap.interval.high)
    )
left_out = pd.DataFrame(
    rows, columns=["without", "effect size", "splits", "contrast", "low", "high"]
)
left_out = left_out.set_index("without").sort_values("contrast")
pd.concat([left_out.head(3), left_out.tail(3)]).round(3)

# %% tags=["check"]
assert left_out.splits.max() <= 5
assert left_out["effect size"].between(1.5, 1.8).all()
assert left_out.contrast.between(0.055, 0.09).all()
assert left_out.index[0] == "maid"
assert (left_out.low > 0.01).all()

# %% tags=["hidden"]
SelfCheck(
    "Exercise 2: without which occupation is the contrast smallest?",
    ["maid", "soldier", "executive"],
    right="maid",
    hint="Part 5 shows its level.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 2: does a single occupation carry the result?",
    ["yes", "no"],
    right="no",
    hint="Look at the interval each time.",
)

# %% [markdown] tags=["solution"]
# None does. The contrast shrinks most without *maid*, by about an eighth, and its interval excludes 0 whichever word is
# left out. WEAT's p cannot tell you this: the true split is always first or among the first few of all 3,432, so p stays
# about as small as it can be.

# %% [markdown]
# ### Exercise 3: say it right
#
# Which of these sentences do the results support? (a) "In these embeddings words for men are close to men's
# occupations." (b) "Words for men are less close to women's occupations, compared with men's, than words for women are;
# a model that counts the occupations as a sample finds this clear, too." (c) "After debiasing the embeddings are free
# of gender bias."

# %% tags=["hidden"]
SelfCheck(
    "Lesson 2, exercise 3: which sentence is supported?",
    ["(a)", "(b)", "(c)"],
    right="(b)",
    hint="Look for the comparison, and for a zero that was made.",
)

# %% [markdown] tags=["solution"]
# **Only (b).** (a) leaves out the comparison: in part 3 the words for men were no nearer to men's occupations than to
# women's, except *he*, by a little. (c) takes a zero that was made for one that was found, on the very words that were
# moved.

# %% [markdown]
# ### Exercise 4: does 89 % mean 89 %?
#
# Make tables of distances whose truth you know: protected words, attribute words, a level of its own for each, and
# *no* difference between kinds of connection. How often does the 89 % interval of *different − associated* hold the
# true 0, for the pooled and for the crossed model? And of *none − associated*?

# %% tags=["solution"]
# Your code here. Start from a real table, and put made-up distances into it:
# from dataclasses import replace
# replace(distances, distance=made)        # made: shape (1, words, attributes)
# bl.association.compare_models(table, models=["pooled", "crossed"], draws=400)
from dataclasses import replace

rng = np.random.default_rng(1)
repeats, shape = 100, distances.distance.shape[1:]
hits = {(m, of): 0 for m in ("pooled", "crossed") for of in ("different", "none")}
for _ in range(repeats):
    made = 0.7 + rng.normal(0, 0.06, (shape[0], 1)) + rng.normal(0, 0.10, (1, shape[1]))
    made = made + rng.normal(0, 0.07, shape)
    table = replace(distances, distance=made[None])
    for model, fitted in bl.association.compare_models(
        table, models=["pooled", "crossed"], draws=400
    ).items():
        for of in ("different", "none"):
            hits[model, of] += 0 in fitted.contrast(of, "associated").interval
pd.Series(hits).unstack()

# %% tags=["check"]
assert hits["crossed", "none"] > 78
assert hits["pooled", "none"] < 70
assert hits["crossed", "different"] > 78

# %% tags=["hidden"]
SelfCheck(
    "Which model’s interval of none − associated holds the 0 far less often than 89 times in 100?",
    ["the pooled one", "the crossed one", "neither"],
    right="the pooled one",
    hint="Which of them counts few words as many observations?",
)

# %% [markdown] tags=["solution"]
# The crossed model keeps its promise about as often as it says. The pooled one holds the truth of *none − associated*
# far less often than its 89 of 100: the levels of few stereotype words are taken for many observations. For
# *different − associated* it errs the other way here: every occupation is one group's own and the other group's
# *different*, so its level cancels out of the difference, and the pooled model counts it as noise.

# %% [markdown]
# ### Exercise 5: lipstick
#
# Gonen and Goldberg (2019) ask whether debiased words still tell the classes apart. Take the words that leaned most
# before debiasing, and let a classifier learn from some of them which side each was on. Of how many others does it
# name the side after debiasing, and of how many when the labels are shuffled?

# %% tags=["solution"]
# Your code here. Start from:
# bl.association.residual(debiased, words=200, replicates=2)
left = bl.association.residual(debiased, words=200, replicates=2)
left

# %% tags=["check"]
assert left.row("classifier").above_chance
assert 0.8 < left.row("classifier").value < 0.98

# %% tags=["hidden"]
SelfCheck(
    "Of how many words does the classifier name the side after debiasing?",
    ["about half, as by chance", "about two thirds", "nine in ten"],
    right="nine in ten",
    hint="How many directions were taken out, of how many?",
)

# %% [markdown] tags=["solution"]
# About nine in ten, and half of them with shuffled labels: one direction was taken out of very many, and the words stand
# together as before. WEAT on the words that were moved sees nothing of it.

# %% [markdown]
# ### Exercise 6: lists of your own
#
# Choose two groups, a list of stereotypes for each, and controls that deserve the name. Write one sentence with the
# difference in its unit, its interval, and what was *not* asked. Include a positive control: lists about which nobody
# would disagree.

# %% tags=["solution"]
# Your code here. Start from:
# print(bl.distance_model(subject, targets={...}, attributes={...}, attribute_groups={...}, controls={...}).summary())
own = bl.distance_model(
    subject,
    targets={
        "instruments": ["guitar", "trumpet", "violin", "piano"],
        "weapons": ["gun", "rifle", "sword", "pistol"],
    },
    attributes={
        "music": ["song", "music", "band", "orchestra"],
        "war": ["army", "soldier", "battle", "war"],
    },
    attribute_groups={"music": ["instruments"], "war": ["weapons"]},
    controls={"neutral": gender.controls["neutral"]},
)
print(" ".join(own.verdict()))

# %% tags=["check"]
assert own.contrast("different", "associated").excludes_null
assert own.contrast("different", "associated").mean > 0.1

# %% tags=["hidden"]
SelfCheck(
    "How do you know that your lists could have shown something?",
    ["a positive control of the same size shows it", "the interval is narrow", "WEAT’s p is small"],
    right="a positive control of the same size shows it",
    hint="What would tell a blind test from a clear no?",
)

# %% [markdown] tags=["solution"]
# The example is a positive control, and passes: with lists that differ beyond doubt, eight protected words and eight
# attributes are enough for the crossed model. When it says *not clear* about your lists, it is not because it
# never tells anything.

# %% [markdown]
# ## Sources
#
# - Bolukbasi, T., Chang, K.-W., Zou, J., Saligrama, V., and Kalai, A. (2016). Man is to computer programmer as woman
#   is to homemaker? Debiasing word embeddings. arXiv:1607.06520.
# - Caliskan, A., Bryson, J. J., and Narayanan, A. (2017). Semantics derived automatically from language corpora
#   contain human-like biases. *Science* 356, 183–186.
# - Gonen, H., and Goldberg, Y. (2019). Lipstick on a pig. *NAACL-HLT*, 609–614.
# - Manzini, T., Lim, Y. C., Tsvetkov, Y., and Black, A. W. (2019). Black is to criminal as caucasian is to police.
#   arXiv:1904.04047.
# - *A Bayesian method of cosine-based word2vec bias estimation*: its simulation, its controls and its
#   two models.
