# SPDX-License-Identifier: Apache-2.0
# tests/layering/move_files.py: moves files into the rooms of a table, and rewrites every path that
# names them.
"""usage: move_files.py [--check] PROJECT_FOLDER [TABLE]

Moves files as moves.txt lists, and rewrites includes, source lists of CMake, heads of files and
paths in texts. Files moved before stay; old names that came back, by a merge say, are rewritten.
Prints references that it cannot rewrite; exit status 1 if there is one, or, with --check, which
changes nothing, if anything is left to do; 2 for an invalid table.
"""

import os
import re
import shutil
import subprocess
import sys

from layering_rules import CPP_ENDINGS, project_files, text_of

TABLE = "moves.txt"
DOORS = "emulator/doors.txt"
HEADERS = "emulator/include"
# Folders that compilers search, as includes are spelled from them.
INCLUDE_ROOTS = (HEADERS, "emulator/src", "kernels/include", "kernels/src", "kernels/verify",
                 "kernels/bench", "kernels/record", "tests", "tests/cross", "tests/vectors", "")
# Folders whose files are included by their path below them, from any file.
SPELLED_BELOW = (HEADERS, "emulator/src", "kernels/include", "kernels/src")
# Folders that texts start paths at, beside their own.
TEXT_ROOTS = ("", HEADERS, "emulator", "golden", "kernels", "tests")
NOT_REWRITTEN = ("golden/reference/", "golden/vectors/words/", "tests/fuzz/corpus/")
INCLUDE = re.compile(r'^([ \t]*#[ \t]*(?:include|define[ \t]+HWY_TARGET_INCLUDE)[ \t]*)(["<])([^">]+)([">])',
                     re.MULTILINE)
PATH = re.compile(r"(?<![\w./*{}$-])((?:[\w.-]+/)*[\w-][\w.-]*\.(?:h|cpp|cu|py))(?![\w*/-])")
CMAKE_PATH = re.compile(r'[^\s()"\';#]+\.(?:h|c|cpp|cu|py)(?![\w.])')
FOREACH = re.compile(r"^foreach\((\w+)[ \t\n]([^)$]*)\)\n(.*?)^endforeach\(\)\n", re.MULTILINE | re.DOTALL)
ANY_LINE = re.compile(r".+")
OTHER_LINE = re.compile(r"^(?![ \t]*#[ \t]*(?:include|define[ \t]+HWY_TARGET_INCLUDE)\b).+$", re.MULTILINE)
CMAKE_COMMENT = re.compile(r"#.*")
COMMENT_LINE = re.compile(r"([ \t]*///? )(\S.*)")
WIDTH = 100
SET = re.compile(r"^[ \t]*set\((\w+) (\S+)\)$", re.MULTILINE)


class wrong_table(Exception):
    pass


