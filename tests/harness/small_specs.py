"""Specs of a few words each, as a person writes them in TOML."""

SENTENCES = """\
name = "small"
title = "Small"
source = "test"
[groups]
male = ["man", "he"]
female = ["woman", "she"]
[attributes]
math = ["science", "engineer"]
arts = ["family", "nurse"]
[attribute_groups]
math = ["male"]
arts = ["female"]
"""
IMAGES = """\
name = "portraits"
title = "Portraits"
source = "test"
[groups]
women = ["female nurse", "female pilot"]
men = ["male nurse", "male pilot"]
[attributes]
helpers = ["helper", "carer"]
experts = ["expert", "leader"]
[attribute_groups]
helpers = ["women"]
experts = ["men"]
"""
