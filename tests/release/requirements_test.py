# SPDX-License-Identifier: Apache-2.0
# tests/release/requirements_test.py: every package that bootstrap gives to pip has its version and hashes.

import glob
import os
import re
import unittest

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())
LISTS = os.path.join(SOURCES, "tests", "requirements")
REQUIREMENT = re.compile(
    r"(?P<name>[a-z0-9]+(-[a-z0-9]+)*)==(?P<version>[\w.+]+)"
    r'( ; (python_version == "3\.\d+"|platform_machine == "\w+")( and platform_machine == "\w+")?)?'
    r"(?P<hashes>( \\\n    --hash=sha256:[0-9a-f]{64})+)")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def lists():
    return sorted(glob.glob(os.path.join(LISTS, "*.txt")))


def lists_for_pip():
    """Those, and that of the pages of docs, where there are pages."""
    return lists() + glob.glob(os.path.join(SOURCES, "docs", "requirements.txt"))


def requirements(path):
    """The requirements of a list, each with its hashes: one text each."""
    lines = [line for line in text_of(path).splitlines() if not line.lstrip().startswith("#")]
    return re.split(r"(?<!\\)\n", "\n".join(lines))


def lists_of(asked):
    """The lists that pin.py writes from a file."""
    stem = asked.removesuffix(".in")
    return [path for path in (f"{stem}.txt", f"{stem}-sources.txt") if os.path.exists(path)]


def asked_for(path):
    """Packages of a list for people: name, normalized as registries do, and version."""
    return {(re.sub(r"[-_.]+", "-", name).lower(), version)
            for name, version in re.findall(r"^([\w.-]+)==(\S+)$", text_of(path), re.MULTILINE)}


class requirements_test(unittest.TestCase):
    def test_every_package_has_one_version_and_hashes_and_no_address(self):
        self.assertGreater(len(lists()), 5)
        for path in lists_for_pip():
            for text in requirements(path):
                self.assertIsNotNone(REQUIREMENT.fullmatch(text), f"{path}: {text}")

    def test_every_list_has_what_was_asked_for(self):
        for asked in glob.glob(os.path.join(LISTS, "*.in")):
            listed = {REQUIREMENT.fullmatch(text).group("name", "version")
                      for path in lists_of(asked) for text in requirements(path)}
            self.assertTrue(asked_for(asked), asked)
            self.assertEqual(asked_for(asked) - listed, set(), f"{asked}: pin.py writes its list anew")

    def test_every_list_was_asked_for(self):
        asked = glob.glob(os.path.join(LISTS, "*.in"))
        self.assertEqual(lists(), sorted(path for name in asked for path in lists_of(name)))

    def test_every_list_of_source_packages_is_there_and_named(self):
        named = re.findall(r"^# Source packages: (\S+)\.$", "".join(map(text_of, lists())), re.MULTILINE)
        there = [os.path.basename(path) for path in lists() if path.endswith("-sources.txt")]
        self.assertEqual(sorted(named), sorted(there))

    def test_bootstrap_has_one_call_of_pip_that_installs(self):
        calls = re.findall(r"^.*-m pip install .*$", text_of(os.path.join(SOURCES, "bootstrap")), re.MULTILINE)
        self.assertEqual(len(calls), 1, calls)
        self.assertIn(" --require-hashes --no-deps ", calls[0])


if __name__ == "__main__":
    unittest.main()
