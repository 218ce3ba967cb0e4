"""Language codes, ISO 639-1 if there is one, else 639-3; and their English names."""

from __future__ import annotations

import re

from biaslab.errors import ServiceSetupError

# ISO 639-1, ISO 639-3, English name.
_TABLE = """
af afr Afrikaans
am amh Amharic
an arg Aragonese
ar ara Arabic
az aze Azerbaijani
be bel Belarusian
bg bul Bulgarian
bn ben Bengali
br bre Breton
bs bos Bosnian
ca cat Catalan
cs ces Czech
cy cym Welsh
da dan Danish
de deu German
el ell Greek
en eng English
eo epo Esperanto
es spa Spanish
et est Estonian
eu eus Basque
fa fas Persian
fi fin Finnish
fo fao Faroese
fr fra French
ga gle Irish
gd gla Scottish Gaelic
gl glg Galician
gu guj Gujarati
ha hau Hausa
he heb Hebrew
hi hin Hindi
hr hrv Croatian
ht hat Haitian
hu hun Hungarian
hy hye Armenian
id ind Indonesian
ig ibo Igbo
is isl Icelandic
it ita Italian
ja jpn Japanese
jv jav Javanese
ka kat Georgian
kk kaz Kazakh
km khm Khmer
kn kan Kannada
ko kor Korean
ku kur Kurdish
ky kir Kyrgyz
la lat Latin
lb ltz Luxembourgish
lo lao Lao
lt lit Lithuanian
lv lav Latvian
mg mlg Malagasy
mk mkd Macedonian
ml mal Malayalam
mn mon Mongolian
mr mar Marathi
ms msa Malay
mt mlt Maltese
my mya Burmese
nb nob Norwegian Bokmål
ne nep Nepali
nl nld Dutch
nn nno Norwegian Nynorsk
no nor Norwegian
oc oci Occitan
pa pan Punjabi
pl pol Polish
ps pus Pashto
pt por Portuguese
ro ron Romanian
ru rus Russian
sc srd Sardinian
sd snd Sindhi
se sme Northern Sami
si sin Sinhala
sk slk Slovak
sl slv Slovenian
so som Somali
sq sqi Albanian
sr srp Serbian
su sun Sundanese
sv swe Swedish
sw swa Swahili
ta tam Tamil
te tel Telugu
tg tgk Tajik
th tha Thai
tk tuk Turkmen
tl tgl Tagalog
tr tur Turkish
tt tat Tatar
uk ukr Ukrainian
ur urd Urdu
uz uzb Uzbek
vi vie Vietnamese
xh xho Xhosa
yi yid Yiddish
yo yor Yoruba
zh zho Chinese
zu zul Zulu
"""
_ROWS = [line.split(" ", 2) for line in _TABLE.strip().splitlines()]
_TO_TWO = {three: two for two, three, _ in _ROWS}
_TO_THREE = {two: three for two, three, _ in _ROWS}
_NAMES = {two: name for two, _, name in _ROWS}
_BY_NAME = {name.casefold(): two for two, _, name in _ROWS}
# Language, then script, region or variant, as in pt-BR, zh-Hans or cat_valencia.
_FORM = re.compile(r"([a-z]{2,3})((?:[-_][a-z0-9]+)*)", re.IGNORECASE)


def language_code(language: str) -> str:
    """Return the normalised code of a language.

    Parameters
    ----------
    language : str
        ISO 639-1 (``"es"``) or 639-3 (``"spa"``) code, with region or variant if need be
        (``"pt-BR"``), or English name (``"Spanish"``).

    Returns
    -------
    str
        ISO 639-1 if there is such a code, else the code as it was given; a region or variant
        after a hyphen.

    Raises
    ------
    ServiceSetupError
        If it is neither.

    Examples
    --------
    >>> language_code("spa"), language_code("Spanish"), language_code("pt_BR")
    ('es', 'es', 'pt-BR')
    """
    text = language.strip()
    if text.casefold() in _BY_NAME:
        return _BY_NAME[text.casefold()]
    match = _FORM.fullmatch(text)
    if not match:
        raise ServiceSetupError(
            f"{language!r} is not a known language. Give a code of two or three letters, such as "
            "'es' or 'spa'."
        )
    first = match[1].lower()
    return _TO_TWO.get(first, first) + match[2].replace("_", "-")


def three_letters(code: str) -> str:
    """Return the ISO 639-3 code; region and variant are kept, after an underscore.

    Examples
    --------
    >>> three_letters("es"), three_letters("ca-valencia")
    ('spa', 'cat_valencia')
    """
    first, *rest = code.split("-")
    return "_".join([_TO_THREE.get(first, first), *rest])


def language_name(code: str) -> str:
    """Return the English name for a code; the code itself if unknown.

    Examples
    --------
    >>> language_name("gl"), language_name("pt-BR")
    ('Galician', 'Portuguese (BR)')
    """
    first, *rest = code.split("-")
    name = _NAMES.get(first, first)
    return f"{name} ({', '.join(rest)})" if rest else name