class room_table:
    """New path of each file: table[old], the same path if it stays."""

    def __init__(self, lines):
        self.lines, self.kept, self.folders = [], {DOORS}, {}
        for number, line in enumerate(lines, 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2 or words[0].count("*") > 1 or words[1].count("*") > words[0].count("*"):
                raise wrong_table(f"line {number}: expected OLD NEW, OLD = or keep FILE: {line.strip()}")
            if words[0] == "keep":
                self.kept.add(words[1])
                continue
            new = words[0] if words[1] == "=" else words[1]
            pattern = re.escape(words[0]).replace(r"\*", "([^/]*)")
            self.lines.append((re.compile(pattern + r"\Z"), new))
            self.folders.setdefault(folder_of(new), set()).add(folder_of(words[0]))
        self.emptied = {folder for olds in self.folders.values() for folder in olds}

    def entry(self, name):
        """The new path; None if no line matches."""
        if folder_of(name) not in self.emptied:
            return None
        for pattern, new in self.lines:
            if match := pattern.match(name):
                return new.replace("*", match.group(1)) if match.groups() else new
        return None

    def __getitem__(self, name):
        return self.entry(name) or name

    def homes(self, folder):
        """The folder, and the origins of its files."""
        return [folder, *sorted(self.folders.get(folder, set()) - {folder})]


class rewriter:
    """The texts of a project with the paths of a table."""

    def __init__(self, root, table):
        self.root, self.table = root, table
        self.names = project_files(root)
        self.present = set(self.names)
        self.after = {table[name] for name in self.names}
        self.remarks = []
        self.renamed = {}
        for name in self.names:
            if table[name] != name:
                self.renamed[name] = table[name]
        self.old_basenames = self.basenames_that_go()

    def basenames_that_go(self):
        """Base names that no file has afterwards -> the files that had them."""
        after = {os.path.basename(name) for name in self.after}
        gone = {}
        for old in self.renamed:
            if os.path.basename(old) not in after:
                gone.setdefault(os.path.basename(old), []).append(old)
        return gone

    def remark(self, name, text, position, what):
        line = text.count("\n", 0, position) + 1
        self.remarks.append(f"{name}:{line}: {what}")

    def known(self, path):
        """Whether the path is a file, or was one before it was moved."""
        return path in self.present or (self.table[path] != path and self.table[path] in self.present)

    def rewritten(self, name, text):
        if name.endswith(CPP_ENDINGS):
            text = INCLUDE.sub(lambda match: self.include(name, text, match), text)
        if name.endswith("CMakeLists.txt") or name.endswith(".cmake"):
            text = FOREACH.sub(lambda match: self.unrolled(name, match), text)
            text = self.cmake_paths(name, text)
            return self.text_paths(name, text, CMAKE_COMMENT)
        return self.text_paths(name, text, OTHER_LINE if name.endswith(CPP_ENDINGS) else ANY_LINE)

    # Includes.

    def include(self, name, text, match):
        before, opening, path, closing = match.groups()
        found = self.included(name, path)
        if len(found) > 1 and any(self.table[target] != target for target, _ in found):
            self.remark(name, text, match.start(), f"{path} may be any of {sorted({t for t, _ in found})}")
            return match.group(0)
        if not found:
            if os.path.basename(path) in self.old_basenames:
                self.remark(name, text, match.start(), f"the include of {path} leads nowhere")
            return match.group(0)
        target, beside = found[0]
        spelled = self.spelled_include(name, path, target, beside)
        nearest = os.path.normpath(os.path.join(folder_of(self.table[name]), spelled))
        if opening == '"' and nearest in self.after and nearest != self.table[target]:
            self.remark(name, text, match.start(), f"{nearest} would hide {self.table[target]} from this include")
        return f"{before}{opening}{spelled}{closing}"

    def included(self, name, path):
        """(file, whether it lies beside the includer) for each candidate of an include."""
        for folder in self.table.homes(folder_of(name)):
            candidate = os.path.normpath(os.path.join(folder, path))
            if self.known(candidate):
                return [(candidate, True)]
        found = {}
        for root in INCLUDE_ROOTS:
            candidate = os.path.normpath(os.path.join(root, path))
            if self.known(candidate):
                found.setdefault(self.table[candidate], (candidate, False))
        return list(found.values())

    def spelled_include(self, name, path, target, beside):
        includer, target_moves = self.table[name], self.table[target] != target
        target = self.table[target]
        stays_beside = beside and folder_of(includer) == folder_of(target)
        if not target_moves and (not beside or self.still_beside(includer, path, target)):
            return path
        for root in SPELLED_BELOW:
            if target.startswith(root + "/"):
                return target[len(root) + 1:]
        if stays_beside or folder_of(includer) == folder_of(target):
            return os.path.basename(target)
        return target

    @staticmethod
    def still_beside(includer, path, target):
        return os.path.normpath(os.path.join(folder_of(includer), path)) == target

    # CMake.

    def variables(self, name, text):
        folder = folder_of(name)
        values = {"PROJECT_SOURCE_DIR": "", "CMAKE_CURRENT_SOURCE_DIR": folder, "CMAKE_SOURCE_DIR": "",
                  "CMAKE_CURRENT_FUNCTION_LIST_DIR": folder, "CMAKE_CURRENT_LIST_DIR": folder}
        for variable, value in SET.findall(text):
            expanded = expand(value.strip('"'), values)
            if "$" not in expanded:
                values.setdefault(variable, expanded)
        return values

    def cmake_paths(self, name, text):
        values = self.variables(name, text)
        return CMAKE_PATH.sub(lambda match: self.cmake_path(name, text, match, values), text)

    def cmake_path(self, name, text, match, values):
        token = match.group(0)
        path = expand(token, values)
        folder = folder_of(name)
        old = os.path.normpath(os.path.join(folder, path.lstrip("/") if token.startswith("$") else path))
        if token.startswith("$") and "$" not in path:
            old = os.path.normpath(path.lstrip("/"))
        if "$" in path or "*" in path:
            self.remark_pattern(name, text, match, old)
            return token
        if not self.known(old) or self.table[old] == old:
            return token
        new = self.table[old]
        prefix = re.match(r"(?:\$\{\w+\}/)?", token).group(0)
        base = expand(prefix, values).strip("/") if prefix else folder
        if token[len(prefix):].startswith("../") or not new.startswith(base + "/" if base else ""):
            return prefix + os.path.relpath(new, base or ".")
        return prefix + (new[len(base) + 1:] if base else new)

    def remark_pattern(self, name, text, match, path):
        """A path with a variable or a star that matches moved files."""
        pattern = re.sub(r"\\\$\\\{.*?\\\}|\\\*", "[^/]+", re.escape(path))
        fitting = [old for old in self.renamed if re.fullmatch("(?:.*/)?" + pattern, old)]
        if fitting:
            self.remark(name, text, match.start(), f"{match.group(0)} fits {len(fitting)} files that move,"
                        f" {fitting[0]} among them")

    def unrolled(self, name, match):
        """A loop over words that name files that move, as its passes; other loops as they are."""
        variable, words, body = match.groups()
        use = "${" + variable + "}"
        passes = [body.replace(use, word) for word in words.split()]
        names_moved = any(self.moves(name, token) for one in passes for token in CMAKE_PATH.findall(one))
        if use not in body or words.split()[:1] in (["IN"], []) or not names_moved:
            return match.group(0)
        return "".join(re.sub(r"^  ", "", one, flags=re.MULTILINE) for one in passes)

    def moves(self, name, token):
        path = expand(token, self.variables(name, ""))
        path = os.path.normpath(os.path.join(folder_of(name), path)) if not token.startswith("$") else path.lstrip("/")
        return self.known(path) and self.table[path] != path

    # Texts.

    def text_paths(self, name, text, places):
        """Paths in those places of the text."""
        return places.sub(lambda place: PATH.sub(
            lambda match: self.text_path(name, text, match, place.start()), place.group(0)), text)

    def text_path(self, name, text, match, start):
        token = match.group(1)
        if "/" not in token:
            return self.bare_name(name, text, token, start + match.start())
        for base in (*TEXT_ROOTS, *self.table.homes(folder_of(name))):
            old = os.path.normpath(os.path.join(base, token))
            if self.known(old) and self.table[old] != old:
                new = self.table[old]
                return new[len(base) + 1:] if base and new.startswith(base + "/") else new
        return token

    def bare_name(self, name, text, token, position):
        """A base name; if new, as in an include or with its folder."""
        roots = [root for root in SPELLED_BELOW if root.split("/")[0] == name.split("/")[0]]
        near = [os.path.join(base, token) for base in (*self.table.homes(folder_of(name)), *roots)]
        found = [old for old in near if self.known(old)][:1] or self.old_basenames.get(token, [])
        if not found or os.path.basename(self.table[found[0]]) == token:
            return token
        if len(found) > 1:
            self.remark(name, text, position, f"{token} may be any of {sorted(found)}")
            return token
        return self.named_from(name, self.table[found[0]])

    def named_from(self, name, new):
        folder = folder_of(self.table[name])
        if not name.endswith(CPP_ENDINGS):
            return new[len(folder) + 1:] if folder and new.startswith(folder + "/") else new
        for root in SPELLED_BELOW:
            if new.startswith(root + "/") and root.split("/")[0] == name.split("/")[0]:
                return new[len(root) + 1:]
        return os.path.basename(new) if folder == folder_of(new) else new


def folder_of(name):
    return os.path.dirname(name)


def expand(text, values):
    return re.sub(r"\$\{(\w+)\}", lambda match: values.get(match.group(1), match.group(0)), text)


def fitted(before, after):
    """Comments made too wide by a longer path, with the excess on the next line."""
    known, lines, rest = set(before.split("\n")), after.split("\n"), ""
    made = []
    for index, line in enumerate(lines):
        comment = COMMENT_LINE.match(line)
        if rest:
            prefix, words = rest
            if comment and comment[1] == prefix and re.match("[a-z0-9(]", comment[2]):
                line = f"{prefix}{words} {comment[2]}"
            else:
                made.append(prefix + words)
            comment, rest = COMMENT_LINE.match(line), ""
        if comment and len(line) > WIDTH and (line != lines[index] or line not in known):
            cut = line.rfind(" ", len(comment[1]) + 1, WIDTH + 1)
            if cut > 0:
                line, rest = line[:cut], (comment[1], line[cut + 1:])
        made.append(line)
    return "\n".join(made)


def texts_after(project):
    """Name -> text, of the files that change."""
    changed = {}
    for name in project.names:
        if name in project.table.kept or name.startswith(NOT_REWRITTEN):
            continue
        text = text_of(project.root, name)
        if text is None:
            continue
        new = project.rewritten(name, text)
        if name.endswith(CPP_ENDINGS):
            new = fitted(text, new)
        if new != text:
            changed[name] = new
    return changed


def strays(project):
    """Files without a line in a folder that the table empties; files in two places."""
    folders = {folder_of(name) for name in project.renamed} | {
        folder for folder in project.table.emptied if folder + "/CMakeLists.txt" not in project.present}
    for name in project.names:
        if folder_of(name) in folders & project.table.emptied and project.table.entry(name) is None:
            yield f"{name}: the table has no line for it"
    targets = {}
    for old, new in project.renamed.items():
        if new in project.present or new in targets:
            yield f"{old}: {new} is there already"
        targets[new] = old


def doors(project):
    """The old name of each header that moved and its new one, as lines."""
    found = {}
    for name in project.names:
        if project.table[name] != name and name.startswith(HEADERS + "/"):
            found[name[len(HEADERS) + 1:]] = project.table[name][len(HEADERS) + 1:]
    return found


def write_doors(project):
    path = os.path.join(project.root, DOORS)
    found = doors(project)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            found = dict(line.split() for line in file if not line.startswith("#")) | found
    lines = ["# SPDX-License-Identifier: Apache-2.0\n",
             f"# {DOORS}: names under which headers are installed beside their own: OLD NEW.\n"]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines + [f"{old} {new}\n" for old, new in sorted(found.items())])


