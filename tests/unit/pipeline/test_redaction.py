"""What is taken out of text as a secret, and what is left in."""

from __future__ import annotations

import pytest

from easy_data.pipeline.redaction import redact


@pytest.mark.parametrize(
    ("text", "secret", "kind"),
    [
        ("DB_PASS=h0rse-Battery-99!", "h0rse-Battery-99!", "password"),
        ("API_KEY=sk-test-4f9aKQ7zLm20XxTb", "sk-test-4f9aKQ7zLm20XxTb", "api_key"),
        ("it is ghp_abcdefghijklmnopqrstuvwxyz0123456789 ok", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "api_key"),
        ("用AKIAIOSFODNN7EXAMPLE登录", "AKIAIOSFODNN7EXAMPLE", "api_key"),
        ("Authorization: Bearer abcdefgh12345678ijkl", "abcdefgh12345678ijkl", "token"),
        ("postgres://bob:s3cr3t@db:5432/x", "s3cr3t", "password"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEowIB\n-----END RSA PRIVATE KEY-----", "MIIEowIB", "private_key"),
        ("token is 8f3kd92jf8s7d6f5", "8f3kd92jf8s7d6f5", "token"),
        ("the password is correct horse battery staple, ok?", "horse battery", "password"),
        ("my password's hunter2!", "hunter2", "password"),
        ("hunter2 is my password", "hunter2", "password"),
        ("the wifi password at my place is mango-tree-7", "mango-tree-7", "password"),
        ("my pin is 4821 and I live in Oslo", "4821", "password"),
        ("door code is 4821#", "4821", "code"),
        ("your OTP 559201 expires", "559201", "code"),
        ("密码是abc123，别忘了", "abc123", "password"),
        ("wifi密码12345678哈哈", "12345678", "password"),
        ("我密码设的是 qwer1234", "qwer1234", "password"),
        ("支付密碼改成了 998877", "998877", "password"),
        ("密码：小狗爱吃月亮", "小狗爱吃月亮", "password"),
        ("用 Zx9!kk 当密码", "Zx9!kk", "password"),
        ("驗證碼是482913", "482913", "code"),
        ("card 4111 1111 1111 1111 please", "4111 1111", "card"),
        ("我的卡4111111111111111吧", "4111111111111111", "card"),
        ("我身份证110101199003078515有啥问题不", "110101199003078515", "id_number"),
        ("号码11010519491231002X没错", "11010519491231002X", "id_number"),
        ("my ssn is 078-05-1120", "078-05-1120", "id_number"),
        ("passport number is X12345678", "X12345678", "id_number"),
        ("GB82 WEST 1234 5698 7654 32", "WEST 1234", "bank_account"),
    ],
)
def test_a_secret_becomes_a_mark_of_its_kind(text: str, secret: str, kind: str) -> None:
    redacted = redact(text)
    assert secret not in redacted.text
    assert f"[secret:{kind}]" in redacted.text
    assert redacted.counts == {kind: 1}


@pytest.mark.parametrize(
    "text",
    [
        "my locker word is blue heron",
        "the password is wrong",
        "password policy is strict",
        "我的密码是什么来着",
        "密码忘了怎么办",
        "密码我改了",
        "the secret: butter",
        "key is under the mat",
        "token economy is fun",
        "call me at 415-555-1234 or 13812345678",
        "mail dana@corp.example",
        "订单号 202601011234567890",
        "card ending 4242",
        "my zip code is 90210",
        "I pinned it on the board",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text).text == text


def test_the_rest_of_a_message_with_secrets_is_kept() -> None:
    """O-55: what was said beside the secrets is still there to be remembered."""
    redacted = redact(
        "Remember: staging DB password is Kestrel-Otter-19, card 4111 1111 1111 1111, "
        "key sk-test-ABCDEFGHIJKLMNOPQRSTUV; I prefer invoices by e-mail."
    )
    assert redacted.text == (
        "Remember: staging DB password is [secret:password], card [secret:card], "
        "key [secret:api_key]; I prefer invoices by e-mail."
    )
    assert redacted.counts == {"password": 1, "card": 1, "api_key": 1}


def test_redacting_again_changes_nothing() -> None:
    once = redact("PASSWORD: hunter2 密码是abc123 key sk-test-ABCDEFGHIJKLMNOPQRSTUV")
    again = redact(once.text)
    assert (again.text, again.counts) == (once.text, {})


def test_a_megabyte_is_read_to_its_end() -> None:
    text = "天气不错。" * 200_000 + "密码是abc123"
    assert redact(text).text.endswith("密码是[secret:password]")
