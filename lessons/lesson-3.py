# %% [markdown]
# # Lesson 3: what does the classifier imagine when it says "positive"?
#
# A lesson of 45 minutes. A classifier is given a text and says a word about it. Can one turn it around: give it the
# word, and look at what it imagines? And when may one believe what one sees?
#
# **How to use this page.** As in lessons 1 and 2: choose **Run › Run All Cells** now, then read from the top and
# commit a prediction before each result. No experience with code is needed; cells that only prepare
# teaching material are folded. Part 4 of [lesson 1](lesson-1.ipynb) explains word embeddings and cosines.
#
# | part | | minutes |
# |---|---|---|
# | 1 | A judgement, turned around | 5 |
# | 2 | The one thing that the classifier cannot tell you | 5 |
# | 3 | A classifier of film reviews | 6 |
# | 4 | Walkers, and when not to believe them | 8 |
# | 5 | By hand | 6 |
# | 6 | Words | 6 |
# | 7 | Names | 6 |
# | 8 | What may be concluded, and questions for discussion | 3 |
#
# The exercises at the end are for after class.

# %% tags=["hidden"]
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import stats

import biaslab as bl
from biaslab.probes.posterior import agreement
from biaslab_widgets import PosteriorBench
from biaslab_widgets.classroom import Prediction, SelfCheck, difference_chart, histogram_chart

# %% [markdown]
# ## 1. A judgement, turned around (5 minutes)
#
# A machine reads reviews and calls each of them *positive* or *negative*. Say that all it looks at is one number, the
# **warmth** of a review: 0 is lukewarm, +2 is glowing, −2 is icy. Of 100 reviews few are glowing or icy. The table says
# how many there are of each warmth, and how likely the machine is to say *positive*.

# %%
warmth = pd.DataFrame(
    {"reviews, of 100": [5, 25, 40, 25, 5], 'says "positive"': [0.02, 0.10, 0.50, 0.90, 0.98]},
    index=pd.Index([-2, -1, 0, 1, 2], name="warmth"),
)
warmth

# %% [markdown]
# It is surest of glowing reviews: there it says *positive* 98 times in 100. Now somebody in the next room hears it say
# *positive*, and must imagine the review.

# %% tags=["hidden"]
which_warmth = Prediction(
    "The machine has just said 'positive'. Which warmth did the review most likely have?",
    ["+2: of that it is surest", "+1", "0"],
)
which_warmth

# %% tags=["hidden"]
called = warmth["reviews, of 100"] * warmth['says "positive"']
turned = warmth.assign(
    **{"called positive": called, "share of these, %": (100 * called / called.sum()).round(1)}
)
which_warmth.reveal(
    {2: "+2: of that it is surest", 1: "+1", 0: "0"}[int(called.idxmax())],
    "Multiply the two columns: so many reviews of each warmth are called positive. Then divide by their sum.",
    turned,
    "There are so few glowing reviews that they hardly count. Lukewarm ones are called positive nearly as often as warm ones, though "
    "the machine tosses a coin about each of them: there are so many.",
)

# %% tags=["check"]
assert called.idxmax() == 1
assert 0.3 < called[0] / called.sum() < called[1] / called.sum() < 0.5
assert called[2] / called.sum() < 0.15

# %% [markdown]
# This is **Bayes' rule**. What was seen is called the stimulus s:
#
# > p(s | positive) = p(positive | s) × p(s) / p(positive)
#
# - p(positive | s) is what the classifier does: from a stimulus to a word;
# - p(s) is the **prior**: how often there are such stimuli, before the classifier has said anything;
# - p(s | positive), the **posterior**, goes from the word to the stimulus: *what it imagines when it says "positive"*.
#
# Psychology asks people in this way too. Nobody can describe what they take for a happy face; but they can say which of
# two faces looks happier, again and again, and from that their p(face | happy) can be worked out (part 4).
#
# ## 2. The one thing that the classifier cannot tell you (5 minutes)
#
# The multiplication can be done by a simple game, however many numbers a stimulus has. **Draw a stimulus from the
# prior. Ask the classifier. Keep the stimulus if it says *positive*.** What is kept are draws of the posterior, and
# exact ones.
#
# Here is a classifier whose posterior we know, because we made it. Its stimulus is one number, and the prior is the
# bell curve around 0 with a standard deviation of 1.

# %%
toy = bl.observers.classifier(weight=[2.0], bias=-1.0)

rng = np.random.default_rng(seed=1)
s = rng.normal(size=20_000)
says_positive = rng.random(20_000) < 1 / (1 + np.exp(-(2 * s - 1)))
kept = s[says_positive]
print(f"kept {len(kept):,} of {len(s):,}; their mean is {kept.mean():.2f}", end=", ")
print(f"and should be {toy.posterior_mean('positive')[0]:.2f}")

# %%
counts, edges = np.histogram(kept, bins=40)
histogram_chart(
    edges,
    counts,
    axis='stimuli that were called "positive"',
    marks={"known mean": toy.posterior_mean("positive")[0]},
    neutral="mean of the prior",
)

