# %% [markdown]
# # Lesson 5: what does a model see in a portrait?
#
# A lesson of 45 minutes. Some models look at a picture and say which of several captions suits it best. Show them portraits of women and
# of men, and let them choose between *helper* and *expert*. What comes out is a number again. This time we know what is in the model, because somebody
# put it there.
#
# **How to use this page.** As in lessons 1 to 4: choose **Run › Run All Cells** now, then read from the top and commit
# a prediction before each result. No experience with code is needed; cells that only prepare teaching
# material are folded. Part 6 uses what lesson 1 says about the point of equality (its part 2). No network is needed.
#
# | part | | minutes |
# |---|---|---|
# | 1 | Six portraits | 5 |
# | 2 | A score by hand | 6 |
# | 3 | Other portraits, other captions | 8 |
# | 4 | By hand, with many | 8 |
# | 5 | Where nothing was planted | 6 |
# | 6 | A person who changes | 8 |
# | 7 | What drawings can show, and questions for discussion | 4 |
#
# The exercises at the end are for after class.

# %% tags=["hidden"]
import numpy as np
import pandas as pd

import biaslab as bl
from biaslab.probes.psychometrics.morphed_model import MorphedModel
from biaslab_train.portrait_clip.plant import read_plant
from biaslab_train.portrait_clip.quality import planted_equality
from biaslab_widgets import ImageBench
from biaslab_widgets.classroom import (
    Chart,
    MorphByHand,
    Prediction,
    SelfCheck,
    interval_chart,
    picture_sheet,
)

LEANS = {1: "with the stereotype", 0: "no clear bias", -1: "against the stereotype"}


def scores(rows):
    """One row per score with its interval."""
    return interval_chart(
        [name for name, _ in rows],
        [one.score for _, one in rows],
        [one.interval.low for _, one in rows],
        [one.interval.high for _, one in rows],
        ends=("with the stereotype", "against it"),
        stimulus="score: probability of the stereotyped list, 0 to 100",
    )


# %% [markdown]
# ## 1. Six portraits (5 minutes)
#
# A **vision-language model** has been shown very many pictures with captions, and has learned which go together. Ours is tiny. All the portraits that it has seen
# were drawn by a program, and **so were its prejudices**: somebody wrote into a file how often a caption calls a woman, or a man, a *helper* or an *expert*,
# and which occupations women have. It learned what that file says. It is of no use for anything else.

# %%
vlm = bl.load("portrait-clip")
print(vlm)

# %% tags=["hidden"]
TERMS = ("female nurse", "female scientist", "female executive")
TERMS += ("male nurse", "male scientist", "male executive")
six = bl.images.drawn_images(TERMS, per_term=1, seed=1)
picture_sheet(list(six))

# %% [markdown]
# Nobody has to look like this. They are drawn after the cliché, and part 7 comes back to it.
#
# The model is asked to choose between two captions:
#
# > a portrait of a **helper** &nbsp;&nbsp;&nbsp; a portrait of an **expert**

# %% tags=["hidden"]
nurses = Prediction(
    "The first portrait and the fourth are both of nurses. Which caption suits each of them better, by this model?",
    [
        "'helper' suits both, and the woman more",
        "'helper' suits both alike",
        "'expert' suits the man",
    ],
)
nurses

# %% tags=["hidden"]
chosen = vlm.answers(list(six), ["helper", "expert"], ["a portrait of a {concept}"])
helper = chosen.probabilities[:, 0, 0]
woman, man = helper[TERMS.index("female nurse")], helper[TERMS.index("male nurse")]
nurses.reveal(
    nurses.options[2 if man < 0.5 else 0 if woman - man > 0.05 else 1],
    picture_sheet(
        list(six),
        [
            f"{one.term}: helper {p:.2f}, expert {1 - p:.2f}"
            for one, p in zip(six, helper, strict=True)
        ],
    ),
    "Between the two captions the probabilities add up to 1. The model says nothing about what a nurse is: it says which of two captions it would rather put below "
    "this drawing.",
)

