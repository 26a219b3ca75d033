# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/guide_test.py: docs/validate-a-kernel.md: its Python files pass under pytest,
# or print what the page shows.

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

from package_case import SOURCE, packages

packages("pytest")
PYTEST = (sys.executable, "-B", "-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider",
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


def without_times(text):
    return re.sub(r" in [\d.]+s.*", "", text)


class guide_test(unittest.TestCase):
    def printed(self, name, text):
        """Output and exit status of pytest."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            alone = dict(os.environ, COLUMNS="80", PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
            done = subprocess.run([*PYTEST, name], capture_output=True, encoding="utf-8", env=alone,
                                  cwd=folder, check=False)
        return done.stdout, done.returncode

    def test_files_of_the_page(self):
        shown = outputs()
        self.assertGreater(len(files()), 2)
        self.assertEqual(list(shown), ["test_quantizer.py"])
        for name, text in files().items():
            if "torchao" in text and importlib.util.find_spec("torchao") is None:
                print(f"SKIPPED: {name} of the guide, because Python has no torchao "
                      "(./bootstrap --oracles-torch installs it)")
                continue
            with self.subTest(name):
                output, status = self.printed(name, text)
                self.assertEqual(status, 1 if name in shown else 0, output)
                if name in shown:
                    self.assertEqual(without_times(output), without_times(shown[name]))


if __name__ == "__main__":
    unittest.main()
