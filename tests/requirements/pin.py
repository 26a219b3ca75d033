# SPDX-License-Identifier: Apache-2.0
# tests/requirements/pin.py: writes the lists with hashes that ./bootstrap gives to pip.
"""usage: pin.py [--upgrade] FILE.in...

Writes FILE.txt: every package of FILE.in and what those need, each with the hash of the wheel that pip
takes under Python 3.11 (Debian 12) and 3.12 (Ubuntu 24.04) on x86-64 and on 64-bit Arm. Packages below the
line "# Without dependencies:" come alone. Packages without wheels go to FILE-sources.txt, with the hash
of their source package; a FILE.txt in place gives the versions that stay (--upgrade: the newest).
Needs uv in PATH and, in this Python (3.11 or later), packaging; asks the package registry that uv is set up for."""

import os
import re
import subprocess
import sys
import tempfile
import tomllib

from packaging.markers import Marker
from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import parse_wheel_filename

FOLDER = os.path.dirname(os.path.abspath(__file__))
ALONE = "# Without dependencies:\n"
# Python's version -> the minor version of the distribution's glibc 2.
PYTHONS = {(3, 11): 36, (3, 12): 39}
MACHINES = ("x86_64", "aarch64")
OLD_MANYLINUX = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}


def platforms(glibc, machine):
    for minor in range(glibc, 4, -1):
        yield f"manylinux_2_{minor}_{machine}"
        if minor in OLD_MANYLINUX:
            yield f"{OLD_MANYLINUX[minor]}_{machine}"
    yield f"linux_{machine}"


def ranked_tags(python, machine):
    """Tag of a wheel -> its rank for pip; the smallest is taken."""
    accepted = list(platforms(PYTHONS[python], machine))
    tags = [*cpython_tags(python, platforms=accepted),
            *compatible_tags(python, f"cp{python[0]}{python[1]}", accepted)]
    return {tag: rank for rank, tag in enumerate(dict.fromkeys(tags))}


RANKS = {(python, machine): ranked_tags(python, machine)
         for python in PYTHONS for machine in MACHINES}


def variables(python, machine):
    """What markers of a requirement ask for."""
    version = ".".join(map(str, python))
    return {"python_version": version, "python_full_version": version + ".9", "platform_machine": machine,
            "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix",
            "implementation_name": "cpython", "platform_python_implementation": "CPython"}


def file_name(entry):
    return entry.get("name") or entry["url"].rsplit("/", 1)[1]


def chosen_wheel(package, ranks):
    """The wheel that pip takes; None if none fits."""
    def rank(wheel):
        return min((ranks[tag] for tag in parse_wheel_filename(file_name(wheel))[3] if tag in ranks), default=None)
    fitting = [wheel for wheel in package.get("wheels", ()) if rank(wheel) is not None]
    return min(fitting, key=rank, default=None)


def places_of(package):
    """The pairs of Python and machine whose pip installs the package."""
    marker = Marker(package["marker"]) if package.get("marker") else None
    return [place for place in RANKS if marker is None or marker.evaluate(variables(*place))]


def condition(places):
    """What a requirement says of the places that it is for: one Python, one machine, both or nothing."""
    pythons, machines = ({place[i] for place in places} for i in (0, 1))
    assert len(places) == len(pythons) * len(machines), places
    parts = [f'python_version == "{major}.{minor}"' for major, minor in pythons if len(pythons) < len(PYTHONS)]
    parts += [f'platform_machine == "{machine}"' for machine in machines if len(machines) < len(MACHINES)]
    return " ; " + " and ".join(parts) if parts else ""


def written(package, places, files):
    """A requirement in pip's language."""
    hashes = sorted({file["hashes"]["sha256"] for file in files})
    return f"{package['name']}=={package['version']}{condition(places)}" + "".join(
        f" \\\n    --hash=sha256:{digest}" for digest in hashes) + "\n"


def requirement(package):
    """A package's text, and whether it is that of a source package; None if nowhere needed."""
    places = places_of(package)
    if not places:
        return None
    wheels = {place: chosen_wheel(package, RANKS[place]) for place in places}
    lacking = [place for place, wheel in wheels.items() if wheel is None]
    if len(lacking) == len(places):
        return written(package, places, [package["sdist"]]), True
    for python, machine in lacking:
        print(f"{package['name']} has no wheel for Python {python[0]}.{python[1]} on {machine}", file=sys.stderr)
    return written(package, places, filter(None, wheels.values())), False


def locked(text, *options):
    """The packages that uv finds for a list of requirements."""
    with tempfile.TemporaryDirectory() as folder:
        asked, lock = (os.path.join(folder, name) for name in ("asked.in", "pylock.toml"))
        with open(asked, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
                        "--format", "pylock.toml", "--output-file", lock, *options, asked], check=True)
        with open(lock, "rb") as file:
            return tomllib.load(file)["packages"]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def versions_in(path):
    """`name==version` of every package of a list that is not an architecture's or a Python's own."""
    if not os.path.exists(path):
        return []
    return re.findall(r"^[\w.-]+==[\w.]+(?= \\$)", text_of(path), re.MULTILINE)


def constraints_for(listed, with_own):
    """Versions that a list keeps: its own, and those of --oracles, beside which it is installed; but
    torch chooses CUDA's packages itself."""
    own = versions_in(listed) if with_own else []
    names = {line.split("==")[0] for line in own}
    is_first = os.path.basename(listed) == "oracles.txt"
    shared = [] if is_first else versions_in(os.path.join(FOLDER, "oracles.txt"))
    return own + [line for line in shared
                  if line.split("==")[0] not in names and not line.startswith("nvidia-")]


def packages_of(asked, listed, with_own):
    together, _, alone = text_of(asked).partition(ALONE)
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as constraints:
        constraints.write("\n".join(constraints_for(listed, with_own)))
        constraints.flush()
        found = locked(together, "--constraint", constraints.name)
    found += locked(alone, "--no-deps") if alone else []
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def write_list(path, asked, requirements, sources=""):
    """A list in place of an older one; none if there is nothing to list.

    sources: the list of source packages that belongs to it
    """
    if not requirements:
        if os.path.exists(path):
            os.remove(path)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0\n"
                   f"# Written by tests/requirements/pin.py from {os.path.basename(asked)}.\n")
        file.write(f"# Source packages: {sources}.\n" if sources else "")
        file.writelines(requirements)


def pin(asked, with_own):
    listed = asked.removesuffix(".in") + ".txt"
    made = [text for text in map(requirement, packages_of(asked, listed, with_own)) if text]
    built = [text for text, is_source in made if is_source]
    sources = listed.replace(".txt", "-sources.txt")
    write_list(sources, asked, built)
    write_list(listed, asked, [text for text, is_source in made if not is_source],
               os.path.basename(sources) if built else "")


def main(words):
    files = [word for word in words if word != "--upgrade"]
    if not files or not all(name.endswith(".in") for name in files):
        print(__doc__, file=sys.stderr)
        return 2
    for name in files:
        pin(name, with_own="--upgrade" not in words)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