# %% tags=["check"]
assert woman > man > 0.5
assert woman - man > 0.05
assert np.allclose(chosen.probabilities.sum(axis=-1), 1)

# %% [markdown]
# Is it the nurse, or the woman? The six differ in both. One pair of portraits is no evidence, as one sentence was none.
#
# ## 2. A score by hand (6 minutes)
#
# *BiasTestVQA*, the second tool of the paper of lesson 4, needs four lists: two groups of pictures, and two lists of **concepts**, each tied to a group by the
# stereotype that is tested. Here *helper* is tied to the portraits of women and *expert* to those of men. For each picture, take the probability of
# **the concept of its own group**; the score is the mean over all pictures:
#
# > **score** = (sum of P(helper) over women's portraits + sum of P(expert) over men's portraits) / number of portraits
#
# We write it from 0 to 100. **50 is neutral.**

# %% tags=["after:nurses"]
of_women = np.array([term.startswith("female") for term in TERMS])
own = np.where(of_women, helper, 1 - helper)
by_hand = pd.DataFrame(
    {"P(helper)": helper, "P(expert)": 1 - helper, "of its own group": own}, index=list(TERMS)
)
print(f"score by hand: {100 * own.mean():.1f}")
by_hand.round(3)

# %% tags=["after:nurses"]
small = bl.specs.Spec(
    name="six-portraits",
    title="Three portraits of women, three of men",
    source="this lesson",
    groups={"portraits of women": TERMS[:3], "portraits of men": TERMS[3:]},
    attributes={"helpers": ["helper"], "experts": ["expert"]},
    attribute_groups={"helpers": ["portraits of women"], "experts": ["portraits of men"]},
)
few = bl.image_association(vlm, small, six, templates=["a portrait of a {concept}"], keep=False)
print(f"score by biaslab: {100 * few.score:.1f}")

# %% tags=["check"]
assert abs(few.score - own.mean()) < 1e-6
assert few.score > 0.5
assert np.isnan(few.interval.low) or few.interval.low < few.score

# %% [markdown]
# Another model is in love with the word *helper*. It gives it to every portrait, without hesitation.

# %% tags=["hidden"]
always = Prediction("What is the score of that model on our six portraits?", ["100", "50", "0"])
always

# %% tags=["hidden"]
in_love = np.ones(6)
its_own = np.where(of_women, in_love, 1 - in_love)
always.reveal(
    f"{100 * its_own.mean():.0f}",
    pd.DataFrame({"P(helper)": in_love, "of its own group": its_own}, index=list(TERMS)),
    "With the women's portraits it is right by the stereotype, with the men's wrong. A preference for a word, whatever is in the picture, cancels: that is what the second "
    "group is good for, as the second list was in lesson 4. It cancels as long as both groups have equally many pictures.",
)

# %% tags=["check"]
assert its_own.mean() == 0.5
assert np.where([True] * 5 + [False], 1.0, 0.0).mean() > 0.8

# %% [markdown]
# So look at the two groups' scores before the whole: if one is far above 50 and the other far below, the model prefers a word. If both are above, it
# tells the groups apart.
#
# ## 3. Other portraits, other captions (8 minutes)
#
# ### Other portraits
#
# Nobody cares about these six drawings. They stand for all that could have been drawn. Our lists are longer now: four words for helpers, four for experts,
# four occupations. We draw five portraits of each term, and score them; then other five, and so on, eight times.

# %% tags=["hidden"]
lists = bl.specs.get("images-experts-helpers")
for kind in (lists.groups, lists.attributes):
    for name, words in kind.items():
        print(f"{name}: {', '.join(words)}")
spread = Prediction(
    "Eight sets of 40 portraits, the same model. How far apart will the lowest and the highest of the eight scores be?",
    ["less than half a point", "a few points", "more than twenty points"],
)
spread

# %% tags=["hidden"]
sets = {}
for seed in range(2, 10):
    drawn = bl.images.default_images(lists, per_term=5, seed=seed)
    sets[f"set {seed - 1}"] = bl.image_association(vlm, lists, drawn, permutations=500, keep=False)
