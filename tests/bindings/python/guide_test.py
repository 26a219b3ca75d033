# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/guide_test.py: docs/validate-a-kernel.md: its Python files pass under pytest,
# or print what the page shows, and its CI job is green.

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

from package_case import SOURCE, packages

packages("pytest")
PYTEST = (sys.executable, "-B", "-m", "pytest", "-W", "ignore", "-p", "no:cacheprovider",
          "-p", "mxprism.pytest_plugin")


def page():
    with open(os.path.join(SOURCE, "docs", "validate-a-kernel.md"), encoding="utf-8") as file:
        return file.read()


def files():
    """Contents by name."""
    return {name: text for text, name in
            re.findall(r"```python\n(# (test_\w+\.py)\n.*?)```", page(), re.DOTALL)}


def outputs():
    """What the page shows of a file under pytest, by name."""
    return dict(re.findall(r"```\n\$ pytest -q -W ignore (test_\w+\.py)\n(.*?)```", page(),
                           re.DOTALL))


def job():
    """The words behind `pytest` in the page's CI job."""
    (words,) = re.findall(r"```yaml\n[^`]*^ *- pytest ([^\n]*)$[^`]*```", page(), re.MULTILINE)
    return words.split()


def runnable():
    """Names of the files whose packages Python has; the others are reported."""
    if importlib.util.find_spec("torchao") is not None:
        return list(files())
    absent = [name for name, text in files().items() if "torchao" in text]
    print(f"SKIPPED: {', '.join(absent)} of the guide, because Python has no torchao "
          "(./bootstrap --oracles-torch installs it)")
    return [name for name in files() if name not in absent]


def without_times(text):
    return re.sub(r" in [\d.]+s.*", "", text)


class guide_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runnable = runnable()

    def printed(self, *words):
        """Output and exit status of pytest in a folder with the page's files."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files().items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            alone = dict(os.environ, COLUMNS="80", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
            done = subprocess.run([*PYTEST, *words], capture_output=True, encoding="utf-8", env=alone,
                                  cwd=folder, check=False)
        return done.stdout, done.returncode

    def test_files_of_the_page(self):
        shown = outputs()
        self.assertGreater(len(files()), 2)
        self.assertEqual(list(shown), ["test_wrong_rule.py"])
        for name in self.runnable:
            with self.subTest(name):
                output, status = self.printed("-q", name)
                self.assertEqual(status, 1 if name in shown else 0, output)
                if name in shown:
                    self.assertEqual(without_times(output), without_times(shown[name]))

    def test_the_ci_job_has_every_file_that_passes_and_is_green(self):
        named = [word for word in job() if not word.startswith("-")]
        self.assertEqual(named, [name for name in files() if name not in outputs()])
        words = [word for word in job() if word.startswith("-") or word in self.runnable]
        output, status = self.printed(*words)
        self.assertEqual(status, 0, output)
        self.assertEqual(output.count("report.xml"), 1, output)


if __name__ == "__main__":
    unittest.main()