# %% tags=["check"]
assert abs(kept.mean() - toy.posterior_mean()[0]) < 4 * kept.std() / len(kept) ** 0.5
assert abs(len(kept) / len(s) - np.exp(toy.log_evidence())) < 0.02

# %% [markdown]
# Now the *same* classifier, but in a world where stimuli are spread more widely: twice, and four times.

# %% tags=["hidden"]
wider = Prediction(
    "The classifier is not touched; only the prior becomes wider. What happens to what it imagines, on average?",
    [
        "nothing: it is the same classifier",
        "it moves further out, to more extreme stimuli",
        "it moves in, to the middle",
    ],
)
wider

# %% tags=["hidden"]
rows = []
for width in (1, 2, 4):
    drawn = bl.sample_posterior(toy, "positive", prior_width=width, engine="exact", rng=1)
    known = bl.observers.classifier(weight=[2.0], bias=-1.0, covariance=[[width**2]])
    of_s = drawn.diagnostics.of("s_0")
    rows.append(
        {
            "width of the prior": width,
            "imagines, on average": of_s["mean"],
            "± (Monte Carlo, 95 %)": 1.96 * of_s["mcse_mean"],
            "known mean": known.posterior_mean("positive")[0],
        }
    )
widths = pd.DataFrame(rows).set_index("width of the prior").round(3)
means = widths["imagines, on average"]
wider.reveal(
    wider.options[1 if means.is_monotonic_increasing and means[4] > 2 * means[1] else 0],
    widths,
    "A classifier only says which stimuli are more positive than others. What stimuli there are, it does not say: that comes from the prior. "
    "Whoever shows you what a model 'imagines' has chosen a prior, and should say which.",
)

# %% tags=["check"]
assert means.is_monotonic_increasing
assert means[4] > 2 * means[1]
missed = (means - widths["known mean"]).abs() / widths["± (Monte Carlo, 95 %)"]
assert (missed < 2).all()

# %% [markdown]
# ## 3. A classifier of film reviews (6 minutes)
#
# Our subject was trained on 25,000 reviews of films. It gives each word 100 numbers, takes the **average over the words
# of the text**, and from these 100 numbers a small network says how probable *positive* is. So its stimulus s is a point
# with 100 coordinates; a whole review is such a point, and a single word is one too.

# %%
classifier = bl.load("imdb-sentiment")

lukewarm = """{} plays the leading part in this film about a family that moves to a small town. Most of the
scenes are set in one house. The first half is slow, the second half has more to offer, and the ending came sooner
than I had expected. The music is by a composer whom I did not know."""
reviews = bl.posterior.Prior.of_stimuli(classifier)


def far(text):
    """Distance of a text's point from the average review, in standard deviations (Mahalanobis)."""
    return float(np.linalg.norm(reviews.whiten(classifier.stimulus([text]).astype(float))))


texts = {
    "a lukewarm review of some 60 words": lukewarm.format("Somebody"),
    "A moving film, wonderfully played.": "A moving film, wonderfully played.",
    "Two hours of boredom.": "Two hours of boredom.",
    "stone": "stone",
}
pd.DataFrame(
    {
        'p("positive")': {k: f"{classifier.probability([t])[0, 1]:.4f}" for k, t in texts.items()},
        "how far from the average review, SDs": {k: round(far(t)) for k, t in texts.items()},
    }
)

# %% tags=["check"]
p_of = {name: float(classifier.probability([t])[0, 1]) for name, t in texts.items()}
assert p_of["stone"] > 0.99
assert 0.05 < p_of["a lukewarm review of some 60 words"] < 0.5
assert far("stone") > 5 * far(lukewarm)
assert far(texts["Two hours of boredom."]) > 2 * far(lukewarm)
assert reviews.text.endswith("25,000 stimuli")
assert classifier.dim == 100

# %% [markdown]
# It does what it was trained for: on reviews that it had not seen it is right in nearly nine of ten cases, says its
# model card. And it is all but certain that *stone* is positive. Why?
#
# A stone lies far from all reviews. The classifier has never been asked about such a place, and nobody has taught it that
# it may be unsure there. Two priors then:
#
# - **like reviews**: the bell curve, in 100 dimensions, that has the mean and the spread of the 25,000 reviews;
# - **N(0, I)**: each of the 100 numbers from its own bell curve around 0. It is the usual choice when nobody has
#   thought about it, and most likely that of the paper which this lesson follows (it does not say).

# %% tags=["hidden"]
nowhere = Prediction(
    "Stimuli from N(0, I) are points at which no review has ever been. How sure is the classifier of them?",
    [
        "not sure: near half and half",
        "about as sure as of points like reviews",
        "surer than of points like reviews",
    ],
)
nowhere

# %% tags=["hidden"]
import torch

