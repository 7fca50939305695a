"""The verifiable names of a text (contract U3, audit: how to match 6 and 8)."""

import pytest

from turnfold.facts import LONGEST_ATOM, Kind, find, names


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("edit src/app.py now", Kind.PATH, "src/app.py"),
        ("at src/app.py:12:3, again", Kind.PATH, "src/app.py"),
        ("(see /etc/hosts).", Kind.PATH, "/etc/hosts"),
        ("~/notes/a.md", Kind.PATH, "~/notes/a.md"),
        ("compile a.c", Kind.PATH, "a.c"),
        ("open Makefile.lock", Kind.PATH, "Makefile.lock"),
        (r"at C:\Users\me\x.txt there", Kind.PATH, r"C:\Users\me\x.txt"),
        ("at 10:30, daily", Kind.DATE, "10:30"),
        ("[09:05:12.250Z] up", Kind.DATE, "09:05:12.250Z"),
        ("<https://x.org/a?b=1&c=2>.", Kind.URL, "https://x.org/a?b=1&c=2"),
        ("call max_retries(3)", Kind.IDENTIFIER, "max_retries"),
        ("call getValue()", Kind.IDENTIFIER, "getValue"),
        ("`HTTPServer`", Kind.IDENTIFIER, "HTTPServer"),
        ("os.path.join(a)", Kind.IDENTIFIER, "os.path.join"),
        ("set $HOME", Kind.ENVIRONMENT, "HOME"),
        ("DB_URL=x", Kind.ENVIRONMENT, "DB_URL"),
        ("git commit --no-verify", Kind.FLAG, "--no-verify"),
        ("go test -race", Kind.FLAG, "-race"),
        ("at 1a2b3c4", Kind.HASH, "1a2b3c4"),
        ("v1.2.3-rc1", Kind.VERSION, "v1.2.3-rc1"),
        ("on 2024-05-01.", Kind.DATE, "2024-05-01"),
        ("10.0.0.1:8080", Kind.ADDRESS, "10.0.0.1:8080"),
        ("on [::1]:8080 too", Kind.ADDRESS, "[::1]:8080"),
        ("host 2001:db8::8a2e:370:7334.", Kind.ADDRESS, "2001:db8::8a2e:370:7334"),
        ("route 2001:db8::/32,", Kind.ADDRESS, "2001:db8::/32"),
        ("(fe80::1%eth0)", Kind.ADDRESS, "fe80::1%eth0"),
        ("::ffff:10.0.0.1", Kind.ADDRESS, "::ffff:10.0.0.1"),
        ("see http://[::1]:8080/x.", Kind.URL, "http://[::1]:8080/x"),
        ("5\u20ac a month", Kind.NUMBER, "5\u20ac"),
        ("1.299,00 \u20ac in all", Kind.NUMBER, "1.299,00 \u20ac"),
        ("1 299,00 \u20ac in all", Kind.NUMBER, "1 299,00 \u20ac"),
        ("costs $1,299.00,", Kind.NUMBER, "$1,299.00"),
        ("costs $40.", Kind.NUMBER, "$40"),
        ("costs $5/mo", Kind.NUMBER, "$5"),
        ("\u00a320 or 40 GBP", Kind.NUMBER, "\u00a320"),
        ("2 Mio. \u20ac", Kind.NUMBER, "2 Mio. \u20ac"),
        ("预算500元。", Kind.NUMBER, "500元"),
        ("12\uff05了", Kind.NUMBER, "12\uff05"),
        ("50 percent of", Kind.NUMBER, "50 percent"),
        ("99,9% and 1,5GB", Kind.NUMBER, "1,5GB"),
        ("99,9% and 1,5GB", Kind.NUMBER, "99,9%"),
        ("17/20 tests", Kind.NUMBER, "17/20"),
        ("in 250ms", Kind.NUMBER, "250ms"),
        ("in 250 ms.", Kind.NUMBER, "250 ms"),
        ("用时 21.5 秒", Kind.NUMBER, "21.5 秒"),
        ("超时250毫秒", Kind.NUMBER, "250毫秒"),
        ("run 0041_add_index.sql", Kind.PATH, "0041_add_index.sql"),
        ("index ad388c7..168a845", Kind.HASH, "168a845"),
        ("of 12,345", Kind.NUMBER, "12,345"),
        ("fix ABC-123", Kind.TICKET, "ABC-123"),
        ("error[E0308]", Kind.ERROR, "E0308"),
        ("ENOENT: no such", Kind.ERROR, "ENOENT"),
        ("to me@example.org", Kind.EMAIL, "me@example.org"),
        ('said "no such table"', Kind.QUOTED, "no such table"),
        ("123e4567-e89b-12d3-a456-426614174000", Kind.UUID, "123e4567-e89b-12d3-a456-426614174000"),
    ],
)
def test_a_name_is_found_with_its_kind(text: str, kind: Kind, name: str) -> None:
    assert (kind, name) in find(text).facts


