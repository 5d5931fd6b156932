"""Strings that some YAML reader is known to take for something else."""

WORDS = [
    *("y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "on", "On", "ON", "off", "Off", "OFF"),
    *("true", "True", "TRUE", "false", "null", "Null", "NULL", "~", "=", "<<", "", "nan", ".nan", ".inf", "-.Inf"),
]
NUMBERS = [
    *("0", "010", "08", "0o7", "0O7", "0b1", "0x1f", "1e3", "1E3", "1e-3", "1.5e-3", "1.5E+3", "1_000", "1__0", "+1"),
    *("-1", "1.", ".5", "-.5", "1:30", "12:30:45", "190:20:30.15", "2001-01-01", "2001-1-1T00:00:00Z", "1e", "0x"),
    *("123456789012345678901234567890", "1.2.3", "500m", "1Gi", "5m0s", "1.28", "12e03", "0.0", "-0", "1e5m", "9" * 400),
]
INDICATORS = [
    *("-", "- a", "-a", "--- a", "---", "...", "? a", "?", ": a", ":", "a: b", "a:", "a :b", "a #b", "#a", "a#", "::"),
    *("{a", "}", "[a]", "]", ",", "&a", "*a", "!a", "!!str a", "|", ">", ">-", "%a", "@a", "`a", "'a'", '"a"', "a'b", 'a"b'),
    *("it's \"so\"", "\\", "a\\b", "\\n", "{{ x }}", "{{ $labels.pod }}", "a, b", "a: {b}", "k=v", "<a>", "$(X)", "/a:b"),
]
SPACES = [
    *(" a", "a ", " ", "  ", "\t", "\ta", "a\t", "a\tb", "a  b", "\n", "\n\n", "a\n", "a\n\n", "\na", "\n\na\n", "a\nb"),
    *("a\n\nb\n", " a\nb", "  a\n b\n", "a\n  b\n", "a\n \nb", "a\n  ", "a\n  \n", "a \n b \n", "\ta\nb", "a\n\tb\n", "\t\na"),
    *("a\r\nb", "a\rb", " \na", "   \n a\n", "a\n---\nb\n", "a\n...\nb", "# a\nb\n", "a: b\nc: d\n", "- a\n- b", "\n \n", "a\n\n\n"),
]
UNICODE = [
    *("é", "日本語", "😀", "😀\n", "a\u00a0b", "\u00a0", "a\u2028b", "a\u2029b\n", "a\x85b", "\ufeff", "a\ufeffb\n", "\u200b"),
    *("\x00", "\x07", "\x1b[31m", "\x7f", "\ufffe", "\ufffd", "\U0010ffff", "\ue000", "\u202eabc", "²", "١٢", "é: b", "ünïcode\nlines\n"),
]
STRINGS = [*WORDS, *NUMBERS, *INDICATORS, *SPACES, *UNICODE]