priors = {"like reviews": reviews, "N(0, I)": bl.posterior.Prior.standard(classifier.dim)}
rng = np.random.default_rng(seed=1)
certain = {}
for name, prior in priors.items():
    points = torch.as_tensor(prior.unwhiten(rng.normal(size=(4000, 100))), dtype=torch.float32)
    with torch.no_grad():
        p = classifier.log_probability(points, "positive").exp().numpy()
    away = np.linalg.norm(reviews.whiten(points.numpy().astype(float)), axis=1)
    certain[name] = {
        "surer than 99 in 100, %": round(100 * float((np.maximum(p, 1 - p) > 0.99).mean())),
        'says "positive", %': round(100 * float(p.mean())),
        "how far from the average review, SDs": round(float(np.median(away))),
    }
certain = pd.DataFrame(certain).T
of_points = certain["surer than 99 in 100, %"]
gap = of_points["N(0, I)"] - of_points["like reviews"]
nowhere.reveal(
    nowhere.options[2 if gap > 10 else 1 if gap > -10 else 0],
    certain,
    "The further from what it knows, the surer: this is how most such networks behave. Nothing in its answer warns you that it has never been there.",
)

# %% tags=["check"]
assert of_points["N(0, I)"] > 2 * of_points["like reviews"]
assert certain["how far from the average review, SDs"]["N(0, I)"] > 1000
assert certain['says "positive", %'].between(45, 55).all()
card = classifier.recipe["quality"]["held_out"]
assert 0.85 < card["accuracy"] < 0.9

# %% [markdown]
# So which prior is right? It depends on the question. *What reviews does it imagine?* asks for the first, which is
# biaslab's default. *How does it carve up the whole space?* may take the second. Neither is a fact about the
# classifier.
#
# ## 4. Walkers, and when not to believe them (8 minutes)
#
# The game of part 2 still works here, as this classifier says *positive* of every second stimulus. Of a word that
# it says once in a million times one would wait forever. Then one sends **walkers**.
#
# A walker stands at a stimulus. It is offered another one nearby, and the classifier is asked only, as in lesson 1:
# *which of the two would you rather call positive?* If it chooses the new one, the walker moves there. Then again. In
# the long run the walker is to be found at each stimulus as often as the posterior says: a *Markov chain*. Sanborn,
# Griffiths and Shiffrin (2010) did this with people.
#
# In the *long* run. Two groups of students have each sent four walkers, 100 steps each, under N(0, I). Of nearly 3,300
# words of a lexicon, these lay closest to what their walkers had seen:


# %% tags=["hidden"]
LEXICON = bl.posterior.Lexicon.vader().terms


def closest(result, k=8):
    """The lexicon's words that lie closest to the draws."""
    return [w.term for w in bl.posterior.distances(result, classifier, LEXICON).closest(k)]


group = {
    name: bl.sample_posterior(
        classifier,
        "positive",
        prior="standard",
        engine="choices",
        chains=4,
        draws=100,
        warmup=0,
        rng=seed,
    )
    for name, seed in (("group A", 2), ("group B", 4))
}
pd.DataFrame({name: closest(result) for name, result in group.items()}, index=range(1, 9))

# %% [markdown]
# Group A writes: *"For this machine, positive means winning prizes."* Group B writes: *"Positive means drama: beauty and
# brutality."*

# %% tags=["hidden"]
believe = Prediction("Which group should be believed?", ["A", "B", "both", "neither"])
believe

# %% tags=["hidden"]
four = group["group A"]
each_walker = {
    f"walker {k + 1}": closest(
        replace(
            four,
            draws=four.draws[k : k + 1],
            logit=four.logit[k : k + 1],
            square=four.square[k : k + 1],
        ),
        5,
    )
    for k in range(4)
}
trusted = {name: result.trust for name, result in group.items()}
believe.reveal(
    {(True, False): "A", (False, True): "B", (True, True): "both"}.get(
        tuple(trusted.values()), "neither"
    ),
    "Ask each walker of group A alone. They were sent into the same posterior, and tell four stories:",
    pd.DataFrame(each_walker, index=range(1, 6)),
    "biaslab about group A:",
    " ".join(group["group A"].verdict()),
    "About group B:",
    " ".join(group["group B"].verdict()),
)

# %% tags=["check"]
assert not any(trusted.values())
assert all(result.diagnostics.largest_rhat > 1.3 for result in group.values())
assert all(result.diagnostics.smallest_bulk < 20 for result in group.values())
assert {"award", "winner", "festival"} <= set(closest(group["group A"]))
assert {"beauty", "brutal"} <= set(closest(group["group B"]))
stories = [set(words) for words in each_walker.values()]
assert max(len(a & b) for i, a in enumerate(stories) for b in stories[:i]) <= 2

# %% [markdown]
# A plausible story is no evidence. Two numbers are:
#
# - **R-hat**: how far walkers are spread *between* one another, compared with how far each has come itself. At 1 they
#   cannot be distinguished; of one quantity we want below 1.01. It is computed for each of the 100 coordinates, for how positive the
#   stimulus is (the *logit*), and for how far out it lies (|s|²), since any one of them may lag behind. The largest of so many
#   may be a little larger by chance alone, and biaslab allows for that.
# - **ESS**, effective sample size: a walker's steps resemble each other, so 100 of them are worth far fewer independent
#   draws. We want at least 400.
#
# Now other walkers: they feel the slope under their feet and take long strides (Hamiltonian Monte Carlo). And since we
# can, the game of part 2 as a judge.

