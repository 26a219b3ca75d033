# SPDX-License-Identifier: Apache-2.0
# tests/layering/move_files_test.py: files move with every path that names them, once.

import os
import subprocess
import sys
import tempfile
import unittest

import move_files

TABLE = """emulator/include/mx/mx.h =
emulator/include/mx/a.h emulator/include/mx/number/a.h
emulator/src/simd_*-inl.h emulator/src/simd/*-inl.h
emulator/src/bulk_a.cpp emulator/src/tensor/a.cpp
tests/unit/CMakeLists.txt =
tests/unit/slow_far.h tests/unit/dot/far.h
tests/unit/* tests/unit/number/*
"""
FILES = {
    "emulator/include/mx/a.h": "// L\n// mx/a.h: a.\n",
    "emulator/include/mx/mx.h": "// L\n#include \"mx/a.h\"\n",
    "emulator/src/simd_b-inl.h": "// L\n// As mx/a.h.\n",
    "emulator/src/bulk_a.cpp": "#define HWY_TARGET_INCLUDE \"bulk_a.cpp\"\n#include \"simd_b-inl.h\"\n// See simd_b-inl.h.\n",
    "emulator/CMakeLists.txt": "add_library(a src/bulk_a.cpp)\nset_source_files_properties(src/bulk_a.cpp PROPERTIES X Y)\n",
    "tests/unit/CMakeLists.txt": "foreach(name a b)\n  mx_test(unit_${name} SOURCES ${name}_test.cpp)\nendforeach()\n",
    "tests/unit/a_test.cpp": "#include \"near.h\"\n#include <mx/a.h>\n",
    "tests/unit/b_test.cpp": "// L\n",
    "tests/unit/near.h": "// L\n",
    "README.md": "`emulator/src/bulk_a.cpp`, `mx/a.h`, (include/mx/a.h), tests/unit/a_test.cpp, x/mx/a.h\n",
}
MOVED = {
    "emulator/include/mx/number/a.h": "// L\n// mx/number/a.h: a.\n",
    "emulator/include/mx/mx.h": "// L\n#include \"mx/number/a.h\"\n",
    "emulator/src/simd/b-inl.h": "// L\n// As mx/number/a.h.\n",
    "emulator/src/tensor/a.cpp": "#define HWY_TARGET_INCLUDE \"tensor/a.cpp\"\n#include \"simd/b-inl.h\"\n// See simd/b-inl.h.\n",
    "emulator/CMakeLists.txt": "add_library(a src/tensor/a.cpp)\nset_source_files_properties(src/tensor/a.cpp PROPERTIES X Y)\n",
    "emulator/doors.txt": "# SPDX-License-Identifier: Apache-2.0\n"
                          "# emulator/doors.txt: names under which headers are installed beside their own: OLD NEW.\n"
                          "mx/a.h mx/number/a.h\n",
    "tests/unit/CMakeLists.txt": "mx_test(unit_a SOURCES number/a_test.cpp)\nmx_test(unit_b SOURCES number/b_test.cpp)\n",
    "tests/unit/number/a_test.cpp": "#include \"near.h\"\n#include <mx/number/a.h>\n",
    "tests/unit/number/b_test.cpp": "// L\n",
    "tests/unit/number/near.h": "// L\n",
    "README.md": "`emulator/src/tensor/a.cpp`, `mx/number/a.h`, (include/mx/number/a.h), tests/unit/number/a_test.cpp, x/mx/a.h\n",
}


def remarks_of(files, table=TABLE):
    with tempfile.TemporaryDirectory() as root:
        write(root, files)
        project = move_files.rewriter(root, move_files.room_table(table.splitlines()))
        move_files.texts_after(project)
        return project.remarks + list(move_files.strays(project))


def write(root, files):
    for name, text in files.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    subprocess.run(["git", "-C", root, "init", "-q"], check=True)
    subprocess.run(["git", "-C", root, "add", "-A"], check=True)


def files_below(root):
    found = {}
    for name in move_files.project_files(root):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            found[name] = file.read()
    return found


class move_files_test(unittest.TestCase):
    maxDiff = None

    def test_files_move_with_every_path_that_names_them_and_once(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, FILES)
            for _ in range(2):
                project = move_files.rewriter(root, move_files.room_table(TABLE.splitlines()))
                move_files.apply(project, move_files.texts_after(project))
                self.assertEqual(files_below(root), MOVED)
                self.assertEqual(project.remarks, [])

    def test_a_name_that_comes_back_is_rewritten(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, MOVED | {"sim/c.cpp": "#include \"mx/a.h\"\n", "tests/unit/dot/far.h": "// L\n",
                                 "tests/unit/number/c_test.cpp": "#include \"slow_far.h\"\n"})
            project = move_files.rewriter(root, move_files.room_table(TABLE.splitlines()))
            self.assertEqual(move_files.texts_after(project), {
                "sim/c.cpp": "#include \"mx/number/a.h\"\n",
                "tests/unit/number/c_test.cpp": "#include \"tests/unit/dot/far.h\"\n"})

    def test_what_cannot_be_rewritten_is_said(self):
        for files, expected in [
            ({"emulator/src/new.cpp": ""}, "no line for it"),
            ({"emulator/src/tensor/a.cpp": ""}, "there already"),
            ({"emulator/tools/CMakeLists.txt": "add_library(a ../src/bulk_${x}.cpp)\n"}, "fits 1 files"),
            ({"emulator/src/tensor/simd/b-inl.h": ""}, "would hide"),
        ]:
            with self.subTest(files=files):
                found = remarks_of(FILES | files)
                self.assertEqual(len([remark for remark in found if expected in remark]), 1, found)

    def test_a_wrong_table_is_refused(self):
        for line in ["a b c", "a", "a* b**", "a b*"]:
            with self.subTest(line=line), self.assertRaises(move_files.wrong_table):
                move_files.room_table([line])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
