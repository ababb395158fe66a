"""Brings the value a pattern found into the form that is stored."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from easy_data.pipeline.extraction.clauses import fold
from easy_data.pipeline.extraction.matching import load_vocabulary

_EDGES = " \t\n,，。.!！?？;；:：、~～…\"“”'‘’「」『』《》()（）[]【】*_`|/\\-—"
_TAIL_ZH = re.compile(
    r"(?:(?:的?(?:了|呢|吧|啊|呀|哈|嘛|啦|喔|哦|噢|咯|喽|诶|罢了|而已|来着|什么的|之类的?|这种|这类|那种))|的|得)+$"
)
_HEAD_ZH = re.compile(
    r"^(?:个|一个|一名|一位|名|位|的|了|过|着|是|在|到|去|就|都|也|还|又|那种|这种|一些|一点(?![半多钟到至左、零一二三四五])|点)+(?=.)"
)
_TAIL_EN = re.compile(
    r"(?:[ ,]+(?:too|now|though|tho|lol|haha|btw|anyway|actually|really|please|thanks|thx|these days|at the moment|"
    r"right now|currently|so|and|but|or|because|mate|ah|lah|you know|i guess|to be honest|tbh|honestly|of course))+$",
    re.IGNORECASE,
)
_HEAD_EN = re.compile(
    r"^(?:(?:a|an|the|some|just|like|only|mostly|mainly|also|really|actually|basically)\s+)+", re.IGNORECASE
)
# Words that point at something said elsewhere; alone they are no value.
_EMPTY = re.compile(
    r"^(?:[这那它他她]+[个些种样边里儿]*|什么|啥|哪里?|哪儿|谁|怎么|一下|东西|事情?|这样|那样|不了|不|没|有|it|this|that|them|those|these|"
    r"one|ones|some|any|anything|something|stuff|things?|what|which|so|too|to|of|in|on|me|you|us|he|she|they|there|here)$",
    re.IGNORECASE,
)
_ASKING = re.compile(r"什么|啥|哪|怎么|多少|谁|几个")
# "做会展的" names the work that "会展" names, "只猫" the cat.
_HEADS_ZH = {
    "occupation": re.compile(r"^(?:做|搞|干|当|从事)(?=[\u3400-\u9fffA-Za-z]{2})(?!饭|家务)"),
    "pet": re.compile(r"^(?:只|条|头|匹|缸|窝)(?=.)"),
}
_TECHNICAL = frozenset({"programming_language", "technology", "tool_preference", "learning", "expertise"})
# Words of reaction or reference: a value said in open words that begins with one was no answer.
_REACTION = re.compile(
    r"^(?:thanks?|thank you|cool|nice|great|awesome|amazing|wow|talk|hey|hi|hello|yeah|yep|definitely|"
    r"absolutely|of course|totally|sounds|"
    r"when|where|what|why|how|while|since|it's|that's|there's|here's|let's|we|i|i've|i'm|my pleasure|"
    r"no problem|congrat\w*|glad|sure|lol|haha|really|often|always|yesterday|tomorrow|these|those|like|"
    r"something|someone|anything|and|but|or|so|also|just|been|is|are|was|were|their|his|her|your|well|then|than|downtime)\b(?!-)|"
    r"['’]s$|['’]s (?:awesome|great|cool|good|nice|fun|amazing)$",
    re.IGNORECASE,
)
_OPEN = frozenset(
    {"preferred_name", "name", "location", "hometown", "occupation", "hobby", "goal", "learning", "education"}
    | {"expertise", "music_preference", "employer", "current_project", "industry", "sport"}
)
# NFKC would turn Chinese punctuation into the ASCII one.
_WIDE = re.compile(r"[^，：；？！（）]+")
_PHONE_SIGNS = re.compile(r"[\s\-().]+")


# What a value of an attribute cannot be, whatever pattern found it: a year or a company is no place, an allergy no pet.
_PLACE = re.compile(
    r"^(?:\d+|shape|touch|bed|town|love|place|style|google|amazon|apple|meta|microsoft|netflix|facebook|siemens|ibm|intel|oracle|nvidia|uber|tesla|spotify|"
    r"shopify|stripe|sap|bosch|sony|samsung|huawei|tencent|alibaba|bytedance|deloitte|kpmg|pwc|accenture)$",
    re.IGNORECASE,
)
_UNFIT = {
    "location": _PLACE,
    "hometown": _PLACE,
    "health_condition": re.compile(r"^(?:眼睛|脑子|脑袋|脑壳|手|腰)(?:不行|花|转不动|不够用|酸)了?$"),
    "occupation": re.compile(r"^[零一二两三四五六七\d]休[零一二两三四五六七\d]"),
    "pet": re.compile(r"^对|过敏$"),
    "family_member": re.compile(r" (?:is|was|are|were)(?: \w+)?$"),
    "goal": re.compile(
        r"\b(?:them|it|that one)\b|^(?:improve|change|work in the future|make a change|do (?:this|that))$",
        re.IGNORECASE,
    ),
    "dietary_restriction": re.compile(r"^对(?:这|那|他|她|它|你|我|某)"),
}


def normalise(attr_name: str, text: str) -> str:
    """Return the stored form of ``text`` as value of ``attr_name``; empty when nothing is left of it.

    Names and wording stay as they were said; particles and quotes around them go, and well-known names of the field
    get their usual spelling.
    """
    value = _WIDE.sub(lambda part: unicodedata.normalize("NFKC", part.group()), text).strip(_EDGES)
    if attr_name == "email":
        return value.lower()
    if attr_name == "phone":
        return _PHONE_SIGNS.sub("", value)
    before = ""
    while before != value:
        before = value
        value = _HEAD_ZH.sub("", _TAIL_ZH.sub("", value)).strip(_EDGES)
        value = _HEAD_EN.sub("", _TAIL_EN.sub("", value)).strip(_EDGES)
    if attr_name in _HEADS_ZH:
        value = _HEADS_ZH[attr_name].sub("", value)
    if attr_name == "programming_language" and value.casefold() in {"c", "c++", "c#", "f#"}:
        return value.upper()
    if (_EMPTY.match(fold(value)) and value != "IT") or _ASKING.match(fold(value)):
        return ""
    if attr_name in _OPEN and _REACTION.search(value):
        return ""
    if (unfit := _UNFIT.get(attr_name)) and unfit.search(value):
        return ""
    return _spellings().get(value.casefold(), value) if attr_name in _TECHNICAL else value


@lru_cache(maxsize=1)
def _spellings() -> dict[str, str]:
    vocabulary = load_vocabulary("shared")
    names = ("tool", "technology", "programming_language")
    return {word.casefold(): word for name in names for word in vocabulary[name]}