# %%
walk = bl.sample_posterior(
    classifier, "positive", prior="standard", chains=32, draws=400, warmup=200, rng=1
)
exact = bl.sample_posterior(
    classifier, "positive", prior="standard", engine="exact", chains=32, draws=500, rng=1
)
print(" ".join(walk.verdict()))
print("Against exact draws:", agreement(walk, exact).sentence())
pd.DataFrame(
    {"32 walkers, long strides": closest(walk), "exact draws": closest(exact)}, index=range(1, 9)
)

# %% tags=["check"]
assert walk.trust
assert exact.trust
assert agreement(walk, exact).agrees
assert {"amazing", "perfect", "fantastic", "wonderfully"} <= set(closest(exact))
assert len(set(closest(walk)) & set(closest(exact))) >= 6
assert not {"award", "festival", "brutal"} & set(closest(exact))

# %% [markdown]
# Neither prizes nor brutality. What R-hat and ESS do **not** say: that the classifier is right, or the prior a good one.
# They say that the walkers agree, and have seen enough.
#
# ## 5. By hand (6 minutes)
#
# Now it is your turn, with the prior that is like reviews (the bench calls it *fitted to its stimuli*).
#
# 1. **Press Run**, and watch the verdict. Which quantity mixes worst, and when does the verdict turn?
# 2. **Search for a word**: *tears*, *stone*, your own first name. Is it where you expected it?
# 3. **Move the prior's width.** What moves, and which words stay closest?
# 4. **Choose the prior N(0, I)**, and run again. What happens to the distances of the closest words?
# 5. Run again, and **stop** as soon as you can: the draws so far are kept. What does the verdict say about them?

# %%
bench = PosteriorBench(classifier, draws=500)
bench

# %% tags=["check"]
run = PosteriorBench(classifier, draws=500).run().result()
assert run.of("positive").trust
assert all(found.agrees for found in run.agreements.values())

# %% [markdown]
# The bench shows the draws in a plane, with words in it. A plane through 100 dimensions must be chosen, and the usual
# choice are the two directions in which the draws differ most, the *principal components* (PCA).

# %% tags=["hidden"]
halves = Prediction(
    "We split the draws from N(0, I) in two halves, and each half chooses its first direction. How well do the two agree?",
    ["very well: there are thousands of draws", "half way", "hardly at all"],
)
halves

# %% tags=["hidden"]
SEEDS = {"positive": 1, "negative": 2}
drawn = {
    name: {
        label: bl.sample_posterior(
            classifier, label, prior=key, engine="exact", chains=32, draws=500, rng=seed
        )
        for label, seed in SEEDS.items()
    }
    for name, key in (("N(0, I)", "standard"), ("like reviews", "stimuli"))
}
planes = {
    (name, title): bl.posterior.plane(both, axes=axes)
    for name, both in drawn.items()
    for title, axes in (("first principal component", "pca"), ("mean difference", "difference"))
}
agree = pd.DataFrame(
    {
        "agreement of two halves (1: the same direction)": {
            key: found.stability[0] for key, found in planes.items()
        },
        "share of the variance, %": {
            key: 100 * found.explained[0] for key, found in planes.items()
        },
    }
).round(2)
first_pc = planes["N(0, I)", "first principal component"].stability[0]
halves.reveal(
    halves.options[0 if first_pc > 0.9 else 1 if first_pc > 0.3 else 2],
    "These draws are as round as a ball. It has no longest direction, and what PCA returns is noise, drawn beautifully. The direction "
    "from the mean of 'negative' to that of 'positive' is sound under both priors; the bench shows that one unless you choose the other, and warns.",
    agree,
)

# %% tags=["check"]
stability = agree.iloc[:, 0]
assert stability["N(0, I)", "first principal component"] < 0.3
assert stability["N(0, I)", "mean difference"] > 0.95
assert stability["like reviews"].min() > 0.95
assert planes["N(0, I)", "first principal component"].warning
assert not planes["like reviews", "first principal component"].warning

# %% [markdown]
# ## 6. Words (6 minutes)
#
# How close is a word to what the classifier imagines? We take the **angle** between the word and each draw, as seen from
# the middle of the prior: 0 is the same direction, 0.5 a right angle, 1 the opposite; and average over all draws.

# %% tags=["hidden"]
nearest = Prediction(
    "Which of these words lies closest to what the classifier calls positive?",
    ["good", "positive", "tragic"],
)
nearest

# %% tags=["hidden"]
lexicon = {
    (name, label): bl.posterior.lexicon(result, classifier)
    for name, both in drawn.items()
    for label, result in both.items()
}
asked = ("wonderful", "tears", "tragic", "good", "stone", "laughable", "positive", "worst")
ranked = {
    name: bl.posterior.distances(
        both["positive"], classifier, [*lexicon[name, "positive"].distances.terms, "stone"]
    )
    for name, both in drawn.items()
}
places = pd.DataFrame(
    {f"distance, {name}": [found.word(w).distance for w in asked] for name, found in ranked.items()}
    | {
        f"rank of {len(found.terms):,}, {name}": [found.word(w).rank for w in asked]
        for name, found in ranked.items()
    },
    index=asked,
).round(3)
of_reviews = ranked["like reviews"]
nearest.reveal(
    min(nearest.options, key=lambda w: of_reviews.word(w).rank),
    places,
    "It has learnt reviews, not meanings. Who writes 'tragic' or 'tears' about a film has often been moved; who writes 'positive' is often about "
    "to say that there is nothing positive in it, or one positive thing. (This is a guess: the draws show what, not why.)",
)

