# SPDX-License-Identifier: Apache-2.0
"""damaged_bytes.py: damages of a file that know nothing of its kind: cut, flipped, spliced, filled
with integers at the limits of their types, with long and deep text."""
import re
import struct

INTEGERS = (0, 1, 2, 127, 255, 256, 65535, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 62,
            2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1)
NUMBERS = ("0", "-0", "-1", "1", "33", "65536", "2147483647", "2147483648", "4294967296",
           "9223372036854775807", "9223372036854775808", "18446744073709551615",
           "18446744073709551616", "9" * 40, "1e999", "-1e999", "1e-999", "0.5", "1e3", "nan",
           "inf", "NaN", "Infinity", "", "0x10", "1_000", "00", "+1", "[]", "{}", "null", "true",
           '""')
TEXTS = (b"\0", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\x1b[2J",
         b"\xc2\x9b", b"\xe2\x80\xae", b"\\u0000", b"\\ud800", b"\\", b'"', b"'", b"[", b"]", b"{",
         b"}", b"\n", b"\t", b",", b"=", b"#", b"../", b"/dev/zero", b"%s%n", b"\xf0\x9f\x98\x80")


def place(chance, data):
    """A place, more often near the beginning, where headers are."""
    if chance.random() < 0.5:
        return chance.randrange(min(len(data), 256) + 1)
    return chance.randrange(len(data) + 1)


def cut(chance, data):
    return data[:place(chance, data)]


def cut_a_little(chance, data):
    return data[:max(0, len(data) - chance.choice((1, 2, 3, 4, 8, 16)))]


def longer(chance, data):
    return data + chance.choice((b"\0", b"\n", b"x", b"\xff" * 7, bytes(64), b"}" * 9))


def flipped(chance, data):
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 8, 64))):
        if changed:
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def filled(chance, data):
    begin = place(chance, data)
    size = chance.choice((1, 2, 4, 8, 100))
    byte = bytes([chance.choice((0, 1, 32, 48, 91, 127, 128, 255))])
    return data[:begin] + byte * min(size, len(data) - begin) + data[begin + size:]


def without_a_range(chance, data):
    begin = place(chance, data)
    return data[:begin] + data[begin + chance.choice((1, 2, 4, 8, 31, 500)):]


def doubled_range(chance, data):
    begin = place(chance, data)
    end = begin + chance.choice((1, 4, 8, 60, 1000))
    return data[:end] + data[begin:end] + data[end:]


def spliced(chance, data):
    """The beginning, then the file from another place."""
    return data[:place(chance, data)] + data[place(chance, data):]


def with_text(chance, data):
    at = place(chance, data)
    return data[:at] + chance.choice(TEXTS) * chance.choice((1, 1, 1, 3)) + data[at:]


def with_integer(chance, data):
    """An integer at a limit of its type, over what is there."""
    value, size = chance.choice(INTEGERS), chance.choice((4, 8))
    at = place(chance, data)
    return data[:at] + struct.pack("<Q", value)[:size] + data[at + size:]


def with_number(chance, data):
    """Another number, in text."""
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?", data[:100000]))
    if not found:
        return with_integer(chance, data)
    one = chance.choice(found)
    return data[:one.start()] + chance.choice(NUMBERS).encode() + data[one.end():]


def with_depth(chance, data):
    at = place(chance, data)
    bracket = chance.choice((b"[", b"{", b'{"a":', b"(", b"[[", b"a.", b"{a="))
    return data[:at] + bracket * chance.choice((17, 100, 5000, 100000)) + data[at:]


def with_length(chance, data):
    at = place(chance, data)
    piece = chance.choice((b"a", b" ", b"0", b"9", b"\xc3\xa9", b"\n", b'"k":1,', b"-"))
    return data[:at] + piece * chance.choice((300, 5000, 400000)) + data[at:]


def other_line_ends(chance, data):
    return data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b"", b"\0")))


def lines_changed(chance, data):
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    how = chance.randrange(4)
    if how == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif how == 1:
        lines.insert(other, lines[one])
    elif how == 2:
        del lines[one]
    else:
        lines[one] = lines[one] + lines[other]
    return b"\n".join(lines)


def nothing(_chance, _data):
    return b""


def other_contents(chance, _data):
    """A file of another kind under this name."""
    return chance.choice((b"\x93NUMPY\x01\x00\x10\x00", b"GGUF\x03\0\0\0", b"\x80\x02}q\x00.",
                          b"PK\x03\x04", b"\x7fELF", b"\x1f\x8b\x08", b"{}", b"[]", b"null", b"\n",
                          b"\0" * 100, b"#!/bin/sh\n", b'""', b"0", struct.pack("<Q", 2) + b"{}"))


DAMAGES = (cut, cut_a_little, longer, flipped, flipped, filled, without_a_range, doubled_range,
           spliced, with_text, with_text, with_integer, with_integer, with_number, with_number,
           with_depth, with_length, other_line_ends, lines_changed, nothing, other_contents)


def damaged(chance, data):
    """The damaged bytes, and the names of the damages."""
    names = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        damage = chance.choice(DAMAGES)
        data = damage(chance, data)
        names.append(damage.__name__)
    return data, names