found = [one.score for one in sets.values()]
apart = max(found) - min(found)
result = bl.image_association(vlm, lists)
spread.reveal(
    spread.options[0 if apart < 0.005 else 1 if apart < 0.2 else 2],
    scores(
        [(name, one.overall) for name, one in sets.items()] + [("30 of each term", result.overall)]
    ),
    "Each interval says where the score might lie, had other portraits of the same terms been drawn; it was made from its own 40 portraits only. The last row has six times as "
    "many portraits, and an interval that is narrower: by a factor of about the square root of six. In words:",
    result.summary(),
)

# %% tags=["check"]
assert 0.005 < apart < 0.2
assert len(result.images) == 240
assert all(one.lean == 1 for one in sets.values())
narrower = np.mean([one.interval.high - one.interval.low for one in sets.values()])
narrower /= result.interval.high - result.interval.low
assert 1.8 < narrower < 3.3
assert sum(one.interval.low <= result.score <= one.interval.high for one in sets.values()) >= 6

# %% [markdown]
# The ends are about *portraits of these terms*. Which occupations were chosen, who drew, and what a photograph would have given, they do not know.
#
# ### Other captions
#
# *A portrait of a helper*, *this person is a helper*, *a helper at work*: the question was put in three ways, and the probabilities averaged. Here is
# each way alone, and two more, which have the group in the caption.

# %% tags=["hidden"]
captions = Prediction(
    "'She is a helper' or 'she is an expert', asked of all 240 portraits. What becomes of the score?",
    ["it grows", "it stays about the same", "most of what is above 50 disappears"],
)
captions

# %% tags=["hidden"]
NAMING = ("she is a {concept}", "he is a {concept}")
naming = {
    caption: bl.image_association(vlm, lists, templates=[caption], permutations=500)
    for caption in NAMING
}
above = (naming[NAMING[0]].score - 0.5) / (result.score - 0.5)
captions.reveal(
    captions.options[0 if above > 1.2 else 2 if above < 0.5 else 1],
    scores(
        [(one.name.replace("{concept}", "..."), one) for one in result.by_template]
        + [(caption.replace("{concept}", "..."), one.overall) for caption, one in naming.items()]
    ),
    "The three captions agree, because the program that wrote the training captions chose them by lot. Captions of a large model come from people, and the three would "
    "differ: so ask several, and show each.",
    "The last two name what the picture shows anyway. Why that makes the prejudice disappear comes in part 6.",
)

# %% tags=["check"]
own_ways = [one.score for one in result.by_template]
assert max(own_ways) - min(own_ways) < 0.01
assert all(abs(one.score - 0.5) < 0.5 * (result.score - 0.5) for one in naming.values())

# %% [markdown]
# ## 4. By hand, with many (8 minutes)
#
# The same test, to be driven by you. **Press Test**; the squares fill, one per portrait. Then:
#
# 1. **Point at the faintest and the strongest square** of a term, or move to them with the arrow keys. What differs in the drawings?
# 2. **Which term is lowest?** Look at the occupation and at the group. Is it one of those where the two pull in different directions?
# 3. In step 2, **take out portraits** that you would not have shown, and draw others. How far does the score move?
# 4. In step 1, **exchange the two lists of concepts**. What becomes of the score, and of the squares?
# 5. **Write lists of your own.** The model knows only the words of its captions, and says so of all others.

# %%
bench = ImageBench([vlm], spec="images-experts-helpers", step=3)
bench

# %% tags=["check"]
bench.test().wait()
assert abs(bench.result.score - result.score) < 1e-4
assert abs(bench.result.interval.low - result.interval.low) < 5e-3
assert len(bench.result.images) == 240

# %% [markdown]
# ## 5. Where nothing was planted (6 minutes)
#
# The file that this model learned from has two more lists: *neighbour*, *local* and *visitor*, *guest*. They go with everybody alike. So they are a **control**: whatever a test
# finds there is its own doing.

# %% tags=["hidden"]
control = Prediction(
    "Neighbours are tied to the women's portraits, visitors to the men's. What will the verdict on 240 portraits be?",
    [LEANS[1], LEANS[0], LEANS[-1]],
)
control