# %% tags=["check"]
for found in ranked.values():
    order = [found.word(w).rank for w in ("tragic", "good", "positive")]
    assert order == sorted(order)
    assert order[0] < 100
    assert order[2] > 3000
spread = {name: np.ptp(found.mean) for name, found in ranked.items()}
assert spread["N(0, I)"] < 0.06
assert spread["like reviews"] > 0.2
assert 3250 < len(of_reviews.terms) <= 3300

# %% [markdown]
# Look at the distances under N(0, I): **all** of them are near a right angle, the closest words too. In 100 dimensions two
# random directions nearly always are. The paper prints such numbers (0.4888 for its closest word): a small difference is
# all that one can expect there, so it must be compared with its error, and with other words.
#
# Over a whole lexicon, do words that people call positive lie closer to the classifier's *positive*? The paper finds a
# correlation of distance and polarity of −0.4.

# %%
pd.DataFrame(
    [
        {
            "prior": name,
            "closest to": label,
            "correlation with polarity": found.point_biserial,
            "95 %, low": found.point_biserial_interval.low,
            "high": found.point_biserial_interval.high,
            "words": found.n,
        }
        for (name, label), found in lexicon.items()
    ]
).round(2)

# %% tags=["check"]
for (_, label), found in lexicon.items():
    sign = 1 if label == "negative" else -1
    assert 0.2 < sign * found.point_biserial < 0.4
    assert 0 not in found.point_biserial_interval

# %% [markdown]
# Under both priors positive words are closer to *positive*, negative ones to *negative*, and the correlation is somewhat
# weaker than the paper's (another classifier, another lexicon). Beyond doubt, and far from 1: the exceptions are
# where the classifier differs from a person who rates words one by one.
#
# ## 7. Names (6 minutes)
#
# Now a question as it is asked of real systems. The *Equity Evaluation Corpus* lists names and phrases for women (*Amanda*,
# *she*, *my sister*) and for men (*Frank*, *he*, *my brother*).

# %% tags=["hidden"]
whose = Prediction(
    "Which names lie closer to what this classifier calls positive?",
    ["those of women", "those of men", "not clear"],
)
whose

# %% tags=["hidden"]
persons = bl.specs.get("eec-persons").groups
both_ways = {
    name: bl.posterior.groups(both["positive"], words=classifier) for name, both in drawn.items()
}
names = both_ways["like reviews"]
frame = names.to_frame().query("term != ''").sort_values("distance")
whose.reveal(
    {"female": "those of women", "male": "those of men", "": "not clear"}[names.closer],
    " ".join(names.verdict()),
    f"In a random split of these names into two groups, a difference as large comes up {100 * names.p:.1f} times in 100 (permutation test). "
    f"Under N(0, I) the same names differ by {both_ways['N(0, I)'].difference:.4f}: this number means nothing without its prior.",
    "The closest and the most distant names:",
    pd.concat([frame.head(5), frame.tail(5)])[["term", "group", "distance"]]
    .round(3)
    .set_index("term"),
)

# %% tags=["check"]
assert names.closer == "male"
assert names.p < 0.05
assert both_ways["N(0, I)"].closer == "male"
assert both_ways["N(0, I)"].p < 0.05
assert names.difference > 4 * both_ways["N(0, I)"].difference
within = frame.groupby("group").distance.agg(np.ptp)
assert within.min() > 3 * names.difference
for held in names.groups:
    apart = np.abs(np.subtract.outer(held.distances, held.distances))
    assert (apart[np.triu_indices(len(apart), 1)] > names.difference).mean() > 0.5

# %% [markdown]
# The headline writes itself. **Four questions before you print it.**
#
# **How large is it?** Most pairs of names of *one* group lie further apart than the two groups do on average. The interval
# is over names: other names could have been on the list.
#
# **One list is not a gender** (lesson 1). The same question with the names only, with the other words of the list only,
# and with fifteen pairs of our own, from *woman / man* to *heroine / hero*:

# %%
OWN = {
    "female": "woman girl actress mother daughter wife sister aunt queen she her hers heroine female lady",
    "male": "man boy actor father son husband brother uncle king he him his hero male gentleman",
}
genders = {g: persons[g] for g in ("female", "male")}
lists = {
    "the whole list": genders,
    "its names": {g: [w for w in words if w[0].isupper()] for g, words in genders.items()},
    "its other words": {g: [w for w in words if w[0].islower()] for g, words in genders.items()},
    "our fifteen pairs": {g: words.split() for g, words in OWN.items()},
}
compared = {
    name: bl.posterior.groups(drawn["like reviews"]["positive"], asked, words=classifier)
    for name, asked in lists.items()
}
difference_chart(
    list(compared),
    [found.difference for found in compared.values()],
    [found.interval.low for found in compared.values()],
    [found.interval.high for found in compared.values()],
    axis="distance of the female words, less distance of the male ones",
    ends=("female closer", "male closer"),
)

