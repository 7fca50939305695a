"""Reading JSON Lines: damage costs only itself (contract R4; known failures K1, K5)."""

import time
import tracemalloc
from collections.abc import Iterator

import pytest

from turnfold.formats._lines import Record, parse_line, read_records

GOOD = b'{"n":1}\n'


def codes(record: Record) -> list[str]:
    return [each.code for each in record.damage]


def read(source: bytes) -> list[Record]:
    records = list(read_records(source))
    assert b"".join(record.raw for record in records) == source
    for record in records:
        assert parse_line(record.number, record.raw) == record.values
    return records


def test_a_line_ends_at_lf_only() -> None:
    source = '{"a":"x\u2028y\u2029z\x85\x0b"}\r\n{"b":2}'.encode()
    first, second = read(source)
    assert first.values == ({"a": "x\u2028y\u2029z\x85\x0b"},)
    assert (first.damage, second.values, second.damage) == ((), ({"b": 2},), ())


def test_the_raw_bytes_are_kept_and_blank_lines_too() -> None:
    records = read(b'\xef\xbb\xbf{"a":1}\n\n  \r\n{"b":2}')
    assert [record.values for record in records] == [({"a": 1},), (), (), ({"b": 2},)]
    assert all(not record.damage for record in records)


def test_a_byte_order_mark_is_one_on_the_first_line_only() -> None:
    records = read(GOOD + b'\xef\xbb\xbf{"a":1}\n')
    assert codes(records[1]) == ["unreadable_record"]


@pytest.mark.parametrize("source", [b"", b"\n", b"\n\n"])
def test_a_source_without_records_gives_none(source: bytes) -> None:
    assert not any(record.values for record in read(source))


def test_chunks_may_be_cut_anywhere() -> None:
    source = b'{"a":"\xc3\xa9"}\n\n{"b":2}\n{"c":3}'
    whole = read(source)
    for size in range(1, len(source)):
        pieces = [source[at : at + size] for at in range(0, len(source), size)]
        assert list(read_records(pieces)) == whole


def test_a_line_of_nul_bytes_is_reported_and_later_lines_load() -> None:
    """K1."""
    records = read(GOOD * 3 + b"\0" * 500 + b"\n" + GOOD * 3)
    assert [len(record.values) for record in records] == [1, 1, 1, 0, 1, 1, 1]
    (damage,) = records[3].damage
    assert (damage.place, damage.code) == ("line 4", "nul_bytes")
    assert "500" in damage.message


@pytest.mark.parametrize("line", [b"\0" * 64 + GOOD, b'{"n":1}' + b"\0" * 64 + b"\n"])
def test_a_record_with_nul_bytes_glued_to_it_is_used(line: bytes) -> None:
    """K1."""
    (record,) = read(line)
    assert record.values == ({"n": 1},)
    assert codes(record) == ["nul_bytes"]
    assert "64" in record.damage[0].message


def test_glued_records_are_both_used() -> None:
    (record,) = read(b'{"a":"}{"} {"b":2}\0{"c":3}\n')
    assert record.values == ({"a": "}{"}, {"b": 2}, {"c": 3})
    assert codes(record) == ["nul_bytes", "glued_records"]


def test_what_stands_before_a_broken_rest_is_used() -> None:
    (record,) = read(b'{"a":1}{"b":\n')
    assert record.values == ({"a": 1},)
    assert codes(record) == ["unreadable_record"]


@pytest.mark.parametrize(
    "broken",
    [
        b'{"a":',
        b'{"a":"\xe8\x8c',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a":NaN}',
        b'{"a":' + b"9" * 5_000 + b"}",
        b"\xff\xfe\x00\x01",
        b"nonsense",
    ],
)
def test_a_broken_record_costs_only_itself(broken: bytes) -> None:
    records = read(GOOD + broken + b"\n" + GOOD)
    assert [len(record.values) for record in records] == [1, 0, 1]
    assert "unreadable_record" in codes(records[1])
    assert records[1].damage[0].place == "line 2"


@pytest.mark.parametrize("value", [b"1", b"[]", b'"x"', b"null"])
def test_a_value_that_is_no_object_is_damage(value: bytes) -> None:
    (record,) = read(value)
    assert (record.values, codes(record)) == ((), ["no_object"])


def test_invalid_utf8_inside_a_readable_record_is_replaced_and_reported() -> None:
    (record,) = read(b'{"a":"x\xffy"}\n')
    assert record.values == ({"a": "x\ufffdy"},)
    assert codes(record) == ["invalid_utf8"]


def test_damage_never_quotes_the_record() -> None:
    """E1."""
    (record,) = read(b'{"password":"hunter2')
    assert "hunter2" not in str(record.damage)


def test_a_line_of_25_megabytes_loads() -> None:
    """K5."""
    source = GOOD + b'{"big":"' + b"x" * 25_000_000 + b'"}\n' + GOOD
    started = time.perf_counter()
    sizes = [len(record.values[0].get("big", "")) for record in read_records(source)]
    assert sizes == [0, 25_000_000, 0]
    assert time.perf_counter() - started < 10


def test_a_long_line_in_small_chunks_is_not_joined_again_and_again() -> None:
    """K5, U3."""
    chunks = [b'{"big":"', *[b"x" * 64] * 200_000, b'"}\n']
    started = time.perf_counter()
    (record,) = read_records(chunks)
    assert len(record.values[0]["big"]) == 64 * 200_000
    assert time.perf_counter() - started < 10


def test_many_lines_are_streamed() -> None:
    """K5: no more than one line is held."""

    def lines() -> Iterator[bytes]:
        for number in range(20_000):
            yield b'{"number":%d,"pad":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}\n' % number

    tracemalloc.start()
    try:
        assert sum(len(record.values) for record in read_records(lines())) == 20_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000