def git(root, *arguments):
    subprocess.run(["git", "-C", root, *arguments], check=True, stdout=subprocess.DEVNULL)


def apply(project, changed):
    for name, text in changed.items():
        with open(os.path.join(project.root, name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    if project.renamed:
        write_doors(project)
    for old, new in project.renamed.items():
        os.makedirs(os.path.join(project.root, folder_of(new)), exist_ok=True)
        git(project.root, "mv", old, new)
    cpp = [project.table[name] for name in changed if name.endswith(CPP_ENDINGS)]
    if shutil.which("clang-format") is None:
        print("clang-format is missing: includes are not in order")
        return
    for start in range(0, len(cpp), 100):  # it leaves a file as it is that it cannot read
        subprocess.run(["clang-format", "-i", *cpp[start:start + 100]], cwd=project.root, check=False)


def main(arguments):
    check = "--check" in arguments
    words = [word for word in arguments[1:] if word != "--check"]
    if not 1 <= len(words) <= 2 or not os.path.isdir(words[0]):
        print(__doc__, file=sys.stderr)
        return 2
    table_path = words[1] if len(words) == 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), TABLE)
    try:
        with open(table_path, encoding="utf-8") as file:
            project = rewriter(words[0], room_table(file))
    except (OSError, wrong_table) as error:
        print(f"{table_path}: {error}", file=sys.stderr)
        return 2
    project.remarks += strays(project)
    if any("there already" in remark for remark in project.remarks):
        print("\n".join(project.remarks))
        return 2
    changed = texts_after(project)
    print("\n".join(project.remarks + [f"{len(project.renamed)} files to move, {len(changed)} texts to rewrite"]))
    if not check:
        apply(project, changed)
    return 1 if project.remarks or check and (changed or project.renamed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