# %% [markdown]
# **Who is missing?** Words that the classifier does not know were dropped. Which?

# %%
dropped = [one.term for one in names.dropped]
print(", ".join(dropped))
listed = {race: set(persons[race]) for race in ("African-American", "European")}
print(
    "as the corpus lists them:", {race: len(set(dropped) & held) for race, held in listed.items()}
)

# %% tags=["check"]
assert [found.excludes_null for found in compared.values()] == [True, True, False, False]
assert all(found.difference > 0 for found in compared.values())
assert all(len(words.split()) == 15 for words in OWN.values())
assert not compared["our fifteen pairs"].dropped
assert len(dropped) == 9
assert set(dropped) <= listed["African-American"]
assert not set(dropped) & listed["European"]
women = set(lists["its names"]["female"]) - set(dropped)
assert len(women & listed["European"]) > 3 * len(women & listed["African-American"]) > 0

from importlib.resources import files

bundled = files("biaslab").joinpath("bundled", "imdb-sentiment", "README.md")
assert "each at least 5 times" in bundled.read_text(encoding="utf-8")

# %% [markdown]
# All of them are names that the corpus lists as African-American. The classifier only has words that stand in its reviews
# five times or more, and these do not. So the *names of women* here are mostly names of white women; and what a system does with a
# name that it does not know is a question of its own.
#
# **Does anything follow?** So far we have looked *inside*. What comes out can be measured too: put each name into the
# same text, everything else equal.

# %%
known = {g: [w for w in words if w not in dropped] for g, words in lists["its names"].items()}
rows = []
for text in (lukewarm, "{} plays the leading part in this film."):
    p = {
        g: classifier.probability([text.format(w) for w in words])[:, 1]
        for g, words in known.items()
    }
    test = stats.ttest_ind(p["male"], p["female"], equal_var=False)
    low, high = test.confidence_interval()
    rows.append(
        {
            "words": len(text.split()),
            'p("positive"), women': p["female"].mean(),
            "men": p["male"].mean(),
            "difference": p["male"].mean() - p["female"].mean(),
            "95 % over names, low": low,
            "high": high,
            "men, lowest": p["male"].min(),
            "men, highest": p["male"].max(),
        }
    )
in_texts = pd.DataFrame(rows).set_index("words").round(3)
in_texts

# %% tags=["check"]
long, short = in_texts.iloc[0], in_texts.iloc[1]
assert 0 < long.difference < 0.25 * short.difference
assert long["95 % over names, low"] > 0
assert long["men, highest"] - long["men, lowest"] > 3 * long.difference
assert short["men, highest"] - short["men, lowest"] > 3 * short.difference

# %% [markdown]
# In a whole review a name is one word of many, and little is left of the difference. In a single sentence, a kind of text that
# this classifier was not made for, it is much larger, and known only roughly. In both, one man's name and another's differ far
# more.
#
# So: **a difference of means of names is not yet a bias of a system in use.** It is a reason to look. The names come from reviews
# of films, where a *Frank* is an actor, a director or a part, praised for what he did there.
#
# ## 8. What may be concluded, and questions for discussion (3 minutes)
#
# - **Name the prior.** What a classifier imagines is what it says *and* what stimuli you let there be.
# - **First trust, then read.** R-hat and ESS before any story; where it can be had, an exact sampler beside the walk.
# - **Trusting the draws is not trusting the classifier**: far from its reviews it is sure of everything.
# - **A picture must be earned.** Round draws have no principal directions.
# - **It was trained on reviews of films.** *Tears* are good news there. In a hospital they are not, and the same
#   classifier would say the same.
# - **A metaphor.** It imagines nothing. There is a distribution, and we can draw from it.
#
# Discuss:
#
# 1. A colleague shows ten words that a classifier "associates with *trustworthy*", drawn by walkers. What do you ask, and in
#    which order?
# 2. Which prior would you choose for a classifier of job applications? Who could tell you what stimuli there are?
# 3. The list's verdict is clear of 0, and those of its parts and of our own pairs partly are not. What would you report?
# 4. All the dropped names are of one group. Is the result for the rest still worth reporting? What should have been
#    done before?

# %% [markdown]
# ## Exercises
#
# Exercises 1 to 3 need no code: use paper, or the bench of part 5. Below each you can
# check your answer.
#
# ### Exercise 1: with a pencil
#
# A filter marks 1 of 10 ordinary messages as *spam*, 5 of 10 advertisements and 9 of 10 frauds. Of 100 messages 60 are
# ordinary, 30 advertisements and 10 frauds. What does it imagine when it says *spam*? And in an office that gets 90
# ordinary messages, 9 advertisements and 1 fraud?

