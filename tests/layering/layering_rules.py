# SPDX-License-Identifier: Apache-2.0
# tests/layering/layering_rules.py: who includes whom, and words that no file may contain.
# Source: docs/architecture.md, "Who may include whom".
"""usage: layering_rules.py PROJECT_FOLDER; prints each breach; exit status 1 if there is one."""

import os
import re
import subprocess
import sys

# Folder of the command -> folders of the command that it may include from.
COMMAND_FOLDERS = {
    "terminal": set(),
    "rules": {"terminal"},
    "formats": {"terminal", "rules"},
    "explain": {"terminal", "rules", "formats"},
    "quantize": {"terminal", "rules"},
    "decompose": {"terminal", "rules", "quantize"},
    "products": {"terminal", "rules", "formats", "quantize"},
    "verify": {"terminal", "rules", "formats", "quantize", "products"},
    "probe": {"terminal", "rules", "quantize", "formats", "products", "verify"},
    "vectors": {"terminal"},
    "score": {"terminal", "rules", "quantize", "products"},
    "train": {"terminal"},
    "pretrained": {"terminal", "train"},
    "sweep": {"terminal", "rules", "quantize"},
    "bench": {"terminal"},
}
COMMAND = {"sim/cli"} | {f"sim/cli/{name}" for name in COMMAND_FOLDERS}
# Room of emulator/include/mx -> rooms that it may include from. A room sees itself.
ROOMS = {
    "number": set(),
    "block": {"number"},
    "tensor": {"number", "block"},
    "dot": {"number", "block"},
    "presets": {"number", "block", "tensor"},
}
MOST_COLUMNS = 100
USERS_HEADER = "emulator/include/mx/mx.h"
# Room of sim but the command -> rooms that it may include from. A room sees itself; only sim/cli/train sees device.
SIM_ROOMS = {
    "study": set(),
    "ranks": {"study"},
    "task": {"study"},
    "policy": {"study", "task"},
    "rollout": {"task", "policy"},
    "pretrained": {"study", "policy"},
    "device": {"study", "policy"},
    "report": {"study"},
    "train": {"study", "ranks", "task", "policy", "rollout", "pretrained", "report"},
    "claims": {"study", "task", "pretrained", "report", "train"},
    "report/seeds": {"study", "report", "claims"},
    "cost": {"train"},
    "assess": {"study", "task", "policy", "report", "train"},
    "sweep": {"study", "policy", "pretrained", "report", "train", "assess"},
}
# Folder (the longest that fits a file) -> folders it may include from. A folder sees itself.
MAY_INCLUDE = {
    "emulator": {"emulator", "emulator/src"},
    "emulator/include": {"emulator"},
    "golden/bindings": {"golden/bindings", "golden/bindings/include", "golden/validator",
                        "emulator"},
    "golden/bindings/include": {"golden/bindings/include"},
    "golden/bindings/cuda": {"golden/bindings/cuda", "golden/bindings", "golden/bindings/include", "kernels",
                             "emulator"},
    "golden/bindings/python": {"golden/bindings/python", "golden/bindings/include", "golden/explain",
                               "golden/probe", "golden/vectors/packs", "emulator"},
    "golden/explain": {"golden/explain", "emulator"},
    "golden/io": {"golden/io"},
    "golden/reference": {"golden/reference"},
    "golden/vectors": {"golden/vectors", "golden/reference"},
    "golden/validator": {"golden/validator", "golden/io", "emulator"},
    "golden/probe": {"golden/probe", "golden/validator", "golden/vectors/packs", "golden/io",
                     "emulator"},
    "kernels": {"kernels", "emulator"},
    "kernels/record": {"kernels/record", "kernels", "emulator", "golden/vectors"},
    "kernels/verify": {"kernels/verify", "kernels", "emulator", "golden/vectors"},
    "rtl_models": {"rtl_models", "emulator"},
    "rtl_models/soc": {"rtl_models", "rtl_models/soc", "emulator", "golden/io"},
    "sim": {"sim", "emulator", "golden/io"},
    "sim/cli": {"sim", "emulator", "golden/io"} | COMMAND,
    "golden/vectors/packs": {"golden/vectors/packs", "emulator", "golden/io"},
    "tests": {"tests", "sim", "sim/device", "kernels", "rtl_models", "rtl_models/soc", "emulator", "emulator/src",
              "golden/bindings", "golden/bindings/cuda", "golden/bindings/include", "golden/explain", "golden/io", "golden/probe", "golden/reference",
              "golden/validator", "golden/vectors",
              "golden/vectors/packs"} | COMMAND,
    "tests/bindings/example": {"golden/bindings/include", "golden/bindings/cuda", "emulator"},
}
for name, others in COMMAND_FOLDERS.items():
    MAY_INCLUDE[f"sim/cli/{name}"] = {"sim", "emulator", "golden/io"} | {
        f"sim/cli/{other}" for other in others | {name}}
