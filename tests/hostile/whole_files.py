# SPDX-License-Identifier: Apache-2.0
"""whole_files.py: whether a file that the command wrote is whole, as its kind has it."""
import json
import os
import struct

# What programs write before they rename it, and folders that merging makes.
TEMPORARY = (".mxprism-", ".partial")
LARGEST = 64 << 20


def safetensors(data):
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    end = max((entry["data_offsets"][1] for entry in header.values()), default=0)
    return 8 + size + end == len(data)


def npy(data):
    size = struct.unpack("<H", data[8:10])[0]
    return data[:6] == b"\x93NUMPY" and len(data) >= 10 + size and data[9 + size:10 + size] == b"\n"


def json_lines(data):
    return data.endswith(b"\n") and all(json.loads(line) is not None for line in data.splitlines())


def journal(data):
    """A list that grows by lines: the last one may be cut by a kill or a full disk."""
    return all(json.loads(line) is not None for line in data.split(b"\n")[:-1])


KINDS = {
    ".safetensors": safetensors, ".npy": npy, ".jsonl": json_lines,
    ".json": lambda data: json.loads(data) is not None,
    ".html": lambda data: data.rstrip().endswith(b"</html>"),
    ".xml": lambda data: data.rstrip().endswith(b">"),
    ".csv": lambda data: data.endswith(b"\n"), ".md": lambda data: data.endswith(b"\n"),
    ".toml": lambda data: data.endswith(b"\n"), ".mem": lambda data: data.endswith(b"\n"),
}


def is_whole(path):
    """Whether the file ends as its kind does; of no known kind, or large, it counts as whole."""
    name = os.path.basename(path)
    if name.startswith("rows-"):
        check = journal
    else:
        check = KINDS.get(os.path.splitext(name)[1])
    if check is None or os.path.getsize(path) > LARGEST:
        return True
    with open(path, "rb") as file:
        data = file.read()
    try:
        return bool(check(data))
    except (ValueError, KeyError, IndexError, TypeError, struct.error):
        return False


def is_temporary(path):
    return any(mark in os.path.basename(path) for mark in TEMPORARY)
