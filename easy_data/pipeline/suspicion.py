"""Content that poisons a memory if it is wrong, whoever said it: links, where money goes, who may do what.

It is never written unseen. The words are a signal for review and not the control: that is provenance.
"""

from __future__ import annotations

import re

from easy_data.schemas.candidates import Candidate, ReviewReason

# "Node.js" and "asp.net" are no links; an address is one by its scheme, by "www." or by a path behind a domain.
_LINK = re.compile(r"[a-z][a-z0-9+.-]{1,10}://|\bwww\.|\b[\w-]+\.(?!js\b|py\b|md\b)[a-z]{2,12}/\S", re.IGNORECASE)
_PAYMENT = re.compile(
    r"\b(?:payee|iban|routing number|bank (?:account|details)|wallet address|wire (?:it|them|the money|money))\b"
    r"|\bpay(?:ments?)?\b.{0,30}\b(?:account|wallet|address)\b"
    r"|(?:收款|打款|汇款|匯款|转账|轉賬|付款).{0,12}(?:账户|账号|帐号|帳號|賬戶|卡号|地址|到)",
    re.IGNORECASE,
)
_ACCESS = re.compile(
    r"^(?:an? |the )?(?:admin(?:istrator)?|root|super ?user|sys ?admin|owner of the system)$|^(?:超级|系统)?管理员$"
    r"|\b(?:admin(?:istrator)?|root|privileged) (?:rights?|access|privileges?|account)\b"
    r"|\b(?:security clearance|exempt from|allowed to (?:see|read|access|approve|change|delete)|bypass(?:es)?"
    r"|without (?:approval|verification|being asked)|two-factor|2fa|whitelist(?:ed)?)\b"
    r"|有权(?!利)|权限|授权|豁免|免除?.{0,4}验证|白名单|绕过|不用审批|无需审批",
    re.IGNORECASE,
)
_SIGNS = (
    (ReviewReason.LINK, _LINK),
    (ReviewReason.PAYMENT, _PAYMENT),
    (ReviewReason.ACCESS, _ACCESS),
)
# Attributes whose values are addresses by nature.
_ADDRESSES = frozenset({"email", "github"})


def suspicion_of(candidate: Candidate) -> ReviewReason | None:
    """Return why the content of a candidate is for a person to see before it is kept, or None."""
    if candidate.attr_name in _ADDRESSES:
        return None
    texts = [text.strip() for text in (candidate.value, candidate.summary, candidate.task_id) if text]
    return next((reason for reason, pattern in _SIGNS if any(pattern.search(text) for text in texts)), None)
