# %% [markdown]
# # Lessons
#
# How does one find out whether a model leans, how surely, and what that does not say? Each lesson turns on one surprise, and asks
# you to predict it first. No experience with code is needed, and nothing here uses the internet.
#
# **Where to begin.** With [lesson 0](lesson-0.ipynb) if you have never used biaslab, and then with [lesson 1](lesson-1.ipynb), on
# which lessons 2, 3 and 5 build. Lessons 4, 6, 7 and 8 can stand alone: take 4 if you care about language models, 6 if you care
# about auditing services, 7 if you care about decisions about people, and 8 if you read or write about such tests.
#
# | lesson | what you learn | minutes | needs |
# |---|---|---|---|
# | [0: a tour](lesson-0.ipynb) | to open a subject, probe a word, read a verdict, save a run | 10 | nothing |
# | [1: from an old illusion to the electrician](lesson-1.ipynb) | how psychology measures a bent judgement, and why one pair of words is not a gender | 45 | nothing |
# | [2: means of means manufacture confidence](lesson-2.ipynb) | what an effect size hides, what controls are for, and how many data points there really are | 45 | lesson 1, part 4 |
# | [3: what does the classifier imagine when it says "positive"?](lesson-3.ipynb) | to turn a classifier around, and when to believe what you see | 45 | lesson 1, parts 2 and 4 |
# | [4: which sentence does a language model find more probable?](lesson-4.ipynb) | what a stereotype score is made of, and how sure it is | 45 | nothing |
# | [5: what does a model see in a portrait?](lesson-5.ipynb) | to test a test on a model whose bias is known | 45 | lesson 1, part 2 |
# | [6: how does one rate a service that can only be called?](lesson-6.ipynb) | what may be written about a translator or an API, and after how many calls | 45 | nothing |
# | [7: the price of a name](lesson-7.ipynb) | how much more one group must bring to be treated alike, and what may be written about it | 45 | nothing |
# | [8: two headlines, one data set](lesson-8.ipynb) | to give a second opinion on recorded answers: which sentences may be printed | 45 | nothing |
#
# **Your own model.** [Your own model](your-own.ipynb) asks an embedding file or a model folder of yours, and keeps, compares and
# reports the runs. It also gives a second opinion on answers that somebody recorded.
#
# **How a lesson works.** Choose **Run › Run All Cells**, then read from the top. Where you are asked for your prediction, select an
# answer and press **Commit**: what came out appears only then. Exercises at the end of a lesson check your answer.
#
# The cell below says which predictions you have made in this folder; they are kept in `predictions.json` beside the lessons. To
# begin anew, delete that file.

# %% tags=["hidden"]
from biaslab_widgets.classroom.kept import progress

print(progress())
