# SPDX-License-Identifier: Apache-2.0
# tests/bindings/abi_test.py: functions, constants and memory layouts of the C headers are the recorded ones,
# and the library exports each function under its version.
"""abi.txt is what callers were compiled against: it changes by new lines alone, until MXPRISM_ABI_VERSION is
raised. After an addition:
    MX_RECORD=$PWD/tests/bindings ctest --test-dir build/dev -R bindings_abi
MX_SOURCE_DIR, MXPRISM_LIBRARY and MX_C_COMPILER configure it."""

import collections
import glob
import os
import re
import subprocess
import tempfile
import unittest

SOURCES = os.environ["MX_SOURCE_DIR"]
BINDINGS = os.path.join(SOURCES, "golden", "bindings")
RECORDED = os.path.join(os.environ.get("MX_RECORD", os.path.join(SOURCES, "tests", "bindings")), "abi.txt")
INCLUDES = [f"-I{os.path.join(BINDINGS, *folder, 'include')}" for folder in ((), ("cuda",))]
HEADERS = [os.path.basename(path) for folder in ((), ("cuda",))
           for path in sorted(glob.glob(os.path.join(BINDINGS, *folder, "include", "mxprism", "*.h")))]
ALL_HEADERS = "".join(f"#include <mxprism/{name}>\n" for name in HEADERS)
STRUCTURE = re.compile(r"typedef struct (\w+) \{([^}]*)\} \1;")
CONSTANTS = re.compile(r"\benum \{([^}]*)\}")
FUNCTION = re.compile(r"MX_API ([^;{}]*?\b(mx_\w+)\([^;{}]*\));")


def compiled(text, *words):
    """The C compiler's output for a text of C."""
    done = subprocess.run([os.environ.get("MX_C_COMPILER", "cc"), "-std=c99", *INCLUDES, "-x", "c", "-", *words],
                          input=text, check=False, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def printed(body):
    """What a program prints whose main() has this body."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        compiled(f"{ALL_HEADERS}#include <stddef.h>\n#include <stdio.h>\nint main(void) {{\n{body}return 0;\n}}\n",
                 "-o", program)
        return subprocess.run([program], check=True, capture_output=True, encoding="utf-8").stdout


def declarations():
    """All headers without comments and preprocessing, blanks made single; MX_API stays."""
    text = "".join(compiled(f"#include <mxprism/{name}>\n", "-E", "-P") for name in HEADERS)
    text = text.replace('__attribute__((visibility("default")))', "MX_API")
    return re.sub(r"\s+", " ", text)


def fields_of(body):
    """(type, name) of each field of a structure, the sizes of arrays with the name."""
    for line in filter(None, map(str.strip, body.split(";"))):
        first, *others = [word.strip() for word in line.split(",")]
        kind, name = re.fullmatch(r"(.*[\s*])(\w+(?:\[\w+\])*)", first).groups()
        for name in (name, *others):
            yield kind.strip(), name


def structures(text):
    """Name -> fields of every structure; a header that includes another one has its text again."""
    return {name: list(fields_of(body)) for name, body in STRUCTURE.findall(text)}


def layout_program(found):
    for name, fields in sorted(found.items()):
        yield f'printf("structure {name} %zu\\n", sizeof({name}));\n'
        for kind, field in fields:
            plain = field.partition("[")[0]
            yield (f'printf("structure {name}: %zu %zu {kind} {field}\\n", offsetof({name}, {plain}), '
                   f"sizeof((({name}*)0)->{plain}));\n")


def constant_names(text):
    return list(dict.fromkeys(word.split("=")[0].strip() for body in CONSTANTS.findall(text)
                              for word in body.split(",") if word.strip()))


def constants_program(names):
    return "".join(f'printf("constant {name} %lld\\n", (long long){name});\n' for name in names)


def functions(text):
    return dict.fromkeys((name, prototype) for prototype, name in FUNCTION.findall(text))


def surface():
    """The lines of the recording."""
    text = declarations()
    version = 'printf("version %d\\n", MXPRISM_ABI_VERSION);\n'
    lines = printed(version + "".join(layout_program(structures(text)))
                    + constants_program(constant_names(text))).splitlines()
    return lines + [f"function {prototype}" for name, prototype in sorted(functions(text))]


def recorded():
    with open(RECORDED, encoding="utf-8") as file:
        return [line for line in file.read().splitlines() if not line.startswith("#")]


def sizes(lines):
    return {name: int(size) for name, size in re.findall(r"^structure (\w+) (\d+)$", "\n".join(lines), re.M)}


def may_grow(name, lines):
    """A caller states the size that it knows of such a structure."""
    return f"structure {name}: 0 8 uint64_t struct_size" in lines


def exported():
    lines = subprocess.run(["nm", "-D", "--defined-only", os.environ["MXPRISM_LIBRARY"]],
                           check=True, capture_output=True, encoding="utf-8").stdout.splitlines()
    return {line.split()[-1] for line in lines if " T " in line}


class abi_test(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.lines = surface()
        if "MX_RECORD" in os.environ:
            with open(RECORDED, "w", encoding="utf-8") as file:
                file.write("# Written by tests/bindings/abi_test.py: offsets, bytes and types of fields, "
                           "constants, functions.\n" + "\n".join(cls.lines) + "\n")

    def test_nothing_recorded_is_gone_or_changed(self):
        now = sizes(self.lines)
        grown = {f"structure {name} {size}" for name, size in sizes(recorded()).items()
                 if now.get(name, 0) > size and may_grow(name, recorded())}
        gone = [line for line in recorded() if line not in self.lines and line not in grown]
        self.assertEqual(gone, [], "callers were compiled against these lines: keep them, or raise "
                                   "MXPRISM_ABI_VERSION")

    def test_additions_are_recorded(self):
        self.assertEqual([line for line in self.lines if line not in recorded()], [],
                         "record additions with MX_RECORD")

    def test_the_recording_is_of_every_header(self):
        kinds = collections.Counter(line.split()[0] for line in recorded())
        self.assertEqual(kinds["version"], 1)
        for header in HEADERS:
            with open(glob.glob(os.path.join(BINDINGS, "**", "mxprism", header), recursive=True)[0],
                      encoding="utf-8") as file:
                text = file.read()
            for name in re.findall(r"^MX_API .*?\b(mx_\w+)\(", text, re.M):
                self.assertTrue(any(f" {name}(" in f" {line.replace('*', ' ')}" for line in recorded()), name)
            for name in re.findall(r"^\} (mx_\w+);", text, re.M):
                self.assertTrue(any(line.startswith(f"structure {name} ") for line in recorded()), name)

    def test_the_library_exports_each_recorded_function_under_its_version(self):
        version = next(line.split()[1] for line in recorded() if line.startswith("version "))
        names = {re.search(r"\b(mx_\w+)\(", line).group(1) for line in recorded() if line.startswith("function ")}
        of_devices = {name for name in names if name.startswith("mx_cuda_")}
        self.assertEqual(exported(), {f"{name}@@MXPRISM_{version}" for name in names - of_devices})


if __name__ == "__main__":
    unittest.main()
