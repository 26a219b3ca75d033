# SPDX-License-Identifier: Apache-2.0
# tests/e2e/event_records.py: reads event files with Python's standard library: the records and their
# checksums, and as much of Protocol Buffers as events have.

import struct

POLYNOMIAL = 0x82F63B78  # CRC-32C, the lowest bit first


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (POLYNOMIAL if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


assert crc32c(b"123456789") == 0xE3069283  # the check value of the CRC's catalogue


def records(data):
    """The contents of each record; a wrong checksum or a cut record is an error."""
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        (length,), (check,) = struct.unpack("<Q", head), struct.unpack_from("<I", data, at + 8)
        body = data[at + 12:at + 12 + length]
        (body_check,) = struct.unpack_from("<I", data, at + 12 + length)
        if check != masked(head) or body_check != masked(body):
            raise ValueError(f"byte {at}: wrong checksum")
        yield body
        at += 16 + length


def fields(message):
    """(number, value) of each field: an integer, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 2: None, 5: 4}[kind]
        size = varint() if size is None else size
        yield key >> 3, message[at:at + size]
        at += size


def events(data):
    """Each event as a dictionary: wall_time, step, and version, numbers (by tag) or restart."""
    for record in records(data):
        event = {}
        for number, value in fields(record):
            if number == 1:
                event["wall_time"] = struct.unpack("<d", value)[0]
            elif number == 2:
                event["step"] = value
            elif number == 3:
                event["version"] = value.decode()
            elif number == 5:
                event["numbers"] = dict(tagged(summary) for _, summary in fields(value))
            elif number == 7:
                event["restart"] = dict(fields(value)) == {1: 1}
        yield event


def tagged(summary):
    found = dict(fields(summary))
    return found[1].decode(), struct.unpack("<f", found[2])[0]
