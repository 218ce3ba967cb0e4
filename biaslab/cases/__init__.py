"""Cases: decisions about people in which one quality varies, and their catalogue."""

from biaslab.cases.case import FORMS, Case, Cue, Form, Group, Question, WhichOfTwo, YesOrNo
from biaslab.cases.case_files import catalog, delete, get, names, parse, read, save, toml_of
from biaslab.cases.quality import Quality

__all__ = [
    "FORMS",
    "Case",
    "Cue",
    "Form",
    "Group",
    "Quality",
    "Question",
    "WhichOfTwo",
    "YesOrNo",
    "catalog",
    "delete",
    "get",
    "names",
    "parse",
    "read",
    "save",
    "toml_of",
]