MAY_INCLUDE["sim/cli/explain"].add("golden/explain")
MAY_INCLUDE["sim/cli/verify"] |= {"golden/validator"}
MAY_INCLUDE["sim/cli/vectors"].add("golden/vectors/packs")
# All of sim may include the interface of ranks; MPI is known in its room alone.
MAY_INCLUDE["sim/ranks"] = {"sim", "Open MPI"}
MAY_INCLUDE["sim/device"] = {"sim/device", "sim", "kernels", "emulator"}
MAY_INCLUDE["sim/cli/train"].add("sim/device")
MAY_INCLUDE["sim/cli/bench"] |= {"rtl_models", "kernels"}
MAY_INCLUDE["sim/cli/score"].add("golden/validator")
MAY_INCLUDE["sim/cli/probe"] |= {"golden/probe", "golden/validator", "golden/vectors/packs"}
# Spelling of a path in an include -> its folder; the first match counts.
INCLUDE_ROOTS = {
    "mpi.h": "Open MPI",
    "mx/kernels/": "kernels",
    "mx/": "emulator",
    "emulator/src/": "emulator/src",
    "emulator/": "emulator",
    "golden/bindings/python/": "golden/bindings/python",
    "golden/bindings/cuda/": "golden/bindings/cuda",
    "golden/bindings/": "golden/bindings",
    "mxprism/cuda.h": "golden/bindings/cuda",
    "mxprism/": "golden/bindings/include",
    "golden/explain/": "golden/explain",
    "golden/io/": "golden/io",
    "golden/probe/": "golden/probe",
    "golden/reference/": "golden/reference",
    "golden/vectors/packs/": "golden/vectors/packs",
    "golden/vectors/": "golden/vectors",
    "golden/validator/": "golden/validator",
    "golden/": "golden",
    **{f"sim/cli/{name}/": f"sim/cli/{name}" for name in COMMAND_FOLDERS},
    "rtl_models/soc/": "rtl_models/soc",
    "rtl_models/": "rtl_models",
    "sim/cli/": "sim/cli",
    "sim/device/": "sim/device",
    "sim/": "sim",
    "tests/": "tests",
    "kernels/": "kernels",
    "catch2/": "tests",
    "catch.h": "tests",
    # As spelled in the emulator's own sources.
    **{f"{folder}/": "emulator/src" for folder in ("dot", "presets", "simd", "spelling", "tensor")},
}
# Spelled with gaps, so that this file does not contain them itself.
FORBIDDEN_TEXT = {
    "fast-math": re.compile(r"-ffast[-]math"),
    "a path of one machine": re.compile(r"(?<![\w./~-])/(?:work|root|home/[A-Za-z]\w*)/"),
    "unfinished work": re.compile(r"\b(?:TO[D]O|FIX[M]E)\b"),
}
# What a pattern names -> folders where only the listed files may have it, and what others do instead.
ONLY_IN = (
    # The loop of policies keeps calls apart from each other's exceptions, in a program that has IEEE's defaults.
    (re.compile(r"#[ \t]*include <tbb/(?:parallel_\w+|task_group|flow_graph)\.h>"),
     ("emulator/", "golden/", "sim/"),
     {"emulator/src/tensor/parallel.cpp", "sim/policy/whole_loop.cpp"},
     "loop by mx/tensor/parallel.h, under IEEE's arithmetic on every thread"),
    (re.compile(r"\b(?:nb|nanobind)::(?:class_|module_|enum_)\b"),
     ("golden/bindings/python/",),
     {"golden/bindings/python/bound.h"},
     "define by bound_module, under IEEE's arithmetic"),
)
# A function of the C ABI: its first statement catches exceptions and sets the arithmetic, or calls one that does.
ENTRY = re.compile(r"^mx_status (mx_\w+)\([^{;]*\) \{\n(.*)$", re.MULTILINE)
GUARDED = re.compile(r"  return (?:bindings::(?:guarded|described)|mx_\w+)\(")
CPP_ENDINGS = (".h", ".c", ".cpp", ".cuh", ".cu")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0"
NOT_SOURCES = {".git", "build", "out", "__pycache__"}


def project_files(root):
    """Paths below root, relative, with forward slashes: those git does not ignore, else all."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False,
    ) if os.path.exists(os.path.join(root, ".git")) and in_path("git") else None
    if listing is not None and listing.returncode == 0:
        names = {name for name in os.fsdecode(listing.stdout).split("\0") if name}
        return sorted(name for name in names if os.path.isfile(os.path.join(root, name)))
    return sorted(walk(root))


def in_path(program):
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in folders)


def walk(root):
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in NOT_SOURCES]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def text_of(root, name):
    """The file's text; None if it is binary."""
    with open(os.path.join(root, name), "rb") as file:
        content = file.read()
    if b"\0" in content:
        return None
    return content.decode("utf-8", errors="replace")


def area_of(name):
    """The entry of MAY_INCLUDE that a file belongs to; None for the others."""
    fitting = [area for area in MAY_INCLUDE if name.startswith(area + "/")]
    return max(fitting, key=len, default=None)


