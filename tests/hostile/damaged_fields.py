# SPDX-License-Identifier: Apache-2.0
"""damaged_fields.py: damages of what a file says, in its own grammar: values of JSON, headers of
tensor files, keys of TOML, cells of tables. Lengths and checksums are right again afterwards."""
import copy
import hashlib
import json
import os
import re
import struct

from damaged_gguf import damaged_gguf

ODD_VALUES = (
    None, True, False, 0, -1, 1, 2, 31, 32, 33, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 63,
    2 ** 64 - 1, 2 ** 64, 10 ** 30, 0.5, -0.0, 1e-320, 1e308, "", "a", "NaN", "Inf", "-Inf", "0",
    "mxfp4", "nvfp4", "e2m1:e8m0:32", "e1m2147483647:e8m0:32", "\0", "\u001b[2J", "a\nb", "\u009b",
    "\u202e", "..", "../x", "/dev/zero", "/", ".", "x" * 300, "x" * 70000, "\U0001F600",
    [], [[]], {}, [0], [-1], [1] * 40, [0, 0], [2 ** 32, 2 ** 32], ["a"], {"a": {}}, [None],
    {"": ""})


def places_in(value, path=()):
    """Paths of all values inside."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places_in(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(min(len(value), 40)):
            yield from places_in(value[index], path + (index,))


def at(value, path):
    for step in path:
        value = value[step]
    return value


def deep(chance):
    value = 1
    for _ in range(chance.choice((15, 17, 60, 150))):
        value = [value] if chance.random() < 0.5 else {"a": value}
    return value


def changed_json(chance, root):
    """A copy of which one value, key or order is another."""
    root = copy.deepcopy(root)
    paths = [path for path in places_in(root) if path]
    if not paths:
        return chance.choice(ODD_VALUES)
    path = chance.choice(paths)
    parent, step = at(root, path[:-1]), path[-1]
    how = chance.randrange(8)
    if how == 0:
        del parent[step]
    elif how == 1 and isinstance(parent, dict):
        parent[str(chance.choice(ODD_VALUES))] = parent.pop(step)
    elif how == 2:
        parent[step] = copy.deepcopy(at(root, chance.choice(paths)))
    elif how == 3:
        parent[step] = deep(chance)
    elif how == 4 and isinstance(parent, list):
        parent.insert(step, copy.deepcopy(parent[step]))
    else:
        parent[step] = copy.deepcopy(chance.choice(ODD_VALUES))
    return root


def json_text(chance, value):
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    if chance.random() < 0.1:  # a key that appears twice
        text = re.sub(r'("\w+"): ("?\w+"?)', r"\1: \2, \1: \2", text, count=1)
    return text.encode("utf-8", "surrogatepass")


def damaged_json(chance, data):
    return json_text(chance, changed_json(chance, json.loads(data)))


def damaged_json_lines(chance, data):
    lines = data.splitlines(keepends=True)
    one = chance.randrange(len(lines))
    for _ in range(chance.choice((1, 1, 2))):
        lines[one] = json_text(chance, changed_json(chance, json.loads(lines[one]))) + b"\n"
    return b"".join(lines)


def damaged_safetensors(chance, data):
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    for _ in range(chance.choice((1, 1, 2))):
        header = changed_json(chance, header)
        if not isinstance(header, dict):
            break
    text = json_text(chance, header)
    return struct.pack("<Q", len(text)) + text + data[8 + size:]


def sum_of_checkpoint(header, tensors):
    """The checksum that `train` writes: of metadata in order of keys, and of tensors."""
    def text(words):
        return f"{len(words.encode())}:".encode() + words.encode()
    summed = hashlib.sha256()
    for key, words in sorted(header["__metadata__"].items()):
        if key != "sha256":
            summed.update(text(key) + text(words))
    for name, entry in header.items():
        if name != "__metadata__":
            summed.update(text(name) + text(entry["dtype"]) + text(str(entry["shape"])))
            summed.update(tensors[slice(*entry["data_offsets"])])
    return summed.hexdigest()


def damaged_checkpoint(chance, data):
    """Metadata that say something else, or a tensor fewer, under a right checksum."""
    size = struct.unpack("<Q", data[:8])[0]
    header, tensors = json.loads(data[8:8 + size]), data[8 + size:]
    notes = header["__metadata__"]
    key = chance.choice(sorted(notes))
    try:
        notes[key] = json_text(chance, changed_json(chance, json.loads(notes[key]))).decode()
    except (ValueError, UnicodeDecodeError):
        notes[key] = str(chance.choice(ODD_VALUES))
    try:
        notes["sha256"] = sum_of_checkpoint(header, tensors)
    except UnicodeEncodeError:
        pass
    text = json_text(chance, header)
    return struct.pack("<Q", len(text)) + text + tensors


def damaged_cell(chance, data):
    """A piece of a run, of an assessment, under a right checksum."""
    value = changed_json(chance, json.loads(data))
    if isinstance(value, dict):
        value.pop("sha256", None)
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        try:
            value["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        except UnicodeEncodeError:
            pass
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")


def toml_value(chance):
    value = chance.choice(ODD_VALUES)
    if value is None:
        return chance.choice(("nan", "-inf", "1979-05-27", "0x7f", "1e400", "{}", "{a = 1}",
                              "[1, 'a']", "''", '"""a\nb"""', "[" * 200,
                              "['" + "*" * 5000 + "']", "['" + "*e" * 14 + "x']"))
    return json.dumps(value).replace("null", "0")


def damaged_pattern(chance, data):
    """Patterns of names of tensors that take time or depth to match."""
    pattern = chance.choice(("*a" * 20 + "b", "*" * 1000000 + "b", "*", "", "a" * 5000))
    return re.sub(rb"(?m)^tensors = .*$", f'tensors = ["{pattern}"]'.encode(), data)


def damaged_toml(chance, data):
    if b"\ntensors = " in data and chance.random() < 0.2:
        return damaged_pattern(chance, data)
    lines = data.decode(errors="replace").split("\n")
    keyed = [i for i, line in enumerate(lines) if re.match(r"\s*[\w.-]+ *=", line)]
    if not keyed:
        return data + toml_value(chance).encode()
    one, other = chance.choice(keyed), chance.choice(keyed)
    how = chance.randrange(7)
    if how == 0:
        lines.insert(other, lines[one])
    elif how == 1:
        lines[one] = lines[one].split("=")[0] + "=" + lines[other].split("=", 1)[1]
    elif how == 2:
        lines.insert(one, chance.choice((
            "[arm]", "[[arm]]", "[a.b.c]", "[[grid]]", "[policy]", "a.b = 1", "[formats.x]",
            "[studies.x]", 'extends = "study.toml"')))
    elif how == 3:
        lines[one] = lines[one].replace(lines[one].split("=")[0].strip(), "odd", 1)
    else:
        lines[one] = lines[one].split("=")[0] + "= " + toml_value(chance)
    return "\n".join(lines).encode("utf-8", "replace")


def damaged_table(chance, data):
    lines = data.decode().split("\n")
    one = chance.randrange(len(lines))
    cells = lines[one].split(",")
    cells[chance.randrange(len(cells))] = str(chance.choice(ODD_VALUES))
    lines[one] = ",".join(cells)
    return "\n".join(lines).encode("utf-8", "replace")


def damaged_npy(chance, data):
    """Another header of the right length."""
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    numbers = ("0", "-1", "1", "4294967296", "18446744073709551615", "9" * 20, "2**3", "1L")
    before, shape = header.split("shape")
    header = chance.choice((
        lambda: before + "shape" + re.sub(r"\d+", lambda _: chance.choice(numbers), shape),
        lambda: header.replace("<f4", chance.choice(("<f2", "<f8", ">f4", "|u1", "|O", "<i8", "<c8",
                                                     "<U4", "", "<f3", "<f40"))),
        lambda: header.replace("False", chance.choice(("True", "0", "None", "false"))),
        lambda: header.replace("shape", chance.choice(("shap", "shape'", "descr"))),
        lambda: header.replace("(", "(" * chance.choice((2, 100, 60000))),
        lambda: header.replace(", }", chance.choice((", 'x': 1}", "}}", ",", ", 'shape': (1,)}"))),
    ))()
    text = header.encode()
    version = b"\x01\x00" + struct.pack("<H", len(text)) if len(text) < 65536 else (
        b"\x02\x00" + struct.pack("<I", len(text)))
    return b"\x93NUMPY" + version + text + data[10 + size:]


KINDS = {".json": damaged_json, ".jsonl": damaged_json_lines, ".safetensors": damaged_safetensors,
         ".toml": damaged_toml, ".npy": damaged_npy, ".csv": damaged_table, ".gguf": damaged_gguf}


def damage_of(name):
    """Of a file by its name and place; None of a kind without fields."""
    folder = os.path.basename(os.path.dirname(name))
    if folder in ("checkpoints", "pieces") and name.endswith(".json"):
        return damaged_cell
    if folder == "checkpoints" and name.endswith(".safetensors"):
        return damaged_checkpoint
    return KINDS.get(os.path.splitext(name)[1])
