# SPDX-License-Identifier: Apache-2.0
# tests/e2e/bootstrap_test.py: what ./bootstrap --cuda, --oracles, --docs and --tsan report missing, install,
# and leave unchanged.
"""The programs that bootstrap runs are stand-ins: every package of the distribution counts as
installed, and pip creates the files of a toolkit."""

import os
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())

# A package is installed for two architectures: asked without one, both answer.
DPKG_QUERY = """
case "$4" in *:*) answers=1 ;; *) answers="1 2" ;; esac
for answer in $answers; do
  case "$3" in
    *source:Version*) printf "onetbb=%s" "${TBB_VERSION-1.0}" ;;
    *Version*) printf "%s" "${TBB_VERSION-1.0}" ;;
    *) echo "installed all" ;;
  esac
done
"""
MAKE_TBB = """
echo "$0 $*" >>"$CALLS"
[ -z "$TBB_FAILS" ] || exit 1
mkdir -p "$1"
"""
APT_GET = """
echo "$0 $*" >>"$CALLS"
case "$*" in *" source "*) exit 1 ;; esac
"""
DPKG = "echo amd64"
# `python3 -m venv --clear FOLDER` puts itself there; `FOLDER/bin/python3 -m pip install ... -r LIST` makes what
# the packages of the list hold.
PYTHON = r"""
echo "$0 $*" >>"$CALLS"
case "$1$2" in -c*version_info*) exit ${IS_OTHER_PYTHON:-0} ;; -c*) exit 0 ;; esac
if [ "$2 $3" = "venv --clear" ]; then
  mkdir -p "$4/bin" "$4/lib/python3.11/site-packages"
  cp "$0" "$4/bin/python3"
  exit
fi
[ "$3" = --version ] && exit 0
[ -z "$PIP_FAILS" ] || exit 1
toolkit=$(dirname "$0")/../lib/python3.11/site-packages/nvidia/cu13
mkdir -p "$toolkit/bin" "$toolkit/lib"
echo >"$toolkit/lib/libcudart.so.13"
for list in "$@"; do :; done
if grep -q ^nvidia-cuda-nvcc== "$list"; then echo >"$toolkit/bin/nvcc"; chmod +x "$toolkit/bin/nvcc"; fi
"""


def nvcc(release):
    return f'echo "Cuda compilation tools, release {release}, V{release}.1"'