# %% tags=["solution"]
# Your calculation here (or do it on paper):
marked = np.array([0.1, 0.5, 0.9])
spam = pd.DataFrame(
    {name: np.array(of) * marked for name, of in (("first", [60, 30, 10]), ("office", [90, 9, 1]))},
    index=["ordinary", "advertisement", "fraud"],
)
(100 * spam / spam.sum()).round(1)

# %% tags=["check"]
assert spam["first"].idxmax() == "advertisement"
assert spam["office"].idxmax() == "ordinary"

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: what does the filter imagine at first?",
    ["an ordinary message", "an advertisement", "a fraud"],
    right="an advertisement",
    hint="Multiply, then divide by the sum.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: and in the office?",
    ["an ordinary message", "an advertisement", "a fraud"],
    right="an ordinary message",
    hint="Multiply, then divide by the sum.",
)

# %% [markdown] tags=["solution"]
# An advertisement in the first case; an ordinary message in the office. The filter is the same, and it is surest of frauds
# in both.

# %% [markdown]
# ### Exercise 2: what the width moves
#
# In the bench of part 5, halve the prior's width, then double it and double it again. Watch the logit's mean, the six closest
# words, and the difference between names. Which of them would you report without naming the width?

# %% tags=["solution"]
# Your answer (write it here, after the #; or let the sampler do it):
rows = []
for width in (0.5, 1, 2, 4):
    result = bl.sample_posterior(
        classifier, "positive", prior_width=width, engine="exact", chains=16, draws=500, rng=1
    )
    rows.append(
        {
            "width": width,
            "mean logit": result.diagnostics.of("logit")["mean"],
            "female less male": bl.posterior.groups(result, words=classifier).difference,
            "closest": ", ".join(closest(result, 4)),
        }
    )
by_width = pd.DataFrame(rows).set_index("width").round(3)
by_width

# %% tags=["check"]
assert by_width["mean logit"].is_monotonic_increasing
assert by_width["mean logit"].iloc[-1] > 4 * by_width["mean logit"].iloc[0]
shared = set.intersection(*(set(words.split(", ")) for words in by_width.closest))
assert len(shared) >= 3
assert by_width["female less male"].between(0.02, 0.04).all()

# %% tags=["hidden"]
SelfCheck(
    "Which of these would you not report without the width?",
    ["the logit’s mean", "the six closest words", "neither needs it"],
    right="the logit’s mean",
    hint="Which of them grows several times over?",
)

# %% [markdown] tags=["solution"]
# How positive the imagined stimuli are depends on the width several times over. The angles do much less, and the order of the
# closest words hardly: they say *which way*, and not *how far*.

# %% [markdown]
# ### Exercise 3: say it right
#
# Which of these sentences do the results support? (a) "When the classifier says *positive*, it thinks of men." (b) "Under
# the prior fitted to reviews, the names on this list that are men's lie at a smaller angle to *positive* than those that are women's, by
# an amount that other lists do not all confirm." (c) "R-hat is below 1.01, so the classifier is biased toward
# men."

# %% tags=["hidden"]
SelfCheck(
    "Lesson 3, exercise 3: which sentence is supported?",
    ["(a)", "(b)", "(c)"],
    right="(b)",
    hint="Trust in the draws is not trust in a conclusion.",
)

# %% [markdown] tags=["solution"]
# **Only (b).** (a) takes the average of a list for a content: the closest words are adjectives of praise, and some women's names
# lie closer than most men's. (c) takes trust in the draws for trust in the conclusion: R-hat says that the walkers agree.

# %% tags=["check"]
of = frame.set_index("term")
assert of.loc["my aunt", "distance"] < of.query("group == 'male'").distance.median()

# %% [markdown]
# ### Exercise 4: does 95 % mean 95 %?
#
# The toy classifier's posterior mean is known. Draw from its posterior 100 times (`rng=0` to `rng=99`, four chains of 100
# draws), and count how often the Monte Carlo interval of the mean holds the truth. What does the interval *not* cover?

# %% tags=["solution"]
# Your code here. Start from:
# result = bl.sample_posterior(toy, "positive", engine="exact", chains=4, draws=100, rng=0)
# result.to_frame().set_index("quantity").loc["s_0"]
truth = toy.posterior_mean("positive")[0]
hits = 0
for seed in range(100):
    result = bl.sample_posterior(toy, "positive", engine="exact", chains=4, draws=100, rng=seed)
    row = result.to_frame().set_index("quantity").loc["s_0"]
    hits += bool(row.monte_carlo_low <= truth <= row.monte_carlo_high)
hits

# %% tags=["check"]
assert 89 <= hits <= 100

# %% tags=["hidden"]
SelfCheck(
    "Of 100 Monte Carlo intervals: how many hold the truth?",
    ["about 50", "about 80", "about 95"],
    right="about 95",
    hint="What do they promise?",
)

# %% [markdown] tags=["solution"]
# About 95 times in 100. The interval says how exactly *these draws* tell the posterior's mean. It does not cover another prior, another
# training of the classifier, or other names.

