# %% [markdown]
# # Lesson 8: two headlines, one data set
#
# A lesson of 45 minutes. Somebody put a language model to the test and published its answers. Two people read the same file and print opposite headlines, and **neither has
# miscounted**. This lesson is about a second opinion: what the answers bear out, what chance does by itself, and what nobody asked.
#
# **How to use this page.** As in lessons 1 to 7: choose **Run › Run All Cells** now, then read from the top and commit
# a prediction before each result. No experience with code is needed; cells that only prepare teaching
# material are folded. The lesson needs nothing of the others, no model and no network.
#
# | part | | minutes |
# |---|---|---|
# | 1 | Two headlines | 6 |
# | 2 | What chance does by itself | 9 |
# | 3 | Four tests, sixteen intervals | 8 |
# | 4 | The place or the name? | 7 |
# | 5 | Groups that cross | 5 |
# | 6 | Which sentences may be printed? | 6 |
# | 7 | What was never asked, and questions for discussion | 4 |
#
# The exercises at the end are for after class.

# %% tags=["hidden"]
import json
import re
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

import biaslab as bl
from biaslab.errors import AnswersError
from biaslab_widgets.classroom import Prediction, SelfCheck, histogram_chart

pd.set_option("display.max_colwidth", None)
FOLDER = Path(tempfile.mkdtemp())
GROUPS = {group: group for group in bl.observers.EIGHT_GROUPS}
LIKES = {"engineer": {"Asian men": 0.5}, "nurse": {"women": 0.35}, "clerk": {}, "teacher": {}}
path = bl.observers.rankings(FOLDER / "rankings.jsonl", LIKES, place=0.35, model="Alder", seed=374)


def first_places(result):
    """How often each group came first, by case."""
    return pd.DataFrame(
        {cell.case: {one.name: one.count for one in cell.groups.shares} for cell in result.cells}
    )


def p_shown(p):
    return f"{p:.3f}" if p >= 0.001 else "below 0.001"


# %% [markdown]
# ## 1. Two headlines (6 minutes)
#
# A newspaper gave a language model lists of eight equally good candidates, one of each group, and asked it to rank them for a job. This was done a thousand times for each of four jobs.
# In 2024 Bloomberg published such a test of real models, with its answers. The answers here are **simulated**, so that the truth is known: the model is called Alder, and candidates have
# codes in place of names, so that nobody real is judged. One of the four thousand answers:

# %%
line = json.loads(path.read_text().partition("\n")[0])
print("Job:", line["job"])
print("Listed in the prompt:", ", ".join(line["order"]))
print("The answer:", *line["reply"].splitlines(), sep="\n")

# %% [markdown]
# From this file two headlines were made:
#
# > **Seven of eight groups fail the four-fifths rule** (the newspaper)
# >
# > **The model treats all alike** (the company)
#
# The **four-fifths rule** is from American employment law: a group whose rate of selection is less than four fifths of that of the most favoured group is a sign of adverse impact. The newspaper
# took one job. The company added up all four and put a χ² test beside the sums.

# %% tags=["hidden"]
counts_right = Prediction(
    "Whose counts are right?", ["only the newspaper's", "only the company's", "both", "neither"]
)
counts_right

# %% tags=["hidden"]
result = bl.opinion(bl.replay(path), labels=GROUPS, progress=False)
counts = first_places(result)
fails = counts < 0.8 * counts.max()
whole = counts.sum(axis=1)
p_whole = stats.chisquare(whole).pvalue
newspaper, company = int(fails["engineer"].sum()) == 7, p_whole > 0.05
marked = counts.astype(str).where(~fails, counts.astype(str) + " <")
counts_right.reveal(
    ["neither", "only the company's", "only the newspaper's", "both"][2 * newspaper + company],
    marked.assign(**{"all four jobs": whole}),
    f"First places; < marks less than four fifths of the most favoured group in that job. As engineer seven of eight groups fail. Over all four jobs every group comes first about {whole.mean():.0f} times, and the test finds nothing "
    f"(p = {p_whole:.2f}). Both have counted well. Neither has asked what such counts mean.",
)

