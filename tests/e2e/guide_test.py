# SPDX-License-Identifier: Apache-2.0
# tests/e2e/guide_test.py: every command of README.md and docs/ runs: `console` blocks print what the
# page shows, `sh` and `python` blocks succeed. MX_WRITE_GUIDE=1 writes the outputs into the pages instead.
"""A block is a fence of Markdown with its language. The blocks of a page run from the top in one folder,
which looks like the project's: a page's commands are typed there. The first lines of a block may be

    # nightly: REASON    runs under `guide_test.py nightly` (ctest: docs_guide_nightly) alone; or in the
                         test that REASON names by its path
    # needs: TOOL...     skipped, with a line that says so, where a program or Python package is absent
    # set-up: REASON     installs or builds: each word is checked against the program that takes it, and
                         the programs have tests of their own (e2e_bootstrap, e2e_stages)
    # NAME.py, // NAME.sv, ...    a file of that name is written, for later commands

Text between such lines and the reader is the page's: they are shown as they stand here.
"""

import ast
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from assess_test import write_model
from cluster_test import QUIET_MPI
from command_case import PROGRAM, SOURCES, command_case, main

WRITE = os.environ.get("MX_WRITE_GUIDE")
BUILD = os.path.dirname(os.path.abspath(PROGRAM))
FENCE = re.compile(r"^(```+)([^\n]*)\n(.*?)^\1$\n?", re.MULTILINE | re.DOTALL)
COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
RUN = ("console", "sh", "python")
SHOWN = ("text", "c", "cpp", "cmake", "systemverilog", "toml", "yaml", "json", "{toctree}", "{eval-rst}")
MARK = re.compile(r"# (nightly|needs|set-up): (.+)")
FILE = re.compile(r"(?:#|//) ((?:\w+/)?[\w-]+\.(?:py|sv|toml|c|cpp|txt))(?::.*)?\n|/\* ([\w-]+\.c) \*/\n")
# Generated pages, without commands of their own.
GENERATED = ("docs/formats.md", "docs/results/claims.md")
# Page -> languages whose blocks another test runs: that test, which names the page. A block without a
# language shows what a named file prints.
ELSEWHERE = {"docs/cluster.md": (("sh",), "tests/e2e/cluster_test.py"),
             "docs/validate-a-kernel.md": (("python", ""), "tests/bindings/python/guide_test.py")}
# What a line that is a command begins with.
COMMAND = re.compile(r"^ *(?:\$ |(?:mxprism|python3|pytest|pip|cmake|ctest|mpirun|docs/site/build|\./bootstrap|"
                     r"(?:sim|tests)/run|build/\S+)(?: |$))", re.MULTILINE)
TOOLS = {"verilator": "--rtl", "iverilog": "--rtl", "mx_cosim": "--rtl", "mx_soc_demo": "--rtl",
         "mx_export_products": "--rtl", "mpirun": "--mpi", "tokenizers": "--oracles-models"}
PYTHON = next((path for path in (os.path.join(SOURCES, "build/oracles/bin/python3"),)
               if os.path.exists(path)), sys.executable)


class block:
    """language, text: of a fence; marks: by name; file: the name that it is written under, or none."""

    def __init__(self, language, text):
        self.language, self.text, self.marks = language, text, {}
        for line in text.split("\n"):
            mark = MARK.fullmatch(line)
            if mark is None:
                break
            self.marks[mark[1]] = mark[2]
        named = FILE.match(text)
        self.file = named and (named[1] or named[2])
        self.test = re.search(r"tests/\S+\.py", self.marks.get("nightly", ""))

    def is_run(self):
        return self.language in RUN and not self.file


def pages():
    found = [os.path.join(SOURCES, "README.md")]
    found += sorted(glob.glob(os.path.join(SOURCES, "docs", "**", "*.md"), recursive=True))
    return [name for name in (os.path.relpath(path, SOURCES) for path in found) if name not in GENERATED]


def text_of(name):
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def blocks_of(name):
    return [block(found[2], found[3]) for found in FENCE.finditer(text_of(name))]


def is_run_elsewhere(name, one):
    """By the test of its page, or by the one that it names itself."""
    languages, _ = ELSEWHERE.get(name, ((), ""))
    by_page = one.language in languages and (one.language != "python" or bool(one.file))
    return (by_page and "set-up" not in one.marks) or bool(one.test)


