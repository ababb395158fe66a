"""What secrets look like and how people announce them: the detectors that ``redaction`` runs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from stdnum import iban, luhn
from stdnum.cn import ric

Check = Callable[[str], bool]

MIN_TOKEN_ENTROPY = 2.8
CARD_DIGITS = range(13, 20)
RESIDENT_ID_CHARS = 18
MIN_DOCUMENT_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Detector:
    """The group ``secret`` of ``pattern`` (or all of it) is a secret of ``kind`` if ``check`` agrees."""

    kind: str
    pattern: re.Pattern[str]
    check: Check


def _any(secret: str) -> bool:
    return bool(secret)


def _is_card(secret: str) -> bool:
    digits = re.sub(r"\D", "", secret)
    return len(digits) in CARD_DIGITS and len(set(digits)) > 1 and luhn.is_valid(digits)


def _is_resident_id(secret: str) -> bool:
    return len(secret) == RESIDENT_ID_CHARS and ric.is_valid(secret.upper())


def _is_iban(secret: str) -> bool:
    return iban.is_valid(secret)


def _is_token(secret: str) -> bool:
    """Tell if it looks generated: letters and digits, and at least 2.8 bits a character (Shannon, 1948)."""
    if not (any(c.isdigit() for c in secret) and any(c.isalpha() for c in secret)):
        return False
    size = len(secret)
    entropy = -sum(n / size * math.log2(n / size) for n in Counter(secret).values())
    return entropy >= MIN_TOKEN_ENTROPY


def _is_password(secret: str) -> bool:
    """Tell a password from the prose that may follow the word ("password is wrong", "密码是什么")."""
    return _PROSE.match(secret) is None


def _is_code(secret: str) -> bool:
    return any(c.isdigit() for c in secret)


# What follows the word "password" in prose: these go on with a sentence, those end one.
_PROSE = re.compile(
    r"(?:not|no|too|the same|same|on|in|at|what|which|where|how|why|who|going|being|stored|still|now|just|always|never|"
    r"really|very|so|but|and|or|if|for|to|from|with|when|as|because|it|that|this|there|here|your|you|we|they|kept|set|"
    r"again|about|only|was|is|isn't|has|had|can|cannot|can't|won't|will|would|should|must|doesn't|does|did|didn't|"
    r"managers?|hygiene|polic(?:y|ies)|resets?|recovery|protected|protection)(?![\w'@#$%^&*-])"
    r"|(?:wrong|incorrect|invalid|expired|expiring|required|needed|reset|changed|weak|strong|saved|written|hidden|gone|"
    r"missing|correct|right|fine|ok|okay|broken|working|failing|unknown|empty|blank|hashed|encrypted|safe|secure|easy|hard|"
    r"please|prompt|field|box|length|rules?|none|null|true|false|string|str|int|undefined|forgotten|lost|due|one|something|"
    r"anything|someone|everyone|different|another|longer|shorter|stuff|thing)$"
    r"|(?:什么|多少|啥|哪|不|错|忘|对的|正确|被|需要|必须|太|要|有|在|你|您|他|她|谁|怎|几|没|過|过期|泄露|洩|吗|呢|很|也|都|"
    r"可以|能|会|该|找回|重置|为空|空的|這|这|那|了|的|和|跟|或|随便|自动|一样|相同|同一个)",
    re.IGNORECASE,
)

_ANNOUNCE_EN = (
    r"(?:pass(?:word|code|phrase|wd|key)|pwd|pword|\bpw|\bpin(?: ?(?:code|number|no\.?))?\b|"
    r"passwort|mot de passe|contraseña|"
    r"(?:seed|recovery|backup|mnemonic) (?:phrase|words?|codes?)|(?:secret|login) (?:key|code|word|phrase))"
)
_CODE_EN = (
    r"(?:(?:door|gate|alarm|entry|access|unlock|lock|lockbox|keypad|garage|safe|security|verification|confirmation|"
    r"auth|authentication|authenticator|login|log-in|one[- ]time|2fa|two[- ]factor|sms|otp|backup|bank|card|phone|"
    r"building|gym|locker|vault|combination|reset) ?(?:code|combo|combination)|"
    r"\botp\b|\bcvv2?\b|\bcvc2?\b|\bcsc\b|2fa|padlock combo)"
)
_ANNOUNCE_ZH = (
    r"(?:(?:密码|密碼|口令|passcode|PIN ?码|PIN ?碼|"
    r"助记词|助記詞|提取码|提取碼|解压码|密保答案|安全码|安全碼|私钥|私鑰)"
    r"(?!管理|保护|保護|强度|強度|长度|長度|规则|規則|学|學|本|框|登录|登錄))"
)
_CODE_ZH = r"(?:(?:验证码|驗證碼|校验码|动态码|动态密码|授权码|激活码|門禁碼|门禁码|门锁码|取件码|CVV|CVC))"
_LINK_EN = (
    r"(?:\s{0,3}(?:is|was|are|=|:|=>|->|became|changed to|set to|to|reads|being)\s{1,3}"
    r"|\s{0,3}[:=：]\s{0,3}|['’]s\s{1,3})"
    r"(?:(?:still|now|just|currently|literally|actually|really|simply|always|set to|changed to)\s){0,2}"
)
_LINK_ZH = r"[^，。；！？!?,;\n!-~]{0,6}?(?:是|為|为|成|用|叫|乃|[:：=])了?\s{0,3}(?:[:：]\s{0,3})?"
_FOR = r"(?:,? (?:for|to|of|on|at|in|which|that|i|we)(?: [\w'’-]{1,20}){1,6}?,?)?"
_QUOTED = r"[\"“'‘「『`](?P<secret>[^\"”'’」』`\n]{1,120})[\"”'’」』`]"
# One run of signs, or plain words up to the end of the clause: a pass phrase.
_PHRASE_EN = (
    r"(?P<secret>[A-Za-z]{2,20}"
    r"(?: (?!and\b|but\b|so\b|for\b|if\b|or\b|please\b|can\b|which\b|because\b|then\b|don['’]?t\b|"
    r"the\b|on\b|in\b|it\b|i\b|that\b|with\b|to\b|when\b)[A-Za-z0-9]{1,20}){0,11}(?![\w@#$%^&*+=!~.-]*[\w@#$%^&*+=~])"
    r"|[^\s,，。；;、“”\"'‘’\[\]()（）\u3400-\u9fff]{2,120})"
)
_PHRASE_ZH = r"(?P<secret>[!-~]{2,120}|[^\s,，。；;！？!?、“”\"「」\[\]]{2,16})"
_SIGNS = r"(?P<secret>(?=[!-~]{0,60}\d)[!-+\-.-:<-~]{3,64})"


def _detector(kind: str, pattern: str, check: Check = _any) -> Detector:
    return Detector(kind, re.compile(pattern, re.IGNORECASE), check)


def _exact(kind: str, pattern: str, check: Check = _any) -> Detector:
    return Detector(kind, re.compile(pattern), check)


FORMS = (
    _exact(
        "private_key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[^-]|-(?!----)){0,20000}(?:-----END [A-Z0-9 ]{0,40}-----)?",
    ),
    _exact("private_key", r"AGE-SECRET-KEY-1[0-9A-Z]{20,80}"),
    _exact("token", r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,4000}(?:\.[A-Za-z0-9_-]{0,4000})?"),
    _exact(
        "api_key",
        r"(?<![A-Za-z0-9_])(?:(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{12,200}|(?:gh[pousr]|npm)_[A-Za-z0-9]{20,255}"
        r"|github_pat_[A-Za-z0-9_]{20,255}|gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{16,64}|xox[abeoprs]-[A-Za-z0-9-]{8,255}"
        r"|xapp-[A-Za-z0-9-]{16,255}|(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{12,20}|AIza[0-9A-Za-z_-]{20,60}|GOCSPX-[A-Za-z0-9_-]{16,64}"
        r"|ya29\.[A-Za-z0-9_-]{16,500}|hf_[A-Za-z0-9]{16,64}|pypi-[A-Za-z0-9_-]{16,255}|SG\.[A-Za-z0-9_-]{10,64}\.[A-Za-z0-9_-]{10,64}"
        r"|whsec_[A-Za-z0-9]{16,64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,64}|do[opr]_v1_[a-f0-9]{20,80}|LTAI[A-Za-z0-9]{12,30}"
        r"|AKID[A-Za-z0-9]{13,40}|sq0[a-z]{3}-[A-Za-z0-9_-]{20,64}|key-[0-9a-f]{32}|\d{8,10}:AA[A-Za-z0-9_-]{30,40}"
        r"|dapi[a-f0-9]{32}|lin_api_[A-Za-z0-9]{20,64}|r8_[A-Za-z0-9]{20,64}|gsk_[A-Za-z0-9]{20,80}|nvapi-[A-Za-z0-9_-]{20,100})",
    ),
    _exact("token", r"https://hooks\.slack\.com/(?P<secret>services/[A-Za-z0-9/]{10,120})"),
    _exact("token", r"https://discord(?:app)?\.com/api/(?P<secret>webhooks/\d{5,30}/[A-Za-z0-9_-]{10,120})"),
    _detector("token", r"\b(?:bearer|basic)\s{1,3}(?P<secret>[A-Za-z0-9._~+/-]{12,4000}={0,2})", _is_code),
    _detector("password", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,80}:(?P<secret>[^\s/@]{1,120})@"),
)  # fmt: skip

CHECKED = (
    _exact("card", r"(?<![\w.-])(?P<secret>[2-6](?:[ -]?\d){12,18})(?![\d-])", _is_card),
    _exact("card", r"(?<=[\u3400-\u9fff])(?P<secret>[2-6](?:[ -]?\d){12,18})(?!\d)", _is_card),
    _exact("id_number", r"(?<![0-9A-Za-z])(?P<secret>[1-9]\d{16}[\dXx])(?![0-9A-Za-z])", _is_resident_id),
    _exact("bank_account", r"(?<![0-9A-Za-z])(?P<secret>[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30})(?![0-9A-Za-z])", _is_iban),
)

ANNOUNCED = (
    _detector(
        "api_key",
        r"(?:(?:api|access|secret|private|auth|encryption|signing|license|client)[_.-]?(?:key|secret|token)"
        r"(?:[_.-]?(?:id|base))?)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<secret>[^\s\"',;，。]{4,400})",
        _is_password,
    ),
    _detector(
        "password",
        r"(?:pass(?:word|wd|phrase)?|pwd)[\"']?\s{0,3}[=:：]\s{0,3}[\"']?"
        r"(?P<secret>[^\s\"',;，。；]{3,400})",
        _is_password,
    ),
    _detector(
        "token",
        r"(?:secret|token|credentials?)[\"']?\s{0,3}[=:：]\s{0,3}[\"']?(?P<secret>[^\s\"',;，。；]{3,400})",
        _is_code,
    ),
    _detector("password", rf"{_ANNOUNCE_EN}{_FOR}{_LINK_EN}{_QUOTED}"),
    _detector("password", rf"{_ANNOUNCE_EN}{_FOR}{_LINK_EN}{_PHRASE_EN}", _is_password),
    _detector("password", rf"{_ANNOUNCE_EN}\s{{1,3}}{_QUOTED}"),
    _detector("password", rf"{_ANNOUNCE_EN}\s{{1,3}}{_SIGNS}", _is_password),
    _detector(
        "password",
        rf"(?<![!-~])(?P<secret>[!-~]{{3,64}}) (?:is|was|as) (?:my|the|our|her|his|their) (?:[\w-]{{1,20}} ){{0,3}}"
        rf"{_ANNOUNCE_EN}",
        _is_code,
    ),
    _detector("password", rf"{_ANNOUNCE_ZH}{_LINK_ZH}{_QUOTED}"),
    _detector("password", rf"{_ANNOUNCE_ZH}{_LINK_ZH}{_PHRASE_ZH}", _is_password),
    _detector("password", rf"{_ANNOUNCE_ZH}\s{{0,3}}{_QUOTED}"),
    _detector("password", rf"{_ANNOUNCE_ZH}\s{{0,3}}{_SIGNS}"),
    _detector(
        "password",
        rf"(?:用|拿)\s?(?P<secret>[!-~]{{3,64}})\s?(?:当|當|做|作为|作為|作)(?:我的?)?{_ANNOUNCE_ZH}",
    ),
    _detector(
        "password",
        rf"(?<![!-~])(?P<secret>[!-~]{{4,64}})\s?(?:是|就是)(?:我|咱|俺|家里|公司)?的?{_ANNOUNCE_ZH}",
    ),
    _detector("code", rf"{_CODE_EN}{_FOR}{_LINK_EN}[\"“'‘`]?(?P<secret>[\w#*-]{{3,24}})", _is_code),
    _detector("code", rf"{_CODE_EN}\s{{1,3}}(?P<secret>[\d#*][\d#* -]{{2,14}}[\d#*])"),
    _detector(
        "code",
        r"(?<!zip )(?<!area )(?<!post )(?<!postal )(?<!error )(?<!status )(?<!country )(?<!exit )(?<!product )"
        r"\bcode(?: is|:) (?P<secret>\d{4,8})\b",
    ),
    _detector("password", r"\buser(?:name)? ?/ ?pass(?:word)?[: ]{1,3}[^\s/]{1,64} ?/ ?(?P<secret>[^\s/]{3,64})"),
    _detector("code", rf"{_CODE_ZH}(?:{_LINK_ZH}|\s{{0,3}})[\"“「]?(?P<secret>[A-Za-z0-9#*-]{{3,24}})", _is_code),
    _detector(
        "token",
        r"(?:token|secret|key|credentials?|cookie|session(?:id)?|密钥|密鑰|令牌|凭证|憑證)(?:\s{0,3}(?:is|are|was|是|为|為|[:=：])"
        r"|\s)\s{0,3}[\"'“`]?(?P<secret>[A-Za-z0-9_+/.=~-]{12,4000})",
        _is_token,
    ),
    _detector(
        "id_number",
        r"(?:身份证|身分證|身份證|证件)(?:号码?|號碼?|字號)?[^\dA-Za-z\n]{0,8}"
        r"(?P<secret>[A-Za-z]?\d[\dXx ]{6,20}[\dXx])",
    ),
    _detector("id_number", r"护照(?:号码?)?[^\dA-Za-z\n]{0,6}(?P<secret>[A-Za-z]{0,2}\d{6,9})"),
    _detector("id_number", r"護照(?:號碼?)?[^\dA-Za-z\n]{0,6}(?P<secret>[A-Za-z]{0,2}\d{6,9})"),
    _detector(
        "id_number",
        r"(?:\bssn|social(?: security)?(?: number| no\.?| #)?)\b[^\d\n]{0,24}"
        r"(?P<secret>\d{3}[- ]?\d{2}[- ]?\d{4})(?!\d)",
    ),
    _exact("id_number", r"(?<![\d-])(?P<secret>(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4})(?![\d-])"),
    _detector(
        "id_number",
        r"(?:passport|national insurance|\bnino?\b|\bsin\b|aadhaar|aadhar|\bpan\b|tax id|\bnric\b|"
        r"driver['’]?s? licen[cs]e|"
        r"licen[cs]e|medicare|\bcpf\b|resident id|id card)(?: (?:number|no\.?|num|#))?"
        r"[^\w\n]{0,3}(?:is|was|:|=)?[^\w\n]{0,3}"
        r"(?P<secret>[A-Za-z]{0,3}[ -]?\d[\dA-Za-z -]{4,16}[\dA-Za-z])",
        lambda secret: sum(c.isdigit() for c in secret) >= MIN_DOCUMENT_DIGITS,
    ),
    _detector(
        "card",
        r"(?:card(?: number| no\.?)?|visa|mastercard|amex|卡号|卡號|银行卡|信用卡|储蓄卡)"
        r"[^\d\n]{0,12}(?P<secret>\d(?:[ -]?\d){11,18})(?!\d)",
    ),
    _detector(
        "bank_account",
        r"(?:account (?:number|no\.?|num|#)|acct\.?(?: (?:number|no\.?|#))?|routing(?: number)?|sort code|"
        r"银行账号|银行账户|帐号|"
        r"账号|賬號|帳號)[^\w\n]{0,4}(?:is|was|是|为|:|=)?[^\w\n]{0,3}(?P<secret>\d(?:[ -]?\d){5,19})(?!\d)",
    ),
)  # fmt: skip

# Without one of these no announced secret can be there; most messages stop here.
ANNOUNCER = re.compile(
    r"pass|pwd|pword|contraseña|mot de|pw|pin|phrase|words|key|code|combo|otp|cvv|cvc|csc|2fa|secret|token|credential|"
    r"cookie|"
    r"session|ssn|social|insurance|nino?|sin|aadha|pan|tax id|nric|licen|medicare|cpf|resident|id card|card|visa|amex|"
    r"account|acct|routing|sort|密|口令|碼|码|词|詞|答案|私|令牌|凭证|憑證|证|證|护照|護照|卡|号|號|账|賬",
    re.IGNORECASE,
)
