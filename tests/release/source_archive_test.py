# SPDX-License-Identifier: Apache-2.0
# tests/release/source_archive_test.py: the commit's source archive configures whole, builds and passes tests in
# a folder that git does not know, without git.
"""MX_SOURCE_DIR, CMAKE, CTEST, MX_CXX_COMPILER and MX_PARALLEL configure it. Exit status 77: skipped."""

import os
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())
CMAKE, CTEST = os.environ.get("CMAKE", "cmake"), os.environ.get("CTEST", "ctest")
# Tests of the rules that everything else is built on: seconds to build and to run.
UNITS = ("bits", "block_scale", "element", "formats", "rounding", "scale", "unpacked")
NO_GIT = '#!/bin/sh\necho "$@" >>"$GIT_CALLS"\nexit 127\n'


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}\n{done.stdout}{done.stderr}")
    return done.stdout


def unpacked_archive(folder):
    """The sources of the commit below a folder, as a tool makes an archive of them."""
    packed = os.path.join(folder, "sources.tar")
    run("git", "-C", SOURCES, "archive", "--format=tar", "--prefix=mxprism/", "-o", packed, "HEAD")
    with tarfile.open(packed) as archive:
        archive.extractall(folder)
    return os.path.join(folder, "mxprism")


class source_archive_test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.sources = unpacked_archive(scratch.name)
        cls.build = os.path.join(scratch.name, "build")
        programs = os.path.join(scratch.name, "programs")
        os.mkdir(programs)
        git = os.path.join(programs, "git")
        with open(git, "w", encoding="utf-8") as file:
            file.write(NO_GIT)
        os.chmod(git, os.stat(git).st_mode | stat.S_IXUSR)
        cls.calls = os.path.join(scratch.name, "calls of git")
        cls.environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", GIT_CALLS=cls.calls,
                               MXPRISM_NO_BOOTSTRAP="1")
        run(CMAKE, "-S", cls.sources, "-B", cls.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            f"-DCMAKE_CXX_COMPILER={os.environ.get('MX_CXX_COMPILER', 'c++')}",
            f"-DMX_ORACLES={os.path.join(SOURCES, 'build', 'oracles')}", env=cls.environment)
        cls.called_git = os.path.exists(cls.calls)

    def test_configuring_calls_no_git_and_names_no_other_folder(self):
        self.assertFalse(self.called_git)
        with open(os.path.join(self.build, "build.ninja"), encoding="utf-8") as file:
            others = file.read().replace(os.path.join(SOURCES, "build", "oracles"), "")
        self.assertNotIn(SOURCES + os.sep, others)

    def test_units_build_and_pass(self):
        targets = [f"unit_{name}_test" for name in UNITS]
        run(CMAKE, "--build", self.build, "--parallel", os.environ.get("MX_PARALLEL", "2"), "--target", *targets,
            env=self.environment)
        said = run(CTEST, "--test-dir", self.build, "--no-tests=error", "-R", f"^unit_({'|'.join(UNITS)})$",
                   env=self.environment)
        self.assertIn(f"100% tests passed, 0 tests failed out of {len(UNITS)}", said)

    def test_an_archive_has_no_commit_to_name(self):
        run(CMAKE, f"-DSOURCE={self.sources}", f"-DOUTPUT={self.build}/origin.cpp", "-DCOMPILER=none",
            "-P", os.path.join(self.sources, "sim", "claims", "build_origin.cmake"), env=self.environment)
        with open(os.path.join(self.build, "origin.cpp"), encoding="utf-8") as file:
            self.assertIn('"unknown (built outside of a git checkout)"', file.read())

    def test_files_keep_the_rules_of_the_project(self):
        said = run(sys.executable, "-B", os.path.join(self.sources, "tests", "layering", "layering_rules.py"),
                   self.sources, env=self.environment)
        self.assertRegex(said, r"^\d{4} files keep the rules")

    def test_scripts_of_the_archive_can_be_executed(self):
        for name in ("bootstrap", "sim/run", "tests/run", ".ci/run", "golden/bindings/python/wheel"):
            self.assertTrue(os.access(os.path.join(self.sources, name), os.X_OK), name)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(SOURCES, ".git")) or shutil.which("git") is None:
        print("SKIPPED: source_archive_test.py, because these sources are no checkout of git, or git is absent")
        sys.exit(77)
    unittest.main()