def from_the_root(included, includer):
    """An include's path; one that begins with a dot is spelled from its file's folder."""
    if not included.startswith("."):
        return included
    return os.path.normpath(os.path.join(os.path.dirname(includer), included))


def included_area(included, includer):
    """The folder of an included header; None if outside the project."""
    included = from_the_root(included, includer)
    for root, area in INCLUDE_ROOTS.items():
        if included.startswith(root):
            return area
    for root, area in INCLUDE_ROOTS.items():
        if "/" + root in included and root.endswith("/"):
            return area
    return None


def include_breaches(name, text):
    area = area_of(name)
    if area is None or not name.endswith(CPP_ENDINGS):
        return
    for match in INCLUDE.finditer(text):
        target = included_area(match.group(1), name)
        if target is not None and target not in MAY_INCLUDE[area]:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: {area} must not include {match.group(1)} (of {target})"


def room_breaches(name, text):
    """Headers of a room that include one of a later room, or of none."""
    header = re.match(r"emulator/include/mx/(\w+)/", name)
    if header is None:
        return
    room = header.group(1)
    for match in INCLUDE.finditer(text):
        other = re.match(r"mx/(?:(\w+)/)?", match.group(1))
        if other is not None and other.group(1) not in ROOMS.get(room, set()) | {room}:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: the room {room} must not include {match.group(1)}"


def users_header_breaches(headers):
    """Headers of the emulator (path: text) that the header for users neither includes nor names."""
    if USERS_HEADER not in headers:
        return
    included, waiting = set(), [USERS_HEADER]
    while waiting:
        name = waiting.pop()
        if name not in included:
            included.add(name)
            waiting += [f"emulator/include/{path}" for path in INCLUDE.findall(headers.get(name, ""))]
    named = set(re.findall(r"mx/[\w/-]+\.h", headers[USERS_HEADER]))
    for name in sorted(set(headers) - included):
        if name[len("emulator/include/"):] not in named:
            yield f"{name}:1: {USERS_HEADER} must include it, or name it among those that need a library"


def sim_room_of(name):
    """The room of a file of sim: the longest that fits; its folder if that is none; None outside of rooms."""
    fitting = [room for room in SIM_ROOMS if name.startswith(f"sim/{room}/")]
    folder = re.match(r"sim/(\w+)/", name)
    return max(fitting, key=len) if fitting else folder and folder.group(1)


def sim_room_breaches(name, text):
    """Files of a room of sim that include from a room which theirs does not see."""
    room = sim_room_of(name)
    if room in (None, "cli") or not name.endswith(CPP_ENDINGS):
        return
    for match in INCLUDE.finditer(text):
        other = sim_room_of(from_the_root(match.group(1), name))
        if other not in (None, "cli") and (room not in SIM_ROOMS or other not in SIM_ROOMS[room] | {room}):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: the room {room} of sim must not include {match.group(1)}"


def breaches_of_owners(name, text):
    """What is not where all others find it."""
    for pattern, folders, owners, instead in ONLY_IN:
        if not name.startswith(folders) or name in owners or not name.endswith(CPP_ENDINGS):
            continue
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: holds {match.group(0)}; {instead}"


def entry_breaches(name, text):
    """Functions of the C ABI that let exceptions or the caller's arithmetic pass."""
    if not name.startswith("golden/bindings/") or not name.endswith(".cpp"):
        return
    for match in ENTRY.finditer(text):
        if not GUARDED.match(match.group(2)):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: {match.group(1)} must begin with bindings::guarded or bindings::described"


def text_breaches(name, text):
    for reason, pattern in FORBIDDEN_TEXT.items():
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: holds {reason}: {match.group(0)}"


def license_breaches(name, text):
    if name.endswith(CPP_ENDINGS) and LICENSE_LINE not in text.partition("\n")[0]:
        yield f"{name}:1: the first line must be // {LICENSE_LINE}"


def comment_breaches(name, text):
    """clang-format wraps code, not comments: it would take their tables apart."""
    if not name.endswith(CPP_ENDINGS):
        return
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MOST_COLUMNS and "//" in line:
            yield f"{name}:{number}: a comment beyond column {MOST_COLUMNS}"


def breaches(root):
    """Every breach of a rule below root, one line of text each."""
    headers = {}
    for name in project_files(root):
        text = text_of(root, name)
        if text is None:
            continue
        if name.startswith("emulator/include/mx/"):
            headers[name] = text
        yield from include_breaches(name, text)
        yield from room_breaches(name, text)
        yield from sim_room_breaches(name, text)
        yield from breaches_of_owners(name, text)
        yield from entry_breaches(name, text)
        yield from text_breaches(name, text)
        yield from license_breaches(name, text)
        yield from comment_breaches(name, text)
    yield from users_header_breaches(headers)


def main(arguments):
    if len(arguments) != 2 or not os.path.isdir(arguments[1]):
        print(__doc__, file=sys.stderr)
        return 2
    found = list(breaches(arguments[1]))
    print("\n".join(found) if found else f"{len(project_files(arguments[1]))} files keep the rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
