# SPDX-License-Identifier: Apache-2.0
# tests/release/version_test.py: the version is stated in CMakeLists.txt alone; everything that is built says it.
"""MX_SOURCE_DIR, MXPRISM (the command) and MXPRISM_LIBRARY (libmxprism) configure it."""

import ctypes
import os
import re
import subprocess
import unittest

SOURCES = os.environ["MX_SOURCE_DIR"]
# Comments in them show what mx_version() returns.
HEADERS = ("golden/bindings/include/mxprism/library.h", "rtl_models/dpi/mx_dpi.h")
QUOTED_VERSION = re.compile(r'["\'](\d+\.\d+\.\d+)["\']')


def text_of(*names):
    with open(os.path.join(SOURCES, *names), encoding="utf-8") as file:
        return file.read()


def project_version():
    return re.search(r"^project\(mxprism VERSION (\S+)", text_of("CMakeLists.txt"), re.MULTILINE).group(1)


class version_test(unittest.TestCase):
    def test_it_is_a_semantic_version(self):
        self.assertRegex(project_version(), r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$")

    def test_the_command_says_it(self):
        said = subprocess.run([os.environ["MXPRISM"], "--version"], check=True, capture_output=True,
                              encoding="utf-8").stdout
        self.assertEqual(re.findall(r"\d+\.\d+\.\d+", said), [project_version()])

    def test_the_library_says_it(self):
        library = ctypes.CDLL(os.environ["MXPRISM_LIBRARY"])
        library.mx_version.restype = ctypes.c_char_p
        self.assertEqual(library.mx_version().decode(), project_version())

    def test_examples_in_comments_are_of_it(self):
        for name in HEADERS:
            self.assertEqual(set(QUOTED_VERSION.findall(text_of(name))), {project_version()}, name)

    def test_the_package_for_python_takes_it_from_there(self):
        text = text_of("pyproject.toml")
        self.assertIn('dynamic = ["version"]', text)
        self.assertNotIn(f'"{project_version()}"', text)

    def test_the_list_of_changes_has_it_or_what_is_not_released_yet(self):
        heads = re.findall(r"^## \[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$", text_of("CHANGELOG.md"), re.MULTILINE)
        self.assertTrue(heads)
        first, date = heads[0]
        self.assertIn(first, ("Unreleased", project_version()))
        self.assertEqual(first == "Unreleased", date == "", "a released version has a date")
        for name, released in heads[1:]:
            self.assertTrue(released, name)


if __name__ == "__main__":
    unittest.main()