class structure_case(unittest.TestCase):
    """What lets no command slip past the runs below."""

    def test_every_block_has_a_known_language(self):
        for name in pages():
            for found in FENCE.finditer(text_of(name)):
                known = RUN + SHOWN + ELSEWHERE.get(name, ((), ""))[0]
                self.assertIn(found[2], known, f"{name}: {found[0]}")

    def test_no_fence_is_left_over(self):
        for name in pages():
            rest = FENCE.sub("", text_of(name))
            self.assertNotRegex(rest, r"(?m)^ *(```|~~~)", name)

    def test_no_command_stands_in_a_block_that_is_only_shown(self):
        for name in pages():
            for one in blocks_of(name):
                if one.language in SHOWN and one.language not in ("yaml", "{toctree}"):
                    self.assertIsNone(COMMAND.search(one.text), f"{name}:\n{one.text}")
            rest = COMMENTS.sub("", FENCE.sub("", text_of(name)))
            self.assertNotRegex(rest, r"(?m)^(    |\t)+ *(\$|mxprism) ", f"{name}: an indented block")

    def test_commands_in_the_text_have_the_options_that_they_are_shown_with(self):
        helps = {}

        def help_of(*words):
            if words not in helps:
                helps[words] = subprocess.run([*words, "--help"], capture_output=True, encoding="utf-8",
                                              check=False, timeout=60).stdout
            return helps[words]

        for name in pages():
            for code in re.findall(r"`([^`\n]+)`", FENCE.sub("", text_of(name))):
                words = code.split()
                if words[0] == "mxprism" and len(words) > 1 and words[1].islower():
                    told = help_of(PROGRAM, *(words[1:3] if words[1] == "probe" and len(words) > 2 else words[1:2]))
                elif words[0] == "./bootstrap":
                    told = help_of(os.path.join(SOURCES, "bootstrap"))
                else:
                    continue
                self.assertNotEqual(told, "", f"{name}: {code}")
                for option in re.findall(r"(?<!\S)--[a-z][\w-]*", code):
                    self.assertRegex(told, rf"(?<![\w-]){option}(?![\w-])", f"{name}: {code}")

    def test_every_named_file_is_used(self):
        for name in pages():
            all_blocks = blocks_of(name)
            for one in all_blocks:
                if one.file and not is_run_elsewhere(name, one):
                    word = rf"\b{one.file.split('/')[0]}\b"
                    used = [other for other in all_blocks if other.is_run() and re.search(word, other.text)]
                    self.assertTrue(used, f"{name}: {one.file}")

    def test_tests_that_run_a_page_in_place_of_this_one_name_it(self):
        for name, (_, script) in ELSEWHERE.items():
            self.assertIn(os.path.basename(name), text_of(script))
        for name in pages():
            for one in blocks_of(name):
                for option in re.findall(r" (--[\w-]+)", one.text) if one.test else ():
                    self.assertIn(option, text_of(one.test[0]), name)

    def test_every_subcommand_is_in_the_reference(self):
        listed = subprocess.run([PROGRAM, "--help"], capture_output=True, encoding="utf-8", check=True)
        commands = re.findall(r"^  (\w+) ", listed.stdout.split("Subcommands:\n")[1], re.MULTILINE)
        page = text_of("docs/command-line.md")
        self.assertEqual(commands, re.findall(r"^\$ mxprism (\w+) --help$", page, re.MULTILINE))
        self.assertEqual(set(commands), set(re.findall(r"^\| `(\w+)", page, re.MULTILINE)))

    def test_models_of_the_evidence_page_are_those_of_the_program(self):
        page = text_of("docs/evidence.md")
        rows = re.sub(r"(?<=<!-- models -->\n).*(?=<!-- end of models -->)", lambda _: models_table(),
                      page, flags=re.DOTALL)
        if WRITE:
            write(page_path("docs/evidence.md"), rows)
        else:
            self.assertEqual(rows, page)


def page_path(name):
    return os.path.join(SOURCES, name)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def models_table():
    """Rows by evidence, strongest first: how many models, of which families."""
    told = subprocess.run([PROGRAM, "formats", "--models", "--json"], capture_output=True, check=True)
    models = json.loads(told.stdout)["models"]
    order = ("recorded hardware", "two models agree", "one model", "specification only")
    rows = "| evidence | models | families |\n|---|---|---|\n"
    for evidence in order:
        names = [one["name"] for one in models if one["evidence"] == evidence]
        families = {}
        for one in names:
            family = one.split(".")[0]
            families[family] = families.get(family, 0) + 1
        shown = ", ".join(f"`{family}` {count}" for family, count in families.items())
        rows += f"| {evidence} | {len(names)} | {shown} |\n"
    return rows


