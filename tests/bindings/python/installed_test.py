# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/installed_test.py: `pip install .` installs a package that passes the
# package's tests, includes its types, and does what docs/python-api.md says.
"""Builds offline, with the build packages of this Python."""

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest

from package_case import SOURCE, packages

packages("nanobind", "scikit_build_core")
TESTS = ("tensors", "products", "verify", "exchange", "torch_kind", "testing", "names", "golden",
         "threads")


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}\n{done.stdout}{done.stderr}")
    return done.stdout


class installed_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.package = os.path.join(cls.folder.name, "mxprism")
        run(sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
            "--disable-pip-version-check", "--target", cls.folder.name, SOURCE,
            env=dict(os.environ, CMAKE_BUILD_PARALLEL_LEVEL="2"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def python(self, *words):
        return run(sys.executable, "-B", *words, cwd=self.folder.name,
                   env=dict(os.environ, PYTHONPATH=self.folder.name))

    def test_every_test_of_the_package_passes(self):
        for name in TESTS:
            with self.subTest(name):
                self.python(os.path.join(SOURCE, "tests", "bindings", "python", f"{name}_test.py"))

    def test_it_is_the_installed_one_and_of_the_version_of_the_project(self):
        with open(os.path.join(SOURCE, "CMakeLists.txt"), encoding="utf-8") as file:
            version = re.search(r"project\(mxprism VERSION ([\d.]+)", file.read()).group(1)
        said = self.python("-c", "import mxprism, importlib.metadata as m; "
                           "print(mxprism.__file__, mxprism.__version__, m.version('mxprism'))")
        self.assertEqual(said.split(), [os.path.join(self.package, "__init__.py"), version, version])

    def test_it_needs_what_bf16_needs(self):
        needed = self.python("-c", "import importlib.metadata as m; print(*m.requires('mxprism'), "
                             "sep='\\n')").splitlines()
        self.assertEqual({re.match("[A-Za-z_-]+", line).group() for line in needed
                          if "extra" not in line}, {"numpy", "ml_dtypes"})

    def test_package_holds_itself_and_nothing_else(self):
        names = {re.sub(r"\.cpython-\S+\.so|\.abi3\.so", ".so", name)
                 for name in os.listdir(self.package) if name != "__pycache__"}
        texts = {name for name in os.listdir(os.path.join(
            SOURCE, "golden", "bindings", "python", "mxprism")) if name != "__pycache__"}
        self.assertEqual(names, texts | {"_mxprism.so", "_mxprism.pyi", "libmxprism.so.1"})
        self.assertEqual({name for name in os.listdir(self.folder.name)
                          if name not in ("bin", "__pycache__")} - {"mxprism"},
                         {name for name in os.listdir(self.folder.name) if "dist-info" in name})

    def test_types_name_everything_that_there_is(self):
        with open(os.path.join(self.package, "_mxprism.pyi"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        typed = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        there = self.python("-c", "from mxprism import _mxprism; "
                            "print(*(n for n in dir(_mxprism) if n[0] != '_'))").split()
        self.assertEqual(typed, set(there))
        self.assertTrue(os.path.exists(os.path.join(self.package, "py.typed")))

    def test_examples_of_the_guide_run(self):
        with open(os.path.join(SOURCE, "docs", "python-api.md"), encoding="utf-8") as file:
            for example in file.read().split("```python\n")[1:]:
                self.python("-c", example.split("```")[0])


if __name__ == "__main__":
    unittest.main()