# %% tags=["check"]
assert (newspaper, bool(company)) == (True, True)
assert counts["engineer"].idxmax() == "Asian men"
assert p_whole > 0.2

# %% [markdown]
# ## 2. What chance does by itself (9 minutes)
#
# Before we ask what this model does, we ask what a **fair ranker** would do: one that pays no attention to names at all, like an eight-sided die. With 1,000 rankings each group would be first 125 times,
# give or take. How much? For counts like these the **standard deviation** is √(n · p · (1 − p)).
#
# **With a pencil.** n is 1,000 and p is one eighth. What is the standard deviation, roughly? The highest of eight groups usually lies about one and a half standard deviations above 125, and the lowest as far below.
# Divide the lowest by the highest.

# %% tags=["hidden"]
fair = Prediction(
    "A fair ranker, eight groups, 1,000 rankings. In how many of 100 such tests is the lowest count less than four fifths of the highest?",
    ["in about 5 of 100", "in about 20 of 100", "in more than half"],
)
fair

# %% tags=["hidden"]
rng = np.random.default_rng(8)


def fair_ratios(groups, n, tests=4_000):
    """Lowest over highest count, of a ranker that ignores names."""
    drawn = rng.multinomial(n, [1 / groups] * groups, size=tests)
    return drawn.min(axis=1) / drawn.max(axis=1)


ratios = fair_ratios(8, 1_000)
below = (ratios < 0.8).mean()
bars, edges = np.histogram(ratios, bins=30)
fair.reveal(
    fair.options[2 if below > 0.5 else 1 if below > 0.12 else 0],
    histogram_chart(
        100 * (edges - 0.8),
        bars,
        axis="lowest ÷ highest of 4,000 fair rankers, points above or below four fifths",
        marks={
            "the newspaper’s job": 100 * (counts["engineer"].min() / counts["engineer"].max() - 0.8)
        },
        neutral="four fifths",
    ),
    f"{100 * below:.0f} of 100 fair rankers fail. By hand: the standard deviation is about 10, so the highest is about 140, the lowest about 110, and their ratio is below four fifths. A rule that a die fails more often than not says nothing about the die. The rule "
    "itself adds that a difference which is not statistically significant may be none. The newspaper’s job lies beyond nearly all fair rankers: that is a reason to look closer, and the number of failing groups is not.",
)

# %% tags=["check"]
assert 0.55 < below < 0.7

# %% [markdown]
# ### Would more rankings help?

# %% tags=["hidden"]
enough = Prediction(
    "How many rankings does a fair ranker of eight groups need, so that it fails in at most 5 of 100 tests?",
    ["about 1,500", "about 3,000", "more than 10,000"],
)
enough

# %% tags=["hidden"]
SIZES = (500, 1_000, 2_000, 3_000, 4_000, 8_000)
chance = pd.DataFrame(
    {
        f"{groups} groups": [(fair_ratios(groups, n) < 0.8).mean() for n in SIZES]
        for groups in (2, 4, 8)
    },
    index=[f"{n:,} rankings" for n in SIZES],
)
needed = next(n for n, share in zip(SIZES, chance["8 groups"], strict=True) if share < 0.07)
enough.reveal(
    enough.options[0 if needed < 2_000 else 1 if needed < 8_000 else 2],
    chance.map("{:.0%}".format),
    "How often a fair ranker fails. It depends on how many groups are compared and on how often; a ratio without both is not a finding. So show the ratio beside those of fair rankers, as the picture above does.",
)

# %% tags=["check"]
assert needed in (3_000, 4_000)
assert chance.loc["1,000 rankings", "2 groups"] < 0.01

# %% [markdown]
# ## 3. Four tests, sixteen intervals (8 minutes)
#
# A test turns this around: how often would a fair ranker be as uneven as Alder? That share is the **p-value**. There is one for each job, and here is the catch: who looks at four jobs has four chances to
# be fooled. **Holm's correction** allows for it. It multiplies the smallest of four p-values by 4, the next by 3, then by 2 and by 1 (and never lets a later one become smaller than an earlier one). *Clear* is what stays below one in twenty.