# --- Set-up blocks: words checked against the programs that take them ---

def presets(kind):
    with open(os.path.join(SOURCES, "CMakePresets.json"), encoding="utf-8") as file:
        return {one["name"] for one in json.load(file)[kind]}


def complaint_of_cmake(words):
    kind = "buildPresets" if "--build" in words else "configurePresets"
    for word, value in zip(words, words[1:] + [""]):
        if word == "--preset" and value not in presets(kind):
            return f"there is no preset {value}"
        if word in ("-S",) and not os.path.exists(os.path.join(SOURCES, value, "CMakeLists.txt")):
            return f"{value} has no CMakeLists.txt"
        option = re.match(r"-D(MX_\w+)=", word)
        if option and not declares(option[1]):
            return f"no CMakeLists.txt declares {option[1]}"
    return ""


def declares(option):
    listed = glob.glob(os.path.join(SOURCES, "**", "CMakeLists.txt"), recursive=True)
    return any(re.search(rf"\b{option}\b", text_of(os.path.relpath(path, SOURCES))) for path in listed
               if not os.path.relpath(path, SOURCES).startswith(("build", "out")))


def complaint_of_script(words):
    path = os.path.join(SOURCES, words[0])
    if not os.access(path, os.X_OK):
        return f"{words[0]} is no program"
    told = subprocess.run([path, "--help"], capture_output=True, encoding="utf-8", check=False,
                          env=dict(os.environ, MXPRISM_NO_BOOTSTRAP="1"), timeout=60)
    for word in words[1:]:
        if word.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", told.stdout):
            return f"{words[0]} --help does not list {word}"
    return ""


def complaint_of_set_up(line):
    """Empty if each word of a command that installs or builds means something."""
    for command in re.split(r" && |; ", re.split(r"(?:^| )#", line)[0]):
        words = shlex.split(command)
        if not words:
            continue
        if words[0] in ("cmake", "ctest"):
            found = complaint_of_cmake(words)
        elif words[0] in ("pip", "mkdir", "source", ".") or words[:3] == ["python3", "-m", "pip"] \
                or words[:3] == ["python3", "-m", "http.server"]:
            found = ""
        elif "/" in words[0]:
            found = complaint_of_script(words)
        else:
            found = f"{words[0]} is not known to guide_test.py"
        if found:
            return found
    return ""


# --- Runs ---