class bootstrap_test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = os.path.join(scratch.name, "project")
        self.programs = os.path.join(scratch.name, "programs")
        self.calls = os.path.join(scratch.name, "calls")
        os.mkdir(self.programs)
        self.lists = os.path.join(self.root, "tests/requirements")
        shutil.copytree(os.path.join(SOURCES, "tests/requirements"), self.lists)
        shutil.copy(os.path.join(SOURCES, "bootstrap"), self.root)
        self.add_program("dpkg-query", DPKG_QUERY)
        self.add_program("dpkg", DPKG)
        self.add_program("python3", PYTHON)
        for name in ("bash", "sh", "grep", "sed", "sort", "ln", "mkdir", "cp", "chmod", "dirname", "cat", "cmp"):
            os.symlink(shutil.which(name), os.path.join(self.programs, name))

    def add_program(self, name, text, folder=None):
        path = os.path.join(folder or self.programs, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def bootstrap(self, *words, status=0, **environment):
        done = subprocess.run(
            [os.path.join(self.root, "bootstrap"), *words], capture_output=True, encoding="utf-8",
            env={"PATH": self.programs, "CUDA_HOME": os.path.join(self.root, "no-toolkit"),
                 "CALLS": self.calls, **environment}, timeout=30, check=False)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout + done.stderr

    def calls_with(self, words):
        with open(self.calls, encoding="utf-8") as file:
            return [line for line in file if words in line]

    def calls_of_pip(self):
        return self.calls_with(" -m pip install ")

    def installed_lists(self):
        """Environment and list of each call of pip, in order."""
        return [re.search(r"/build/([\w-]+)/bin/python3 .* -r .*/([\w-]+)\.txt$", line).groups()
                for line in self.calls_of_pip()]

    def add_docs(self):
        os.mkdir(os.path.join(self.root, "docs"))
        with open(os.path.join(self.root, "docs/requirements.txt"), "w", encoding="utf-8") as file:
            file.write("sphinx==1.0 --hash=sha256:00\n")

    def toolkit(self, *names):
        return os.path.join(self.root, "build/cuda-toolkit/toolkit", *names)

    def test_check_tells_that_nvcc_is_missing_and_changes_nothing(self):
        self.assertIn("build/cuda-toolkit: nvcc", self.bootstrap("--check", "--cuda", status=1))
        self.assertEqual(self.bootstrap("--check"), "bootstrap: nothing to install\n")
        self.assertEqual(sorted(os.listdir(self.root)), ["bootstrap", "tests"])

    def test_a_toolkit_is_made_once_with_the_links_that_linkers_go_by(self):
        self.bootstrap("--cuda")
        self.assertTrue(os.access(self.toolkit("bin/nvcc"), os.X_OK))
        self.assertTrue(os.path.samefile(self.toolkit("lib64"), self.toolkit("lib")))
        self.assertTrue(os.path.samefile(self.toolkit("lib/libcudart.so"),
                                         self.toolkit("lib/libcudart.so.13")))
        self.assertFalse(os.path.isabs(os.readlink(self.toolkit())), "a moved project has it still")
        self.assertEqual(self.installed_lists(), [("cuda-toolkit", "cuda")])
        self.assertEqual(self.bootstrap("--cuda"), "bootstrap: nothing to install\n")
        self.assertEqual(len(self.calls_of_pip()), 1)

    def test_the_yardstick_is_added_to_a_toolkit(self):
        self.bootstrap("--cuda")
        self.bootstrap("--cuda-yardstick")
        self.assertEqual(self.installed_lists()[1:], [("cuda-toolkit", "cuda-yardstick")])
        self.assertEqual(len(self.calls_with(" -m venv ")), 1, "an environment that works is kept")
        for option in ("--cuda", "--cuda-yardstick"):
            self.assertEqual(self.bootstrap(option), "bootstrap: nothing to install\n")

    def test_the_readers_of_machine_code_are_added_to_a_toolkit(self):
        self.add_program("nvcc", nvcc("13.0"))
        self.bootstrap("--check", "--cuda-counts", status=1)
        self.bootstrap("--cuda-counts")
        self.assertEqual(self.installed_lists(), [("cuda-toolkit", "cuda"),
                                                  ("cuda-toolkit", "cuda-counts")])
        for option in ("--cuda", "--cuda-counts"):
            self.assertEqual(self.bootstrap(option), "bootstrap: nothing to install\n")

    def test_an_nvcc_of_the_machine_s_own_is_enough_from_12_8_on(self):
        for release, is_enough in (("11.8", False), ("12.0", False), ("12.7", False), ("12.8", True),
                                   ("12.10", True), ("13.0", True), ("13", False)):
            with self.subTest(release=release):
                self.add_program("nvcc", nvcc(release))
                self.bootstrap("--check", "--cuda", status=0 if is_enough else 1)
                self.bootstrap("--check", "--cuda-yardstick", status=1)

    def test_an_nvcc_beside_cuda_home_is_enough(self):
        folder = os.path.join(self.root, "tools/bin")
        os.makedirs(folder)
        self.add_program("nvcc", nvcc("13.0"), folder)
        self.bootstrap("--check", "--cuda", CUDA_HOME=os.path.join(self.root, "tools"))

    def test_a_failed_installation_is_an_error_and_is_tried_again(self):
        result = self.bootstrap("--cuda", status=1, PIP_FAILS="1")
        self.assertIn("bootstrap: error: pip could not install them", result)
        self.bootstrap("--check", "--cuda", status=1)
        self.bootstrap("--cuda")
        self.bootstrap("--check", "--cuda")

    def test_pip_takes_packages_by_their_hashes_and_no_others(self):
        self.add_docs()
        self.bootstrap("--cuda-yardstick", "--cuda-counts", "--oracles-torch", "--oracles-rl", "--oracles-models",
                       "--rtl", "--docs")
        self.assertEqual(len(self.calls_of_pip()), 10)
        for line in self.calls_of_pip():
            self.assertIn(" --require-hashes --no-deps ", line)
            is_of_sources = line.endswith("-sources.txt\n")
            self.assertIn("--no-build-isolation" if is_of_sources else "--only-binary :all:", line)

    def test_lists_of_oracles_are_installed_once_each_in_their_order(self):
        self.bootstrap("--oracles")
        self.bootstrap("--oracles-rl", "--oracles-torch")
        self.bootstrap("--check", "--oracles", "--oracles-torch", "--oracles-rl")
        self.bootstrap("--check", "--oracles-models", status=1)
        self.assertEqual(self.installed_lists(), [("oracles", name) for name in
                                                  ("oracles", "torch", "rl", "rl-sources")])

    def test_a_changed_list_is_installed_again(self):
        self.bootstrap("--oracles-torch")
        with open(os.path.join(self.lists, "torch.txt"), "a", encoding="utf-8") as file:
            file.write("another==1.0 --hash=sha256:00\n")
        self.bootstrap("--check", "--oracles")
        self.bootstrap("--check", "--oracles-torch", status=1)
        self.bootstrap("--oracles-torch")
        self.assertEqual([name for _, name in self.installed_lists()][2:], ["torch"])

    def test_a_python_without_hashes_is_refused_before_anything_is_made(self):
        result = self.bootstrap("--oracles", status=1, IS_OTHER_PYTHON="1")
        self.assertIn("are those for Python 3.11 and 3.12", result)
        self.assertEqual(self.calls_of_pip(), [])
        self.assertIn("tests that need it are skipped", self.bootstrap("--rtl", IS_OTHER_PYTHON="1"))

    def test_the_environment_of_the_pages_is_made_once(self):
        self.add_docs()
        self.assertIn("build/docs_environment: ", self.bootstrap("--check", "--docs", status=1))
        self.bootstrap("--docs")
        self.assertEqual(self.installed_lists(), [("docs_environment", "requirements")])
        self.assertEqual(self.bootstrap("--docs"), "bootstrap: nothing to install\n")

    def test_sources_without_pages_are_an_error_that_says_so(self):
        result = self.bootstrap("--docs", status=1)
        self.assertIn("bootstrap: error: docs/requirements.txt is absent", result)
        self.assertFalse(os.path.exists(self.calls))

    def test_tbb_for_threads_under_watch_is_made_once_for_a_version(self):
        os.mkdir(os.path.join(self.root, "tests/tsan"))
        self.add_program("make_tbb", MAKE_TBB, os.path.join(self.root, "tests/tsan"))
        self.assertIn("build/tbb_tsan: ", self.bootstrap("--check", "--tsan", status=1))
        self.bootstrap("--tsan", status=1, TBB_FAILS="1")
        self.bootstrap("--check", "--tsan", status=1)
        self.bootstrap("--tsan")
        self.assertEqual(self.bootstrap("--tsan"), "bootstrap: nothing to install\n")
        self.bootstrap("--check", "--tsan", status=1, TBB_VERSION="1.1")
        self.assertEqual(len(self.calls_with("make_tbb ")), 2)
        with open(os.path.join(self.root, "build/tbb_tsan/version"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "1.0")

    def test_tbb_is_made_from_the_sources_of_this_machines_package(self):
        self.add_program("apt-get", APT_GET)
        for name in ("mktemp", "basename", "tail", "rm"):
            os.symlink(shutil.which(name), os.path.join(self.programs, name))
        done = subprocess.run(
            [os.path.join(SOURCES, "tests/tsan/make_tbb"), os.path.join(self.root, "tbb")],
            capture_output=True, encoding="utf-8", env={"PATH": self.programs, "CALLS": self.calls},
            timeout=30, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("have no sources of onetbb=1.0:", done.stderr)
        self.assertEqual([line.split()[-1] for line in self.calls_with(" source ")], ["onetbb=1.0"])

    def test_usage(self):
        self.assertIn("--docs ", self.bootstrap("--help"))
        self.assertIn("--cuda ", self.bootstrap("--help"))
        self.assertIn("usage: ", self.bootstrap("--cuda13", status=2))


if __name__ == "__main__":
    unittest.main()