# %% tags=["hidden"]
corrected = Prediction(
    "In how many of the four jobs is the difference between groups clear after the correction?",
    ["one", "two", "three", "four"],
)
corrected

# %% tags=["hidden"]
tests = pd.DataFrame(
    {
        cell.case: {"p by itself": cell.groups.p, "p corrected": cell.groups.p_adjusted}
        for cell in result.cells
    }
).T.sort_values("p by itself")
alone, clear = (tests < 0.05).sum()
corrected.reveal(
    corrected.options[clear - 1],
    tests.map(p_shown),
    f"By itself p is below 0.05 in {alone} jobs, and after the correction in {clear}. Now the truth: preferences were planted for engineers and for nurses, and none for clerks and teachers. The clerks look suspicious by chance alone. "
    "The correction does not say that nothing is there. It says that four looks are not enough to print it.",
)

# %% tags=["check"]
assert (alone, clear) == (3, 2)
assert list(tests.index[tests["p corrected"] < 0.05]) == ["nurse", "engineer"]

# %% [markdown]
# ### Share by share
#
# Each group's share of first places has a 95 % interval. Even would be one eighth. As clerk and as teacher nobody is preferred: these are sixteen shares that should include it.

# %% tags=["hidden"]
sixteen = Prediction(
    "How many of these sixteen intervals lie clear of even?", ["none", "a few", "more than half"]
)
sixteen

# %% tags=["hidden"]
shares = pd.DataFrame(
    {
        cell.case: {
            one.name: f"{one.share:.1%} ({one.interval.low:.1%} to {one.interval.high:.1%})"
            + " *" * abs(one.side)
            for one in cell.groups.shares
        }
        for cell in result.cells
    }
)
missing = sum(
    one.side != 0 for cell in result.cells if not LIKES[cell.case] for one in cell.groups.shares
)
sixteen.reveal(
    sixteen.options[0 if missing == 0 else 1 if missing < 8 else 2],
    shares,
    f"* marks the intervals that do not include 12.5 %: {missing} of the sixteen, although nothing was planted there. One in twenty does so by chance, and shares of one test hang together: where one group gets more, another gets less. "
    "So first ask whether the job as a whole differs, after correction. Only there look at single groups.",
)

# %% tags=["check"]
assert 1 <= missing <= 3

# %% [markdown]
# ## 4. The place or the name? (7 minutes)
#
# The candidates of a prompt stand in some order, and a reader who gets tired likes whoever is listed first. In this file the order was drawn by lot, so place and name can be told from each other.

# %% tags=["hidden"]
place = Prediction(
    "Even is one eighth. Which is farther above it: the most favoured group, or whoever is listed first?",
    ["the most favoured group", "whoever is listed first", "about the same"],
)
place

# %% tags=["hidden"]
by_place = pd.DataFrame(
    {cell.case: cell.by_place / cell.n for cell in result.cells},
    index=[f"place {n}" for n in range(1, 9)],
)
best = max(one.share for cell in result.cells for one in cell.groups.shares)
listed_first = by_place.loc["place 1"].min()
place.reveal(
    place.options[0 if best > listed_first + 0.02 else 1 if listed_first > best + 0.02 else 2],
    by_place.map("{:.0%}".format),
    f"Whoever is listed first comes first in at least {listed_first:.0%} of rankings in every job; the most favoured group in any job reaches {best:.0%}. The largest effect in the file is in neither headline. Now the whole second opinion. "
    "Below each job are the ratio, beside those of fair rankers in grey, and the places:",
    result,
)

# %% tags=["check"]
assert listed_first > best + 0.05

# %% [markdown]
# ### A sorted list
#
# Now another model. It likes early places as Alder does, and it **pays no attention to names**. But the program that wrote the prompts sorted them in a way that put women earlier more often than men.