class guide_case(command_case):
    """Runs pages; `nightly` decides which blocks."""

    nightly = False

    def setUp(self):
        super().setUp()
        for name in ("sim", "rtl_models", "golden", "emulator", "kernels", "docs", "tests", "bootstrap",
                     "CMakeLists.txt", "CMakePresets.json"):
            os.symlink(os.path.join(SOURCES, name), self.path(name))
        os.mkdir(self.path("build"))
        for name in ("release", "dev"):
            os.symlink(BUILD, self.path("build", name))

    def reader_s_model(self):
        """What the reader of docs/training.md has: a model with its tokenizer, and a text."""
        write_model(self.path("model"))
        letters = {letter: k for k, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
        tokenizer = {"version": "1.0", "model": {"type": "BPE", "vocab": letters, "merges": []}}
        self.write_text("model/tokenizer.json", json.dumps(tokenizer))
        self.write_text("book.txt", "abcdefghijklm" * 100)

    def environment(self):
        tools = [BUILD, os.path.join(BUILD, "rtl_models/cosim"), os.path.join(BUILD, "rtl_models/soc"),
                 os.path.join(BUILD, "sim"), os.path.dirname(PYTHON), os.environ["PATH"]]
        return dict(os.environ, **QUIET_MPI, PATH=os.pathsep.join(tools), COLUMNS="100", PYTHONDONTWRITEBYTECODE="1",
                    PYTHONPATH=os.path.join(BUILD, "python"), SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1",
                    PKG_CONFIG_PATH=self.path("prefix/lib/pkgconfig"))

    def run_shell(self, script, timeout=120):
        return subprocess.run(["bash", "-c", script], cwd=self.folder, check=False,
                              timeout=1800 if self.nightly else timeout, env=self.environment(),
                              encoding="utf-8", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def printed(self, command):
        """A line of the page with what it prints, but for lines of progress, which a slow machine sees:
        status 1, a difference, is a result."""
        done = self.run_shell(command)
        self.assertIn(done.returncode, (0, 1), f"{command}\n{done.stdout}")
        done.stdout = re.sub(r"^[^\n]*: \d{2,3} %\n", "", done.stdout, flags=re.MULTILINE)
        if done.stdout and not done.stdout.endswith("\n"):
            done.stdout += "\n"
        return f"$ {command}\n{done.stdout}"

    def replayed(self, text):
        kept = re.match(r"(?:# [^\n]*\n)*", text)[0]
        commands = re.findall(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)$", text, re.MULTILINE)
        self.assertTrue(commands, text)
        return kept + "".join(self.printed(command) for command in commands)

    def absent(self, one):
        """Why a block cannot run here; empty if it can."""
        for tool in one.marks.get("needs", "").split():
            if shutil.which(tool, path=self.environment()["PATH"]) is None and not self.imports(tool):
                option = TOOLS.get(tool)
                return f"{tool} is not installed" + (f" (./bootstrap {option})" if option else "")
        if re.search(r"\b(?:cc|g\+\+|cmake) ", one.text) and one.language != "python" and self.is_sanitized():
            return "this build is sanitized"
        modules = {"mxprism"} if re.search(r"python3 -m mxprism|^import mxprism|^from mxprism", one.text,
                                           re.MULTILINE) else set()
        if one.language == "python":
            for node in ast.walk(ast.parse(one.text)):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                    [node.module] if isinstance(node, ast.ImportFrom) else []
                modules |= {name.split(".")[0] for name in names}
        for module in sorted(modules - set(sys.stdlib_module_names)):
            if not self.imports(module):
                how = " (./bootstrap --oracles, then a build)" if module in ("mxprism", "numpy") else ""
                return f"Python has no {module}{how}"
        return ""

    def imports(self, module):
        """Whether Python finds a module that can be loaded."""
        done = subprocess.run([PYTHON, "-B", "-c", f"import {module}"], cwd=self.folder, check=False,
                              env=self.environment(), capture_output=True)
        return module.isidentifier() and done.returncode == 0

    def run_block(self, name, one):
        """The text that the block has afterwards."""
        if "set-up" in one.marks:
            for line in one.text.replace("\\\n", " ").splitlines():
                self.assertEqual(complaint_of_set_up(line), "", f"{name}: {line}")
            return one.text
        if one.language == "console":
            return self.replayed(one.text)
        if one.language == "python":
            done = subprocess.run([PYTHON, "-B", "-c", one.text], cwd=self.folder, check=False,
                                  env=self.environment(), encoding="utf-8", timeout=300,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        else:
            done = self.run_shell("set -e\n" + one.text)
        self.assertEqual(done.returncode, 0, f"{name}:\n{one.text}\n{done.stdout}")
        return one.text

    def after(self, name, one):
        if one.file:
            path = self.path(one.file)
            self.assertTrue(os.path.realpath(path).startswith(os.path.realpath(self.folder)), path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, one.text)
        if not one.is_run() or is_run_elsewhere(name, one) or ("nightly" in one.marks and not self.nightly):
            return one.text
        why = "" if "set-up" in one.marks else self.absent(one)
        if why:
            shown = next(line for line in one.text.splitlines() if not line.startswith("# "))
            print(f"SKIPPED: {name}, `{shown[:60]}`, because {why}", flush=True)
            return one.text
        return self.run_block(name, one)

    def check_page(self, name):
        page = text_of(name)
        if name == "docs/training.md":
            self.reader_s_model()
        replayed = FENCE.sub(lambda found: found[1] + found[2] + "\n" +
                             self.after(name, block(found[2], found[3])) + found[1] + "\n", page)
        if WRITE:
            write(page_path(name), replayed)
        else:
            self.assertEqual(replayed, page)


def add_page_tests(case, names):
    for name in names:
        def test(self, name=name):
            self.check_page(name)
        setattr(case, "test_" + re.sub(r"\W", "_", name.removesuffix(".md")), test)


class guide_test(guide_case):
    """The blocks that take seconds."""


class nightly_guide_test(guide_case):
    """All blocks of the pages of which one takes longer."""

    nightly = True


add_page_tests(guide_test, pages())
add_page_tests(nightly_guide_test, [name for name in pages()
                                    if any("nightly" in one.marks for one in blocks_of(name))])


def load_tests(loader, _tests, _pattern):
    """Without arguments; `guide_test.py nightly` has been made `nightly_guide_test` by then."""
    suite = loader.loadTestsFromTestCase(structure_case)
    suite.addTests(loader.loadTestsFromTestCase(guide_test))
    return suite


if __name__ == "__main__":
    sys.argv = ["nightly_guide_test" if word == "nightly" else word for word in sys.argv]
    main()
