# SPDX-License-Identifier: Apache-2.0
# tests/bindings/export_list_test.py: the library exports the functions of its headers and nothing else.

import glob
import os
import re
import subprocess
import unittest

BINDINGS = os.path.join(os.environ["MX_SOURCE_DIR"], "golden", "bindings")


def text_of(*names):
    with open(os.path.join(BINDINGS, *names), encoding="utf-8") as file:
        return file.read()


def declared(*folder):
    """Functions declared in the headers of a folder."""
    names = set()
    for header in glob.glob(os.path.join(BINDINGS, *folder, "include", "mxprism", "*.h")):
        names |= set(re.findall(r"^MX_API [\w \*]*?\b(mx_\w+)\(", text_of(header), re.MULTILINE))
    return names


def listed(*folder):
    return set(re.findall(r"^\s+(mx_\w+);$", text_of(*folder, "export_list.map"), re.MULTILINE))


def shown():
    """Symbols with their versions; the version itself is one."""
    lines = subprocess.run(["nm", "-D", "--defined-only", os.environ["MXPRISM_LIBRARY"]],
                           check=True, capture_output=True, encoding="utf-8").stdout.splitlines()
    return {line.split()[-1] for line in lines} - {"MXPRISM_1"}


class export_list_test(unittest.TestCase):
    def test_headers_and_list_agree(self):
        self.assertGreater(len(declared()), 10)
        self.assertEqual(declared(), listed())

    def test_headers_and_list_of_the_library_for_devices_agree(self):
        self.assertGreater(len(declared("cuda")), 5)
        self.assertEqual(declared("cuda"), listed("cuda"))

    def test_library_shows_the_list_alone(self):
        self.assertEqual(shown(), {name + "@@MXPRISM_1" for name in listed()})

    def test_library_takes_nothing_that_prints_or_ends_the_process(self):
        lines = subprocess.run(["nm", "-D", "--undefined-only", os.environ["MXPRISM_LIBRARY"]],
                               check=True, capture_output=True, encoding="utf-8").stdout
        taken = {line.split()[-1].split("@")[0] for line in lines.splitlines()}
        self.assertIn("memcpy", taken)
        self.assertEqual(taken & {
            "printf", "fprintf", "vfprintf", "puts", "putchar", "fputs", "fputc", "fwrite", "write",
            "stdout", "stderr", "_ZSt4cout", "_ZSt4cerr", "exit", "_exit", "_Exit", "quick_exit",
            "abort", "__assert_fail", "_ZSt9terminatev"}, set())

    def test_name_in_the_file_has_the_version_of_the_header(self):
        dump = subprocess.run(["objdump", "-p", os.environ["MXPRISM_LIBRARY"]], check=True,
                              capture_output=True, encoding="utf-8").stdout
        version = re.search(r"MXPRISM_ABI_VERSION (\d+)", text_of("include", "mxprism",
                                                                  "library.h")).group(1)
        self.assertRegex(dump, rf"SONAME +libmxprism\.so\.{version}\n")


if __name__ == "__main__":
    unittest.main()