# %% tags=["hidden"]
sorted_list = Prediction(
    "Women come first in more than half of its rankings. What does a test say that knows the places?",
    ["women are clearly preferred", "men are clearly preferred", "no clear difference"],
)
sorted_list

# %% tags=["hidden"]
unlucky = bl.observers.rankings(FOLDER / "sorted.jsonl", listed={"women": 0.8}, place=0.35, seed=4)
of_sorted = bl.opinion(unlucky, labels=GROUPS, progress=False)
women_men = next(
    split
    for split in of_sorted.cells[0].splits
    if {one.name for one in split.shares} == {"women", "men"}
)
of_women = next(one for one in women_men.shares if one.name == "women")
counted = of_women.count / of_sorted.cells[0].n
p_naive = stats.binomtest(of_women.count, of_sorted.cells[0].n).pvalue
sorted_list.reveal(
    sorted_list.options[(0 if of_women.share > 0.5 else 1) if women_men.differs else 2],
    pd.DataFrame(
        {
            "women first": [
                f"{counted:.0%}",
                f"{of_women.share:.0%} ({of_women.interval.low:.0%} to {of_women.interval.high:.0%})",
            ],
            "p": [p_shown(p_naive), p_shown(women_men.p)],
        },
        index=["as counted", "had all stood everywhere equally often"],
    ),
    "The count is right again, and it is about the list. The remedy stands in the questions: draw the order by lot. Had women always been first, no analysis could tell place from name.",
)

# %% tags=["check"]
assert p_naive < 0.001
assert counted > 0.55
assert not women_men.differs
assert of_women.interval.low < 0.5 < of_women.interval.high

# %% [markdown]
# ## 5. Groups that cross (5 minutes)
#
# The eight groups cross two qualities: four origins, women and men. The same rankings can be counted along each: four groups, or two. With fewer groups there are more rankings for each of them, and a small
# preference that all women share becomes clearer.

# %% tags=["hidden"]
crossed = Prediction(
    "Along which quality does Alder distinguish when it ranks nurses?",
    ["origin", "women and men", "both", "neither"],
)
crossed

# %% tags=["hidden"]
along = {cell.case: {split.name: split for split in cell.splits[1:]} for cell in result.cells}
origin, sexes = list(along["nurse"])
found = [along["nurse"][name].differs for name in (origin, sexes)]
sums = {
    one.name: sum(
        s.count for cell in result.cells for s in cell.splits[2].shares if s.name == one.name
    )
    for one in result.cells[0].splits[2].shares
}
crossed.reveal(
    ["neither", "women and men", "origin", "both"][2 * found[0] + found[1]],
    pd.DataFrame(
        {
            case: {
                "women first": f"{next(s.share for s in splits[sexes].shares if s.name == 'women'):.0%}",
                "p, women and men": p_shown(splits[sexes].p_adjusted),
                "p, origin": p_shown(splits[origin].p_adjusted),
            }
            for case, splits in along.items()
        }
    ).T,
    f"As nurse women come first more often, of whatever origin. As engineer one group of men does, and with it men. Over all four jobs that nearly cancels: women are first {sums['women']:,} times and men {sums['men']:,} times. That is how the company found nothing: it added up two "
    "preferences that pull in opposite directions. Nobody applies for four jobs at once.",
)

# %% tags=["check"]
assert found == [False, True]
assert along["nurse"][sexes].p_adjusted < 0.01
assert abs(sums["women"] - sums["men"]) < 200

# %% [markdown]
# ## 6. Which sentences may be printed? (6 minutes)
#
# A finding for print names the job, gives a share with its interval, says what would be even, and has survived the correction. biaslab writes three sentences that these answers bear out and three that they do not. Here
# is one of the first kind among two of the other.

# %% tags=["hidden"]
written = result.sentences()
may, may_not = ([one for one in written if one.may_print is which] for which in (True, False))
printable = Prediction(
    "Which of these may be printed?", [may_not[0].text, may[1].text, may_not[1].text]
)
printable