# %% [markdown]
# ### Exercise 5: somebody who always knows best
#
# The walkers of part 4 need a subject that chooses *by chance*: the likelier stimulus more often, not always. Make the toy
# classifier a black box that only chooses, once so and once in a decided way, and draw from both. What does the decided one
# return, and what has it to do with *the best* stimulus?

# %% tags=["solution"]
# Your code here. Start from:
# def p(points): return 1 / (1 + np.exp(-(2 * points[:, 0] - 1)))
# def decided(points, proposals): return p(proposals) > p(points)
# box = bl.posterior.Chooser(decided, dim=1)
# bl.sample_posterior(box, "positive", prior="standard", draws=2000)
dice = np.random.default_rng(1)


def p(points):
    """The toy's probability of 'positive'."""
    return 1 / (1 + np.exp(-(2 * points[:, 0] - 1)))


def by_chance(points, proposals):
    """Choose each of two in proportion to its probability."""
    return dice.random(len(points)) < p(proposals) / (p(points) + p(proposals))


def decided(points, proposals):
    """Always choose the likelier one."""
    return p(proposals) > p(points)


boxes = {
    way.__name__: bl.sample_posterior(
        bl.posterior.Chooser(way, dim=1), "positive", prior="standard", draws=2000
    )
    for way in (by_chance, decided)
}
print(f"known mean: {truth:.2f}")
for name, result in boxes.items():
    print(f"{name}: mean {result.points.mean():.2f}, to be trusted: {result.trust}")

# %% tags=["check"]
assert abs(boxes["by_chance"].points.mean() - truth) < 0.1
assert boxes["by_chance"].trust
assert boxes["decided"].points.mean() > 3 * truth
assert not boxes["decided"].trust

# %% tags=["hidden"]
SelfCheck(
    "What does the decided subject return?",
    ["a typical stimulus", "the most extreme stimulus that was offered", "a random stimulus"],
    right="the most extreme stimulus that was offered",
    hint="It moves only upward.",
)

# %% [markdown] tags=["solution"]
# By chance, the walk finds the posterior without having seen one probability. The decided subject climbs: it moves only upward, as far
# as proposals reach, and stays. That is the *most extreme* stimulus anybody offered, not a typical one: two questions that
# are often mixed up when people show "what a network sees".

# %% [markdown]
# ### Exercise 6: lists of your own
#
# Choose two lists of words and compare their distances to *positive*. Write one sentence with the difference, its interval, over
# what it is, and what was *not* asked. Include a positive control, and look at what was dropped.

# %% tags=["solution"]
# Your code here. Start from:
# posterior = drawn["like reviews"]["positive"]
# print(bl.posterior.groups(posterior, {"one": [...], "two": [...]}, words=classifier).summary())
posterior = drawn["like reviews"]["positive"]
control = bl.posterior.groups(
    posterior,
    {
        "praise": ["superb", "moving", "delightful", "masterpiece", "brilliant"],
        "blame": ["dull", "awful", "tedious", "mess", "pointless"],
    },
    words=classifier,
)
towns = bl.posterior.groups(
    posterior,
    {
        "north": ["london", "berlin", "stockholm", "moscow", "toronto"],
        "south": ["madrid", "rome", "athens", "cairo", "sydney"],
    },
    words=classifier,
)
for found in (control, towns):
    print(" ".join(found.verdict()))

# %% tags=["check"]
assert control.closer == "praise"
assert not towns.excludes_null

# %% tags=["hidden"]
SelfCheck(
    "Your lists show no clear difference. What follows?",
    ["the two do not differ", "these words do not show a difference", "the classifier is fair"],
    right="these words do not show a difference",
    hint="“Not clear” is not “nothing there”.",
)

# %% [markdown] tags=["solution"]
# The positive control passes with five words a side. For the towns nothing is clear, which is not the same as that there is
# nothing.

# %% [markdown]
# ## Sources
#
# - Hutto, C. J., and Gilbert, E. (2014). VADER: a parsimonious rule-based model for sentiment analysis of social media text.
#   *ICWSM*. Its lexicon is used in part 6.
# - Kiritchenko, S., and Mohammad, S. M. (2018). Examining gender and race bias in two hundred sentiment analysis systems.
#   *\*SEM*, 43–53. The names of part 7.
# - Liang, L., and Acuna, D. E. (2020). Artificial mental phenomena: psychophysics as a framework to detect perception biases
#   in AI models. *FAT\* '20*. The paper that this lesson follows: its section 3.2, section 4.3 and section 5.2.
# - Maas, A. L., Daly, R. E., Pham, P. T., Huang, D., Ng, A. Y., and Potts, C. (2011). Learning word vectors for sentiment
#   analysis. *ACL-HLT*, 142–150. The reviews.
# - Sanborn, A. N., Griffiths, T. L., and Shiffrin, R. M. (2010). Uncovering mental representations with Markov chain Monte
#   Carlo. *Cognitive Psychology* 60, 63–106.
# - Vehtari, A., Gelman, A., Simpson, D., Carpenter, B., and Bürkner, P.-C. (2021). Rank-normalization, folding, and
#   localization: an improved R-hat. *Bayesian Analysis* 16, 667–718.
