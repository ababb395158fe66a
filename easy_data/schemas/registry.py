"""The attribute registry: the only profile attributes there are, and the event types. Applications add their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from easy_data.schemas.errors import InputError, UnknownAttribute
from easy_data.schemas.records import Language

Cardinality = Literal["one", "many"]


class Attribute(BaseModel):
    """One allowed profile attribute.

    ``cardinality``: ``one`` keeps a single current value, ``many`` a set. ``identity`` values do not age.
    ``sensitive`` values are kept only when the application turns them on. ``labels`` are the names shown to people.
    ``topics`` are words of a query that mean this attribute, per language. ``patterns`` are regular expressions, per
    language, that find its value without a model: over one clause in lower case, with a group ``value``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    type: str = Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")
    cardinality: Cardinality = "many"
    identity: bool = False
    sensitive: bool = False
    labels: dict[str, str] = Field(default_factory=dict)
    topics: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    patterns: dict[Language, tuple[str, ...]] = Field(default_factory=dict)

    def label(self, language: str) -> str:
        """Return the name to show in ``language``; the technical name when there is none."""
        return self.labels.get(language) or self.name.replace("_", " ")


# name, type, marks (1 = single-valued, * = identity, ! = sensitive), Chinese label, English label
_DEFAULTS = """
dietary_restriction preference . 饮食禁忌|dietary restriction
food_preference preference . 口味喜好|food preference
beverage_preference preference . 饮料喜好|drink preference
reply_style preference 1 回复风格|reply style
reply_language preference 1 回复语言|reply language
reply_format preference . 回复格式|reply format
communication_channel preference 1 联系渠道|preferred channel
meeting_time preference . 会议时间|meeting time
sleep_schedule preference 1 作息|sleep schedule
work_schedule preference 1 工作时间|work schedule
hobby preference . 爱好|hobby
music_preference preference . 音乐喜好|music preference
sport preference . 运动|sport
travel_preference preference . 旅行偏好|travel preference
tool_preference preference . 工具偏好|tool preference
programming_language skill . 编程语言|programming language
technology skill . 技术|technology
spoken_language skill . 会说的语言|spoken language
expertise skill . 专长|expertise
learning skill . 正在学|learning
name background 1* 姓名|name
preferred_name background 1* 称呼|preferred name
occupation background 1* 职业|occupation
employer background 1* 工作单位|employer
industry background 1* 行业|industry
location background 1* 所在地|location
hometown background 1* 家乡|hometown
birthday background 1* 生日|birthday
education background .* 教育|education
family_member background .* 家人|family member
relationship_status background 1* 感情状况|relationship status
pet background .* 宠物|pet
health_condition background .*! 健康状况|health condition
timezone background 1 时区|time zone
current_project background . 在做的项目|current project
goal background . 目标|goal
email contact 1! 邮箱|email
phone contact 1! 电话|phone
wechat contact 1! 微信|WeChat
address contact 1! 住址|address
github contact 1 GitHub 账号|GitHub account
"""

EVENT_TYPES: tuple[str, ...] = (
    "task_completed",
    "decision_made",
    "info_learned",
    "milestone",
    "plan",
    "remark",
    "conversation_turn",
    "monthly_review",
)
# Made by a job from other memories: what is said never meets these, and their words go with their sources.
DERIVED_EVENTS: tuple[str, ...] = ("monthly_review",)


def _defaults() -> Iterator[Attribute]:
    for line in _DEFAULTS.strip().splitlines():
        name, kind, marks, labels = line.split(" ", 3)
        zh, en = labels.split("|")
        yield Attribute(
            name=name,
            type=kind,
            cardinality="one" if "1" in marks else "many",
            identity="*" in marks,
            sensitive="!" in marks,
            labels={"zh": zh, "en": en},
        )


class Registry:
    """The attributes and event types of one application: the defaults and what it added."""

    def __init__(self, attributes: Iterable[Attribute] = (), event_types: Iterable[str] = ()) -> None:
        self._attributes = {a.name: a for a in _defaults()}
        for attribute in attributes:
            self._attributes[attribute.name] = attribute
        self.event_types: tuple[str, ...] = tuple(dict.fromkeys((*EVENT_TYPES, *event_types)))

    def __contains__(self, name: object) -> bool:
        return name in self._attributes

    def __iter__(self) -> Iterator[Attribute]:
        return iter(self._attributes.values())

    def __len__(self) -> int:
        return len(self._attributes)

    def get(self, name: str) -> Attribute:
        """Return the attribute; raise ``UnknownAttribute`` naming the remedy."""
        try:
            return self._attributes[name]
        except KeyError:
            raise UnknownAttribute(
                f"{name!r} is not in the registry; add it with "
                "EasyMemory(attributes=[Attribute(name=..., type=...)]) or use one of `easy-data config show`",
                field="attr_name",
            ) from None

    def checked_event_type(self, name: str) -> str:
        """Return ``name`` if it is a registered event type, else raise ``InputError``."""
        if name not in self.event_types:
            raise InputError(
                f"{name!r} is not registered; add it with EasyMemory(event_types=[...]) or use one of "
                + ", ".join(self.event_types),
                field="event_type",
            )
        return name