# %% tags=["hidden"]
printable.reveal(
    may[1].text,
    pd.DataFrame(
        {"sentence": [one.text for one in written], "why": [one.why for one in written]},
        index=["yes" if one.may_print else "no" for one in written],
    ),
    "Look at the fifth: 'no clear difference' is not 'alike'. A thousand rankings leave room for large shares on both sides. To print 'alike' one has to show it, with a margin chosen beforehand.",
)

# %% tags=["check"]
assert [one.may_print for one in written] == [True] * 3 + [False] * 3
assert "treats all groups alike" in may_not[1].text
assert "engineer" in may[1].text
assert "place in the prompt counts more than the name" in may[2].text

# %% [markdown]
# ### Your headline
#
# Write one between the quotes, in place of the newspaper's, and run the cell. It is compared with the six sentences: which of them it resembles, which of its numbers stand in none of those that may be printed, and which of its words
# claim more than shares can. The comparison knows words and numbers; whether your sentence is true is for you to judge.

# %% tags=["hidden"]
CLAIMS = ("alike", "fair", "fails", "fail", "discriminates", "discrimination", "prefers", "because", "hires", "always", "never", "proves", "bias", "biased", "racist", "sexist")  # fmt: skip


def words(text):
    return set(re.findall(r"[a-z]+", text.lower()))


def numbers(text):
    """Numbers, and shares such as 7 of 8."""
    return set(re.findall(r"\d+(?:[.,]\d+)*(?: of \d+)?", text))


def beside(headline, result):
    """Set a headline beside the sentences of a second opinion."""
    sentences = result.sentences()
    nearest = max(
        sentences,
        key=lambda one: (
            len(words(one.text) & words(headline)) / len(words(one.text) | words(headline))
        ),
    )
    known = set().union(*(numbers(f"{one.text} {one.why}") for one in sentences if one.may_print))
    return pd.DataFrame(
        {
            "your headline": [
                headline,
                f"{nearest.text} ({'may' if nearest.may_print else 'may not'} be printed: {nearest.why})",
                ", ".join(sorted(numbers(headline) - known)) or "none",
                ", ".join(word for word in CLAIMS if word in words(headline)) or "none",
                "yes" if any(case in headline.lower() for case in counts) else "no",
            ]
        },
        index=["", "resembles", "numbers without support", "words that claim more", "names a job"],
    )


# %%
MINE = "Alder: 7 of 8 groups fail the four-fifths rule"
beside(MINE, result)

# %% tags=["check"]
of_newspaper = beside(MINE, result)["your headline"]
assert "may not be printed" in of_newspaper["resembles"]
assert of_newspaper["numbers without support"] == "7 of 8"
assert of_newspaper["words that claim more"] == "fail"
of_first = beside(may[0].text, result)["your headline"]
assert list(of_first[["numbers without support", "words that claim more"]]) == ["none"] * 2
assert of_first["names a job"] == "yes"

# %% [markdown]
# ## 7. What was never asked, and questions for discussion (4 minutes)
#
# A file of answers cannot say what nobody asked. biaslab lists that, too.

# %% tags=["hidden"]
gaps = Prediction(
    "Which of these can the answers on file settle?",
    [
        "whether Alder would rank the same candidates the same way tomorrow",
        "whether it matters who is listed first",
        "whether another wording would change the ranking",
    ],
)
gaps

# %% tags=["hidden"]
gaps.reveal(
    gaps.options[1],
    pd.DataFrame(
        {"why it stays open": [one.why for one in result.never_asked]},
        index=[one.what for one in result.never_asked],
    ),
    "Each line is a test that somebody could still make. A second opinion is not the last word: it says what these answers bear, and which answers to collect next.",
)

# %% tags=["check"]
assert {one.what for one in result.never_asked} >= {
    "The same candidates twice",
    "A second wording",
    "A control without groups",
}