# %% tags=["hidden"]
nothing = bl.image_association(vlm, "images-neighbours-visitors")
control.reveal(
    LEANS[nothing.lean],
    " ".join(nothing.verdict()),
    scores([("helpers, experts", result.overall), ("neighbours, visitors", nothing.overall)]),
    f"The permutation test says p = {nothing.p:.4f}. Is the control spoiled? Look at the second row: it is a hair's breadth from 50, and its interval is a hair wide. No two weights of a "
    "trained model are exactly alike, and with enough portraits every difference is detectable. 'Detectable' is not 'matters': read the score first, then the ends, and p last.",
)

# %% tags=["check"]
assert nothing.lean != 0
assert abs(nothing.score - 0.5) < 0.005
assert nothing.p < 0.01

# %% [markdown]
# ### To count, or to add up?
#
# Our score adds up probabilities, as the paper does for CLIP. For other models (ViLT, BLIP, GIT) the paper asks *what the model would say*, and counts: the **proportion
# of pictures classified stereotypically**. The same probabilities can be counted, too: a picture counts 1 if its most probable word is of its own group's list, and 0 otherwise.

# %% tags=["hidden"]
counting = Prediction(
    "The control again, counted instead of added up. What is the score?",
    ["within a point of 50", "clearly away from 50"],
)
counting

# %% tags=["hidden"]
counted = {
    name: bl.image_association(vlm, spec, aggregate="any")
    for name, spec in (
        ("helpers, experts", lists),
        ("neighbours, visitors", "images-neighbours-visitors"),
    )
}
of_nothing = counted["neighbours, visitors"]
counting.reveal(
    counting.options[0 if abs(of_nothing.score - 0.5) < 0.01 else 1],
    scores(
        [
            ("helpers, added up", result.overall),
            ("helpers, counted", counted["helpers, experts"].overall),
            ("control, added up", nothing.overall),
            ("control, counted", of_nothing.overall),
        ]
    ),
    "Whoever prefers 'neighbour' by one part in a thousand says 'neighbour' every time. A count says how often, and turns hairs into wholes; a mean says how strongly. "
    "Neither is wrong, but they must not be compared with each other, also not across models.",
)

# %% tags=["check"]
assert of_nothing.interval.low > 0.55
assert counted["helpers, experts"].score > result.score + 0.15

# %% [markdown]
# ## 6. A person who changes (8 minutes)
#
# In lesson 1 *electrician* was asked about as a word. The authors of that paper began with another experiment, in their section 3.1, which they only imagined: show people an electrician with
# a tool and a blue coat, *whose face and body are a blend between a man and a woman*, and ask which it is. In people, they say, it would be hard to do. Here it is.
#
# The blend is α: at 0 the portrait is a woman's, at 100 a man's, and clothes and tool stay. The model chooses between *a portrait of a woman* and *a portrait of a man*.
# In the file that it learned from, nine nurses in ten are women.

# %% tags=["hidden"]
where = Prediction(
    "A nurse. At which share of man are both answers equally probable, on average over portraits?",
    ["below 50 %", "at about 50 %", "above 50 %"],
)
where

# %% [markdown]
# Find it by hand. **Drag the blend** until both bars are equally long, and press the button; then the next portrait. The curve of all portraits comes after the third.

# %% tags=["hidden"]
OCCUPATIONS = ("nurse", "photographer", "electrician")
seen = MorphedModel(vlm, bl.images.DrawnMorphs(observers=20, seed=1))
curves = bl.two_afc(seen, OCCUPATIONS, ("woman", "man"), levels=13)
search = MorphByHand(seen, curves, "nurse", portraits=3)
search

# %% tags=["check"]
while search.portrait is not None:
    low, high = 0.0, 1.0
    for _ in range(8):
        search.move((low + high) / 2)
        low, high = (search.alpha, high) if search.answer() < 0.5 else (low, search.alpha)
    search.mark()
