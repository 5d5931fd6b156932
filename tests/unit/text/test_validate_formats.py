from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.text.formats import ENFORCED, is_timestamp, matches_format
from kitgen.text.regex_match import compile_pattern

CASES = {
    "bsonobjectid": (["507f1f77bcf86cd799439011"], ["507f1f77"]),
    "byte": (["aGk=", "aGVsbG8h", "aA=="], ["", "aGk", "a b=", "aGk=\n", "a-_="]),
    "cidr": (
        ["10.0.0.0/8", "fd00::/8", "10.0.0.1/8"],
        ["10.0.0.0", "10.0.0.0/33", "x/8", "10.0.0.0/255.0.0.0", "fe80::%1/64"],
    ),
    "creditcard": (
        ["4111 1111 1111 1111", "4111x1111y1111z1111"],
        ["4111 1111 1111 1112", "12", "1111111111111117"],
    ),
    "date": (["2024-02-29", "0000-02-29"], ["2023-02-29", "2024-2-9", "20240229", "2024-02-29\n"]),
    "date-time": (
        ["2024-01-01T00:00:00Z", "2024-01-01t00:00:00.123+02:00", "2024-01-01T00:00:00+99:99"],
        ["2024-01-01", "2024-01-01T25:00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:60Z", "T", ""],
    ),
    "datetime": (["2024-01-01t00:00:00z"], ["x"]),
    "duration": (
        [
            "5m0s",
            "1h30m",
            "0",
            "-0",
            "-1.5h",
            "3 days",
            " 2 Weeks 1 blink",
            "0" * 5000 + "3 days",
            "1.h",
            ".5s",
        ],
        ["5", "m", "1x", "", "-3 days", "1.5 days", "9" * 5000 + " days", f"{2**63} days"],
    ),
    "email": (
        [
            "a@example.com",
            "a@b",
            "A B <a.b@example.com>",
            '"a b"@example.com',
            "é@example.com",
            "a@[10.0.0.1]",
        ],
        ["a@", "example.com", "a..b@example.com", "a b@example.com", "", "<a@b", "a@b, c@d"],
    ),
    "hexcolor": (["#fff", "00ff00"], ["#ff", "red"]),
    "hostname": (
        ["a.example.com", "localhost", "1a", "é.example.com", "a.b1", "a-b", "my-host.example.com"],
        ["-a", "a..b", "a" * 64, "a_b", "a.b", "example.com.", "", "my-host"],
    ),
    "ipv4": (["10.0.0.1", "::ffff:10.0.0.1"], ["10.0.0.256", "::1", "10.0.0.01"]),
    "ipv6": (["::1", "::ffff:10.0.0.1"], ["10.0.0.1", "g::", "fe80::1%eth0"]),
    "isbn": (["0-306-40615-2", "978-3-16-148410-0"], ["0-306-40615-3", "12"]),
    "isbn10": (["080442957X"], ["9783161484100"]),
    "isbn13": (["9783161484100"], ["9783161484101", "080442957X"]),
    "mac": (
        ["01:23:45:67:89:ab", "0123.4567.89ab", "01-23-45-67-89-ab-cd-ef", "0123.4567.89ab.cdef"],
        ["01:23:45", "01:23-45:67:89:ab", "01:23:45:67:89:ab:cd", "0123456789ab"],
    ),
    "rgbcolor": (["rgb(0, 12,255)"], ["rgb(0,0,256)", "0,0,0", "rgb(00,0,0)"]),
    "ssn": (["111-22-3333", "111 22-3333"], ["11-22-3333", "111223333"]),
    "uri": (
        [
            "https://example.com/a?b",
            "/path",
            "/a b",
            "mailto:x",
            "http://[::1]:80/",
            "https://u:p@h",
            "*",
            "a:",
        ],
        ["example.com", "https://a b", "", "http://h:x/", "/%zz", "http://[::1", ":a", "/a\n", "http://h%41"],
    ),
    "uuid": (["123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"], ["123e4567"]),
    "uuid3": (["123e4567-e89b-32d3-a456-426614174000"], ["123e4567-e89b-42d3-a456-426614174000"]),
    "uuid4": (["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-42d3-c456-426614174000"]),
    "uuid5": (["123e4567-e89b-52d3-a456-426614174000"], ["123e4567-e89b-42d3-a456-426614174000"]),
    "int32": ([0, -(2**31)], [2**31]),
    "int64": ([2**63 - 1], [2**63, 1e300]),
    "uint32": ([2**32 - 1], [-1]),
    "uint64": ([2**64 - 1], [-1]),
}


@rows("name", CASES)
def test_a_format_tells_right_from_wrong(name):
    good, bad = CASES[name]
    assert [value for value in good if not matches_format(name, value)] == []
    assert [value for value in bad if matches_format(name, value)] == []


def test_every_format_has_a_case():
    assert CASES.keys() == ENFORCED


def test_dashes_in_the_name_of_a_format_do_not_count():
    assert not matches_format("uu-id", "x")
    assert matches_format("pass-word", "x")


@rows(
    ("text", "good"),
    [
        ("2024-01-31T12:00:00Z", True),
        ("2024-01-31T12:00:00.5+02:00", True),
        ("2024-01-31t12:00:00z", False),
        ("2024-01-31T24:00:00Z", False),
        ("2024-01-31T12:00:00+25:00", False),
        ("2024-02-30T12:00:00Z", False),
        ("2024-01-31", False),
        ("", False),
    ],
)
def test_a_time_in_metadata_is_stricter_than_the_format(text, good):
    assert is_timestamp(text) is good


@given(st.sampled_from(sorted(ENFORCED)), st.text(max_size=20) | st.integers() | st.floats() | st.none())
def test_any_value_gets_an_answer(name, value):
    assert matches_format(name, value) in (True, False)


@rows(
    ("pattern", "good", "bad"),
    [
        ("^(?i)abc$", "ABC", "abd"),
        ("a(?i)b|C", "xc", "A"),
        ("^[[:alpha:]_]+$", "a_Z", "a1"),
        ("^[^[:space:]]$", "a", "\t"),
        (r"^\Qa.b\E+$", "a.bb", "axb"),
        (r"^\d{3}$", "123", "١٢٣"),
        (r"^\pL+$", "é", "1"),
        (r"\Aa\z", "a", "a\n"),
        (r"^\s$", "\t", "\u00a0"),
        (r"^\S$", "\u00a0", " "),
        (r"^[^\s]$", "\u00a0", "\n"),
        (r"^[^\S]$", " ", "a"),
        (r"^[[:^alpha:]_]$", "é", "a"),
        (r"\bb", "éb", "ab"),
        (r"^\101\07$", "A\x07", "101"),
        (r"^\x{41}\P{L}$", "A1", "AA"),
        (r"^[a[]b]$", "[b]", "b]"),
        (r"^[]{]$", "{", "}"),
        ("^a{x}{$", "a{x}{", "a"),
        ("^a{,2}$", "a{,2}", "aa"),
        ("^(?P<name>a)$", "a", "b"),
        (r"^\[:a:\]$", "[:a:]", "a"),
        ("(a+)+$", "a", "a" * 5000 + "b" + "c"),
    ],
)
def test_patterns_mean_what_go_takes_them_for(pattern, good, bad):
    test = compile_pattern(pattern)
    assert test is not None
    assert test(good)
    assert not test(bad)


@rows("pattern", ["(?=a)", "(", "[z-a]", r"(a)\1"])
def test_a_pattern_that_go_refuses_has_no_test(pattern):
    assert compile_pattern(pattern) is None