# %% [markdown]
# ### Before you print
#
# - **How uneven would chance be**, with so many groups and so many answers?
# - **How many tests** did you look at, and is the finding clear after the correction?
# - **Place and name**: was the order drawn by lot?
# - **One case, or all of them?** A sum can hide two preferences, and one case is no rule.
# - ***No clear difference* is not *alike*.** Say for which shares there is room.
# - **Candidates on file are not people.** Nobody was hired or turned down.
#
# Discuss:
#
# 1. The editor wants one number for the headline. Which one do you give, and what must stand beside it?
# 2. The company advertises: "Independently tested: no clear difference in two of four jobs." Is that true? Is it fair?
# 3. A reporter counts the same file by job, by origin, by women and men, by first and by last place, and prints the clearest difference. What is wrong, and what should have happened before the first count?
# 4. Whoever is listed first gains more than any group does. Is that a finding about fairness?

# %% [markdown]
# ## Exercises
#
# Exercises 1 to 4 need no code. Below each you can check your answer.
#
# ### Exercise 1: with a pencil
#
# A fair ranker chooses 400 times among four groups. What is the standard deviation of a group's count? In one such test the highest count was 112, and the lowest 89: what is the ratio?

# %% tags=["solution"]
# Your calculation here (or do it on paper):
spread = (400 * 0.25 * 0.75) ** 0.5
print(f"standard deviation: {spread:.1f}; ratio: {89 / 112:.2f}")

# %% tags=["check"]
assert round(spread, 1) == 8.7
assert round(89 / 112, 2) == 0.79

# %% tags=["hidden"]
SelfCheck(
    "Lesson 8, exercise 1: what is the standard deviation of a count?",
    right=8.7,
    digits=1,
    hint="√(n · p · (1 − p)), with p one quarter.",
)

# %% tags=["hidden"]
SelfCheck(
    "Lesson 8, exercise 1: what is the ratio of the lowest to the highest count?",
    right=0.79,
    digits=2,
    hint="89 divided by 112.",
)

# %% [markdown] tags=["solution"]
# The ratio is below four fifths, and both counts lie less than one and a half standard deviations from 100: nothing that a fair ranker would not do.

# %% [markdown]
# ### Exercise 2: Holm's correction by hand
#
# Four tests have the p-values 1, 2, 3 and 30 in a hundred. Multiply them as in part 3.

# %% tags=["hidden"]
SelfCheck(
    "Lesson 8, exercise 2: how many of the four stay below 5 in a hundred?",
    ["none", "one", "two", "three"],
    right="one",
    hint="4 times 1, 3 times 2, 2 times 3, 1 times 30.",
)

# %% [markdown] tags=["solution"]
# 4, 6, 6 and 30 in a hundred: **one**. By themselves three of them are below 5.

# %% [markdown]
# ### Exercise 3: say it right
#
# (a) "Alder does not discriminate among clerks." (b) "Among clerks no difference was clear; shares from 9 to 17 in 100 agree with the answers, where 12 or 13 would be even." (c) "Among clerks Alder prefers one group, but the difference is not significant."

# %% tags=["hidden"]
SelfCheck(
    "Lesson 8, exercise 3: which sentence is supported?",
    ["(a)", "(b)", "(c)"],
    right="(b)",
    hint="One of them says for which shares there is room.",
)

# %% tags=["check"]
room = [one.interval for cell in result.cells if cell.case == "clerk" for one in cell.groups.shares]
assert round(100 * min(one.low for one in room)) == 9
assert round(100 * max(one.high for one in room)) == 17

# %% [markdown] tags=["solution"]
# **Only (b).** (a) takes *no clear difference* for *alike*. (c) prints a preference and takes it back in the same breath.

# %% [markdown]
# ### Exercise 4: what went wrong?
#
# An office ranks ten thousand pairs of candidates with a language model, always the man first and the woman second. The man is put first in most of them. What should it do before it writes anything?

# %% tags=["hidden"]
SelfCheck(
    "Lesson 8, exercise 4: what should be done first?",
    [
        "rank ten thousand more pairs in the same way",
        "rank each pair in both orders",
        "apply Holm's correction",
    ],
    right="rank each pair in both orders",
    hint="Part 4: what can no analysis tell from one order?",
)