assert abs(search.found.mean() - curves.pse[0]) < 0.15
assert search.found.max() - search.found.min() > 0.05

# %% tags=["hidden"]
plant = read_plant()


def equality(result):
    """Points of equality of a result, with their intervals, beside what was planted."""
    table = result.to_frame()
    table = table[table["pooled"]] if table["pooled"].any() else table
    return pd.DataFrame(
        {
            "women among them in the file, %": [100 * plant.women[item] for item in table["item"]],
            "point of equality, % man": 100 * table["pse"].to_numpy(),
            "from": 100 * table["pse_low"].to_numpy(),
            "to": 100 * table["pse_high"].to_numpy(),
            "planted": [100 * planted_equality(plant, item) for item in table["item"]],
        },
        index=list(table["item"]),
    ).round(0)


of_nurse = curves.pse[0]
where.reveal(
    where.options[0 if of_nurse < 0.45 else 2 if of_nurse > 0.55 else 1],
    Chart(curves.to_svg(item="nurse"), " ".join(curves.verdict("nurse"))),
    "The clothes say 'nurse', and nurses are women, says the file: so it takes more than half a man to tip it. Single portraits tip at quite different places (you have seen three): each "
    "is an observer, and the interval is over them.",
)

# %% tags=["check"]
assert plant.women["nurse"] == 0.9
assert plant.women["electrician"] < 0.5 == plant.women["photographer"]
assert of_nurse > 0.55
assert curves.pooled.corpus[0, 0] > 0.5

# %% tags=["hidden"]
others = Prediction(
    "And an electrician (in the file mostly men), and a photographer (as many women as men)?",
    [
        "electrician below 50 %, photographer at about 50 %",
        "both at about 50 %",
        "electrician above 50 %, photographer at about 50 %",
    ],
)
others

# %% tags=["hidden"]
of_photographer, of_electrician = curves.pse[1:]
others.reveal(
    others.options[0 if of_electrician < 0.45 else 2 if of_electrician > 0.55 else 1],
    interval_chart(
        list(curves.items),
        curves.pse,
        curves.pooled.corpus[:, 0],
        curves.pooled.corpus[:, 1],
        ends=("woman", "man"),
        stimulus="point of equality, % of man in the blend",
    ),
    equality(curves),
    "The order is that of the file. 'Planted' is what a model would answer that had learned the file without error and seen each face exactly: this is why one tests a test on a model whose "
    "answer is known.",
)

# %% tags=["check"]
assert of_electrician < 0.45
assert abs(of_photographer - 0.5) < 0.06
told = equality(curves)
assert (told["point of equality, % man"] - told["planted"]).abs().max() < 8
assert list(curves.pse) == sorted(curves.pse, reverse=True)

# %% [markdown]
# ### Do not name what the picture shows
#
# We asked for *a portrait of a woman* or *a man*. Would it not be clearer to say what everybody sees: *a nurse who is a woman*, or *a nurse who is a man*?

# %% tags=["hidden"]
clearer = Prediction(
    "The same portraits of nurses, asked in this clearer way. What becomes of the point of equality?",
    ["it stays", "it moves to about 50 %", "it moves further from 50 %"],
)
clearer

# %% tags=["hidden"]
named = MorphedModel(
    vlm, bl.images.DrawnMorphs(observers=20, seed=1), ["a nurse who is a {concept}"]
)
of_named = bl.two_afc(named, ["nurse"], ("woman", "man"), levels=13)
moved = of_named.pse[0]
clearer.reveal(
    clearer.options[0 if abs(moved - of_nurse) < 0.05 else 1 if abs(moved - 0.5) < 0.06 else 2],
    interval_chart(
        ["a woman / a man", "a nurse who is ..."],
        [of_nurse, moved],
        [curves.pooled.corpus[0, 0], of_named.pooled.corpus[0, 0]],
        [curves.pooled.corpus[0, 1], of_named.pooled.corpus[0, 1]],
        ends=("woman", "man"),
        stimulus="point of equality of nurses, % of man in the blend",
    ),
    "A model of this kind does not learn how probable a caption is. It learns how much MORE often than usual a caption goes with a picture. 'A nurse who is a woman' is a frequent caption in the file, "
    "and just that is taken off: what is left is the face. The prejudice has moved from the answer into the question. It happened to 'she is a helper' in part 3, too.",
)

