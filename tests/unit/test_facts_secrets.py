"""Credential-shaped strings are found and replaced (contract F5, known failures J11, J13)."""

import tracemalloc

import pytest

from turnfold.facts import SECRET, _secrets, redact, secrets

# None of these is real; each is put together here so that no scanner takes it for one.
SHAPES = {
    "openai": "sk-" + "a1" * 16,
    "github": "ghp_" + "aB3" * 12,
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "slack": "xoxb-" + "1234567890-abcdef",
    "jwt": "eyJ" + "hbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
    "google": "AIza" + "Sy0" * 12,
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("around", ["{}", "x={} y", '"{}"', "({}).", "请用{}登录", '{{"a":"{}"}}'])
def test_a_vendor_prefix_is_replaced_wherever_it_stands(shape: str, around: str) -> None:
    text = around.format(shape)
    assert redact(text) == around.format(SECRET)
    assert secrets(text) == (shape,)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("password=hunter2", "hunter2"),
        ("DB_PASSWORD: correcthorse", "correcthorse"),
        ('{"password": "hunter2"}', "hunter2"),
        ('{\\"password\\": \\"hunter2\\"}', "hunter2"),
        ("passphrase: 'open sesame'", "open sesame"),
        ('"api_key": "abc12345678"', "abc12345678"),
        ("X-Api-Key: abc12345678", "abc12345678"),
        ("access_token = 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
        ("Authorization: Bearer abcdef123456ghi", "abcdef123456ghi"),
        ("postgres://me:pa55w0rd@db/x", "pa55w0rd"),
        ("密码\uff1aabc123", "abc123"),
        ("key: Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9", "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9"),
    ],
)
def test_what_is_assigned_to_a_credential_is_replaced(text: str, value: str) -> None:
    assert redact(text) == text.replace(value, SECRET)


@pytest.mark.parametrize(
    "text",
    [
        "token: string",
        "token = getToken()",
        "password: str | None = None",
        "password := os.Getenv(name)",
        "password == other.password",
        "max_tokens=4096",
        "tokens: 12345678",
        "passed: 1234",
        "compass: north1",
        "monkey: Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "see https://example.org/a:b/c@d",
        "sk-learn and sk_buff",
        "",
    ],
)
def test_code_and_plain_words_stay(text: str) -> None:
    assert redact(text) == text
    assert secrets(text) == ()


def pem(newline: str, *, end: bool = True) -> str:
    lines = ["-----BEGIN RSA PRIVATE " + "KEY-----", "MIIEabc/+123==", "QUJD"]
    return newline.join([*lines, *(["-----END RSA PRIVATE " + "KEY-----"] if end else [])])


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n"])
def test_a_private_key_is_replaced_as_a_whole(newline: str) -> None:
    assert redact(f'before "{pem(newline)}" after') == f'before "{SECRET}" after'


def test_a_private_key_without_its_end_is_replaced() -> None:
    assert "MIIE" not in redact(pem("\n", end=False))


def test_redacting_twice_changes_nothing_more() -> None:
    text = f"password=hunter2 {SHAPES['github']} {pem(chr(10))}"
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize("size", range(1, 40, 6))
def test_a_secret_is_found_wherever_a_long_text_is_cut(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """Would catch: a stem, or what names its key, that is cut in two."""
    text = "x api_key = Abc123def456 Bearer abc123def456ghi http://me:hunter2x@host/ pwd: hunter2"
    whole = redact(text)
    assert whole.count("[secret]") == 4
    monkeypatch.setattr(_secrets, "_PIECE", size)
    assert redact(text) == whole


@pytest.mark.parametrize("unit", ["\u4e0d", "token=token="])
def test_a_long_line_is_not_held_several_times(unit: str) -> None:
    """Would catch: a whole text in lower case, which is twelve bytes a character beyond ASCII."""
    text = unit * (1_000_000 // len(unit))
    tracemalloc.start()
    redact(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(text)