# %% [markdown] tags=["solution"]
# **Both orders.** More pairs make the interval narrower around the sum of both effects, and the correction is for many tests, not for a bad design.

# %% [markdown]
# ### Exercise 5: how many rankings?
#
# `bl.observers.rankings` writes a file with a preference that you plant, as log odds. Plant a weak one for women, and find out how many rankings it takes until the difference between women and men is clear.

# %% tags=["solution"]
# Your code here. Start from:
# file = bl.observers.rankings("mine.jsonl", {"clerk": {"women": 0.2}}, n=200, seed=1)
# print(bl.opinion(file, progress=False).summary())
is_clear = {}
for n in (200, 1_000, 4_000):
    file = bl.observers.rankings(FOLDER / "mine.jsonl", {"clerk": {"women": 0.2}}, n=n, seed=1)
    own = bl.opinion(file, progress=False).cells[0]
    split = next(one for one in own.splits if {s.name for s in one.shares} == {"women", "men"})
    of = next(one for one in split.shares if one.name == "women")
    is_clear[n] = split.differs
    print(f"{n:,}: women first in {of.share:.0%} ({of.interval.low:.0%} to {of.interval.high:.0%})")

# %% tags=["check"]
assert is_clear == {200: False, 1_000: True, 4_000: True}

# %% tags=["hidden"]
SelfCheck(
    "Lesson 8, exercise 5: 0.2 was planted for women. Is the difference clear with 200 rankings, and with 4,000?",
    ["with both", "only with 4,000", "with neither"],
    right="only with 4,000",
    hint="Run the solution's first lines with n=200, then with n=4_000, and read the sentences.",
)

# %% [markdown]
# ### Exercise 6: a file of your own
#
# `bl.replay` opens a table with a row for each answer: CSV, JSON lines, Parquet. Ask a chat model the same question about people of two groups, write its answers into a table with the columns *group*, *item* and *answer*, and read
# what biaslab says. Which sentence may you print, and what was never asked?

# %% tags=["solution"]
# Your code here. Start from:
# answers = bl.replay("answers.csv")   # group="...", answer="..." where columns have other names
# print(bl.opinion(answers).summary())
ease = np.repeat(np.random.default_rng(6).normal(size=150), 2)
made_up = pd.DataFrame(
    {
        "group": ["women", "men"] * 150,
        "item": [f"case {item}" for item in range(150) for _ in range(2)],
        "answer": np.where(ease + np.random.default_rng(7).normal(size=300) > 0, "yes", "no"),
    }
)
made_up.to_csv(FOLDER / "answers.csv", index=False)
own_answers = bl.opinion(FOLDER / "answers.csv", progress=False)
print(own_answers.summary())
made_up[made_up["group"] == "women"].to_csv(FOLDER / "one.csv", index=False)
try:
    bl.opinion(FOLDER / "one.csv", progress=False)
except AnswersError as error:
    print(f"\nOne group only: {error}")

# %% tags=["check"]
assert len(own_answers.sentences()) == 6
assert not own_answers.cells[0].differences[0].differs

# %% tags=["hidden"]
SelfCheck(
    "Lesson 8, exercise 6: your table has answers about women only. What does bl.opinion do?",
    [
        "it compares women with half of all people",
        "it refuses, and says that a comparison needs two groups",
        "it reports the rate of women",
    ],
    right="it refuses, and says that a comparison needs two groups",
    hint="Take the rows about men out of your table, and run the cell.",
)

# %% [markdown]
# ## Sources
#
# - Bloomberg (2024). OpenAI's GPT is a recruiter's dream tool. Tests show there's racial bias. 7 March 2024, with data.
# - Holm, S. (1979). A simple sequentially rejective multiple test procedure. *Scandinavian Journal of Statistics* 6, 65–70.
# - Plackett, R. L. (1975). The analysis of permutations. *Journal of the Royal Statistical Society, Series C* 24, 193–202. How the simulated model ranks.
# - Uniform Guidelines on Employee Selection Procedures (1978). *Code of Federal Regulations*, title 29, part 1607, section 4 D.