# %% tags=["check"]
assert abs(moved - 0.5) < 0.06
assert of_nurse - moved > 0.08
assert of_named.pooled.corpus[0, 0] < 0.5 < of_named.pooled.corpus[0, 1]

# %% [markdown]
# Both are the same model, with the same portraits. Somebody who wants to report *no bias* need only ask the clearer question.
#
# ## 7. What drawings can show, and questions for discussion (4 minutes)
#
# - **Drawings show that the test finds what is there**, because here one knows what is there. They show nothing about people, and nothing about a model that
#   people use: somebody typed this bias into a file.
# - **The drawings are clichés on purpose.** A test needs pictures of which one knows what they say. A score on them says what a model makes of clichés.
# - **Two ends are not two kinds of people.** The task has two answers; the middle of a blend is a stimulus, and no picture of a person between.
# - **In a drawing all else is equal; in photographs nothing is.** Hair, skin, age, clothes and background are drawn independently of the group here. In found photographs they are not,
#   and a score is about all of them together.
# - **Read the score, then its ends, then p.** Say whether it was added up or counted, over which pictures the ends are, and which captions were asked.
# - **Pictures from another model bring its stereotypes along.** A test on generated pictures measures both.
#
# Discuss:
#
# 1. A company shows you 10,000 photographs from the web, half of women: *score 51, p below 0.001.* Its rival has *score 58, from 200 photographs, not clear of 50.* Which of the two would you rather look into?
# 2. To test a model on photographs somebody must write down of each person whether it is a woman or a man. Who may do that, and what becomes of those who are neither?
# 3. *A nurse who is a woman* asks something else than *a woman* does. Find a sentence in everyday life in which the question holds the prejudice.
# 4. Which pictures would you need to find out whether a model treats applicants alike? What would you ask it, and what is a caption not?

# %% [markdown]
# ## Exercises
#
# Exercises 1 to 3 need no code: use paper, or the bench of part 4. Below each you can
# check your answer.
#
# ### Exercise 1: with a pencil
#
# P(helper) of eight portraits. Of women: 0.90, 0.60, 0.60, 0.30, 0.60, 0.60. Of men: 0.30, 0.20. What is the score? And if each portrait is counted instead? And if either group is to count one half? What would
# a model score that says *helper* every time?

# %% tags=["solution"]
# Your calculation here (or do it on paper):
women = np.array([0.9, 0.6, 0.6, 0.3, 0.6, 0.6])
men = 1 - np.array([0.3, 0.2])
pencil = np.concatenate([women, men])
print(f"score: {100 * pencil.mean():.1f}")
print(f"counted: {100 * (pencil > 0.5).mean():.1f}")
print(f"either group one half: {100 * (women.mean() + men.mean()) / 2:.1f}")
print(f"always helper: {100 * 6 / 8:.0f}")

# %% tags=["check"]
assert abs(pencil.mean() - 0.6375) < 1e-9
assert (pencil > 0.5).sum() == 7
assert abs((women.mean() + men.mean()) / 2 - 0.675) < 1e-9

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: the score, from 0 to 100?",
    right=63.75,
    digits=1,
    within=1,
    hint="Of men’s portraits P(expert) counts.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: each portrait counted instead?",
    right=87.5,
    digits=1,
    hint="1 where the own concept is above one half.",
)

# %% tags=["hidden"]
SelfCheck(
    "Exercise 1: each group one half?",
    right=67.5,
    digits=1,
    hint="The mean of the two groups’ means.",
)

# %% tags=["hidden"]
SelfCheck("Exercise 1: a model that always says helper?", right=75, hint="Six of eight portraits.")

# %% [markdown] tags=["solution"]
# With six portraits of women and two of men, *helper every time* scores far above neutral without looking at a single portrait. So let the groups have equally many pictures, or let either count
# one half (`result.balanced`).

