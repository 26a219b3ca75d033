# SPDX-License-Identifier: Apache-2.0
"""damaged_gguf.py: GGUF files of which one field is another: counts, kinds, keys, lengths, extents,
offsets, alignment; or that end behind any field. Fields are found as the specification lays them out
(GGUF, "File Structure"), and the tensors' bytes follow the new header at the old alignment."""
import struct

WIDTHS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
STRING, ARRAY = 8, 9
NUMBERS = (0, 1, 2, 3, 7, 8, 9, 12, 13, 31, 32, 33, 39, 40, 255, 256, 65535, 2 ** 31 - 1, 2 ** 31,
           2 ** 32 - 1, 2 ** 32, 2 ** 53, 2 ** 62, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 32, 2 ** 64 - 1)
TEXTS = (b"", b"a", b"general.alignment", b"general.architecture", b"\xff\xfe", b"\0", b"a\nb",
         b"\x1b[2J", b"../x", b"x" * 70000, "\U0001F600".encode())
ALIGNMENT = b"general.alignment"


class Reader:
    """Fields in the order of the file: (what, begin, end), of counts, kinds, texts and values."""

    def __init__(self, data):
        self.data, self.at, self.fields = data, 0, []
        self.number("magic", 4)
        self.number("version", 4)
        tensors, notes = self.number("tensors", 8), self.number("notes", 8)
        self.first_note = self.at
        for _ in range(notes):
            self.text("key")
            self.value(self.number("kind", 4))
        self.first_tensor = self.at
        for _ in range(tensors):
            self.text("name")
            for _ in range(self.number("axes", 4)):
                self.number("extent", 8)
            self.number("type", 4)
            self.number("offset", 8)

    def field(self, what, size):
        begin, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise ValueError(f"{what} ends behind the file")
        self.fields.append((what, begin, self.at))
        return self.data[begin:self.at]

    def number(self, what, width):
        return int.from_bytes(self.field(what, width), "little")

    def text(self, what):
        self.field(what, self.number("length", 8))

    def value(self, kind, depth=0):
        if depth > 99:
            raise ValueError("arrays in arrays")
        if kind == STRING:
            self.text("text")
        elif kind == ARRAY:
            of = self.number("kind", 4)
            for _ in range(self.number("count", 8)):
                self.value(of, depth + 1)
        else:
            self.number("value", WIDTHS[kind])


def other_bytes(chance, what, old):
    if what in ("key", "name", "text"):
        return chance.choice(TEXTS)
    if what == "magic":
        return chance.choice((b"GGUF"[::-1], b"GGML", b"\0\0\0\0"))
    if chance.random() < 0.3:
        number = int.from_bytes(old, "little") + chance.choice((-1, 1, 8, 31, -32))
    else:
        number = chance.choice(NUMBERS)
    return (number % (1 << 8 * len(old))).to_bytes(len(old), "little")


def changed_field(chance, data, read):
    what, begin, end = chance.choice(read.fields)
    new = other_bytes(chance, what, data[begin:end])
    if what in ("key", "name", "text") and chance.random() < 0.8:  # with its length
        return begin - 8, end, struct.pack("<Q", len(new)) + new
    return begin, end, new


def note(key, kind, value):
    return struct.pack("<Q", len(key)) + key + struct.pack("<I", kind) + value


def further_note(chance, _data, read):
    """An alignment, a key that appears twice, arrays in arrays, more elements than bytes."""
    deep = struct.pack("<IQ", ARRAY, 1) * chance.choice((2, 50, 5000)) + struct.pack("<IQ", 4, 0)
    notes = [note(ALIGNMENT, 4, struct.pack("<I", n)) for n in (0, 1, 3, 8, 64, 2 ** 31, 2 ** 32 - 1)]
    notes += [note(ALIGNMENT, 8, struct.pack("<Q", 1) + b"a"), note(b"deep", ARRAY, deep),
              note(b"general.architecture", 8, struct.pack("<Q", 5) + b"llama"),
              note(b"many", ARRAY, struct.pack("<IQ", chance.choice((0, 8, 9, 12)), 2 ** 40)),
              note(b"odd", chance.choice((13, 99, 2 ** 32 - 1)), b"")]
    return read.first_note, read.first_note, chance.choice(notes)


def repeated_tensor(chance, data, read):
    """A tensor's entry twice: the same name, and bytes that two tensors share."""
    starts = [i for i, (what, _, _) in enumerate(read.fields) if what == "name"]
    at = chance.choice(starts)
    begin = read.fields[at][1] - 8
    end = next((e for what, _, e in read.fields[at:] if what == "offset"))
    entry = data[begin:end]
    if chance.random() < 0.5:
        size = struct.unpack("<Q", entry[:8])[0]
        entry = struct.pack("<Q", size + 1) + entry[8:8 + size] + b"x" + entry[8 + size:]
    return begin, begin, entry


def damaged_gguf(chance, data):
    read = Reader(data)
    if chance.random() < 0.15:
        return data[:chance.choice(read.fields)[chance.choice((1, 2))]]
    change = chance.choice((changed_field,) * 6 + (further_note, repeated_tensor))
    begin, end, new = change(chance, data, read)
    head = data[:begin] + new + data[end:read.at]
    if change is further_note:
        count = struct.unpack("<Q", head[16:24])[0] + 1
        head = head[:16] + struct.pack("<Q", count) + head[24:]
    elif change is repeated_tensor:
        count = struct.unpack("<Q", head[8:16])[0] + 1
        head = head[:8] + struct.pack("<Q", count) + head[16:]
    tensors = data[read.at + -read.at % 32:]
    if chance.random() < 0.1:
        tensors = tensors[:len(tensors) // 2]
    return head + bytes(-len(head) % 32) + tensors