@pytest.mark.parametrize(
    "text",
    [
        *("", "and/or 1/2, he said: yes - no.", "a b c 1 22 -- ... ///"),
        *("the 1st, 2nd, 3rd and 14th time", "a score of 7:5 at 16:9", "at 25:61 or 1:100"),
        *("x[::2], a[1::2], std::sort, a::b and aa:bb:cc:dd:ee:ff", "$1 and $2"),
        *("on 12/25 or 25/12, 24/7, 3/4 or 10/30", "{print $1}"),
        *("a cache, e.g. in memory (i.e. here), a.k.a. the U.S.A.", "at 10 a.m. or 8 P.M. today"),
    ],
)
def test_plain_words_are_no_names(text: str) -> None:
    assert names(text) == ()


def test_a_change_of_script_ends_a_name() -> None:
    """Audit, how to match 6."""
    assert "src/app.py" in names("请修改src/app.py的内容\uff0c并运行pytest_cov。")
    assert "pytest_cov" in names("请修改src/app.py的内容\uff0c并运行pytest_cov。")


def test_names_are_distinct_and_by_first_occurrence() -> None:
    assert names("bb_b aa_a bb_b aa_a") == ("bb_b", "aa_a")


def test_an_atom_over_the_cap_is_counted_and_not_examined() -> None:
    found = find("a_" * LONGEST_ATOM + " real_name")
    assert found.not_examined == 1
    assert [fact.text for fact in found.facts] == ["real_name"]


def test_every_name_stands_in_its_text() -> None:
    text = 'see https://x.org/a), src/x.py:3 `a b c` \\n"k_k": foo.barBaz --x-y C:\\a\\b 3 GB'
    for name in names(text):
        assert name in text


def test_what_is_left_of_a_quotation_without_its_escapes_may_be_nothing() -> None:
    """Would catch: a fault on a quotation of backslashes alone."""
    for text in ('"\\ \\"', '"\\\\ "', "`\\  `", '"a \\"'):
        assert all(fact.text.strip() for fact in find(text).facts)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('open "/Users/me/My Project/app.py" now', "/Users/me/My Project/app.py"),
        ("at `/Users/me/My Project/app.py:12:3`", "/Users/me/My Project/app.py"),
        ("in '~/Library/Application Support/Code'", "~/Library/Application Support/Code"),
        ("\u201c/data/Q3 Results/Report 2024.pdf\u201d", "/data/Q3 Results/Report 2024.pdf"),
        ("`~/OneDrive - Acme/Specs/plan.md`", "~/OneDrive - Acme/Specs/plan.md"),
        ("打开`/Users/me/我的 项目/app.py`。", "/Users/me/我的 项目/app.py"),
        ('{"file_path": "/home/me/my project/a.py"}', "/home/me/my project/a.py"),
        (r'{"command": "cd \"/home/me/my project\" && ls"}', "/home/me/my project"),
        (r"ls /Users/me/My\ Project/src && pwd", r"/Users/me/My\ Project/src"),
        (r'"cd /Users/me/My\\ Project/src"', r"/Users/me/My\\ Project/src"),
        (r"`C:\Program Files\x\y.exe`", r"C:\Program Files\x\y.exe"),
        (r'"C:\\Program Files\\x\\y.exe"', r"C:\\Program Files\\x\\y.exe"),
        (r"(C:\Program Files (x86)\Git\git.exe).", r"C:\Program Files (x86)\Git\git.exe"),
    ],
)
def test_a_blank_in_a_path_does_not_cut_it(text: str, path: str) -> None:
    """Would catch: `/Users/me/My`, which nobody said, and `Project/app.py`."""
    found = find(text).facts
    assert (Kind.PATH, path) in found
    assert not {fact.text for fact in found} & {"/Users/me/My", "Project/app.py", "项目/app.py"}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "`/opt/tool/run config/dev.yaml`",
            "`/usr/local/bin/node Server.js`",
            "`/api/users POST`",
        ),
        *("`/review the src/app.py`", "`/home/a/run.sh Tests/x.py`", "'/a/b/app.py is broken'"),
        *("`/v1/chat/completions Returns 500`", "`/tmp/a /tmp/b`", "`/bin/sh -c /a/b`"),
        *('"// Checks the Path/Name of it"', "'/etc/hosts' and '/etc/passwd'", "/a/b My File.txt"),
        *(
            r"copy C:\Temp to D:\Data",
            r"C:\Windows\cmd.exe Build\out",
            '"path": "/a/app.py is new"',
        ),
    ],
)
def test_a_command_and_a_sentence_are_no_path(text: str) -> None:
    """Would catch: a path with a blank that nobody has."""
    assert not [name for kind, name in find(text).facts if kind is Kind.PATH and " " in name]