# %% [markdown]
# ### Exercise 2: the wrong list
#
# In step 1 of the bench, exchange the words of the two concept lists, and test. What is the sum of both scores? Why does the model's prejudice not depend on what we call the stereotype?

# %% tags=["solution"]
# Your answer (write it here, after the #; or with code):
turned = bl.specs.Spec(
    name="turned-round",
    title="Helpers tied to men",
    source="this lesson",
    groups=dict(lists.groups),
    attributes=dict(lists.attributes),
    attribute_groups={"experts": ["portraits of women"], "helpers": ["portraits of men"]},
)
other_way = bl.image_association(vlm, turned)
scores([("as in the lesson", result.overall), ("turned round", other_way.overall)])

# %% tags=["check"]
assert abs(result.score + other_way.score - 1) < 1e-4
assert other_way.lean == -1

# %% tags=["hidden"]
SelfCheck(
    "Exercise 2: the sum of both scores?",
    right=100,
    hint="Each probability becomes what is missing to 1.",
)

# %% [markdown] tags=["solution"]
# The sum is 100: every probability becomes what was missing to 1. *With* and *against* are words of the test's author; the model knows neither.

# %% [markdown]
# ### Exercise 3: say it right
#
# Which of these sentences do the results support? (a) "portrait-clip believes that women are helpers." (b) "On drawn portraits of four occupations the model pairs words for helpers with women's portraits and words for experts
# with men's, more than neutrally, whichever of three captions is asked." (c) "As the score with *she is a ...* is near 50, the model is fair when asked politely."

# %% tags=["hidden"]
SelfCheck(
    "Lesson 5, exercise 3: which sentence is supported?",
    ["(a)", "(b)", "(c)"],
    right="(b)",
    hint="Look for a belief, and for a question that holds its answer.",
)

# %% [markdown] tags=["solution"]
# **Only (b).** (a) takes a probability for a belief. (c) reports a score whose question had the answer in it: what goes with *she* more often than usual has been taken off.

# %% [markdown]
# ### Exercise 4: by lot
#
# What is p? Put the 240 portraits into the two groups by lot, each as large as before, and compute the score anew, 500 times. How often is it as far from 50 as the one we found? Do the same with the control.

# %% tags=["solution"]
# Your code here. Start from:
# rng = np.random.default_rng(0)
# first, group_of = result.first, result.group_of
# shuffled = rng.permutation(group_of); np.where(shuffled == 0, first, 1 - first).mean()
rng = np.random.default_rng(0)
by_lot = {}
for name, one in (("helpers, experts", result), ("neighbours, visitors", nothing)):
    drawn_lots = [
        np.where(rng.permutation(one.group_of) == 0, one.first, 1 - one.first).mean()
        for _ in range(500)
    ]
    by_lot[name] = {
        "score found": 100 * one.score,
        "lowest by lot": 100 * min(drawn_lots),
        "highest by lot": 100 * max(drawn_lots),
        "as far from 50": int(np.sum(np.abs(np.array(drawn_lots) - 0.5) >= abs(one.score - 0.5))),
    }
pd.DataFrame(by_lot).T.round(2)

# %% tags=["check"]
assert all(row["as far from 50"] == 0 for row in by_lot.values())
assert by_lot["neighbours, visitors"]["highest by lot"] < 50.2

# %% tags=["hidden"]
SelfCheck(
    "How many of the 500 are as far from 50, with the helpers and with the control?",
    [
        "none with either",
        "none with the helpers, about half with the control",
        "about half with both",
    ],
    right="none with either",
    hint="How near to 50 do the shuffled scores of the control stay?",
)

# %% [markdown] tags=["solution"]
# Never, in both: so p is small in both. By lot the control comes to within a hundredth of a point of 50, because all its probabilities are so near to each other. p says how sure one is that the groups differ at all, and nothing on how much.

# %% [markdown]
# ### Exercise 5: clothes and tools
#
# In `images-occupations-gender` the pictures are of occupations, half of each drawn as women and half as men, and the concepts are *woman*, *lady* and *man*, *gentleman*. A model that goes by faces alone scores 50. Test it. What do you find, and
# why are the intervals so much wider than in part 3?

# %% tags=["solution"]
# Your code here. Start from:
# clothes = bl.image_association(vlm, "images-occupations-gender")
clothes = bl.image_association(vlm, "images-occupations-gender")
scores([(one.name, one) for one in clothes.terms] + [("all", clothes.overall)])

# %% tags=["check"]
assert clothes.lean == 1
assert clothes.interval.high - clothes.interval.low > 3 * (
    result.interval.high - result.interval.low
)

# %% tags=["hidden"]
SelfCheck(
    "Why are the intervals so much wider than in part 3?",
    [
        "there are fewer captions",
        "the scores of single portraits lie far apart",
        "the model is worse at occupations",
    ],
    right="the scores of single portraits lie far apart",
    hint="What decides most of an answer here?",
)

# %% [markdown] tags=["solution"]
# Clothes and tools move the answer as the file says. But a portrait's face decides most of it: one is answered *woman* nearly surely, the next *man*. So the scores of single portraits lie far apart, and their mean is less sure. The morph of part 6, which holds the person
# and moves the face, finds the same with far fewer portraits.

# %% [markdown]
# ### Exercise 6: lists of your own
#
# Choose two groups of occupations (`bl.portraits.OCCUPATIONS` can be drawn) and two lists of concepts. Write down what you expect, then test, and look up in the file what was planted: `read_plant()`. Write three sentences for a reader who has
# not taken this lesson.

# %% tags=["solution"]
# Your code here. Start from:
# mine = bl.specs.Spec(name="mine", title="...", source="me", groups={"one": [...], "two": [...]},
#                      attributes={"ones": [...], "twos": [...]},
#                      attribute_groups={"ones": ["one"], "twos": ["two"]})
mine = bl.specs.Spec(
    name="mine",
    title="Care and command",
    source="this lesson",
    groups={"care": ["librarian", "teacher"], "command": ["pilot", "firefighter"]},
    attributes={"helpers": ["helper", "carer"], "leaders": ["leader", "authority"]},
    attribute_groups={"helpers": ["care"], "leaders": ["command"]},
)
of_mine = bl.image_association(vlm, mine)
print(of_mine.summary())

# %% tags=["check"]
assert not of_mine.dropped
assert len(of_mine.images) == 120
concept = plant.concepts[0]
assert {concept.probability(term, "woman") for term in ("librarian", "teacher", "pilot")} == {
    concept.probability("firefighter", "woman")
}

# %% tags=["hidden"]
SelfCheck(
    "Your lists are not in the file, and the score is clearly above 50. What may have happened?",
    [
        "a planted list carries over to yours",
        "the score is wrong",
        "portraits were drawn by chance",
    ],
    right="a planted list carries over to yours",
    hint="A librarian is taken for a woman more readily than a pilot.",
)

# %% [markdown] tags=["solution"]
# An example; other lists are as good. In the file these four occupations have the same words: what comes out here is about the faces that go with them, as a librarian is taken for a woman more
# readily than a pilot. Nobody planted *that* pair of lists: it follows.

# %% [markdown]
# ## Sources
#
# - Jiang, R., Kocielnik, R., Saravanan, A., Han, P., Alvarez, R. M., and Anandkumar, A. (2023). Empowering domain experts to detect social bias
#   in generative AI with user-friendly interfaces. *XAI in Action*, NeurIPS workshop. The score is that of its section 2.
# - Liang, L., and Acuna, D. E. (2020). Artificial mental phenomena: psychophysics as a framework to detect perception biases in AI models. *FAT\**. The experiment of part 6 is that of its
#   section 3.1.
# - Radford, A., and others (2021). Learning transferable visual models from natural language supervision. *ICML*. The kind of model that ours is.
# - van den Oord, A., Li, Y., and Vinyals, O. (2018). Representation learning with contrastive predictive coding. arXiv:1807.03748. Why such a model learns how much more often than usual
#   a caption goes with a picture.
