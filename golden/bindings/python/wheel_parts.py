# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/wheel_parts.py: what of other projects a wheel consists of, read from the build
# that made it.
"""A part is a package of the distribution, or nanobind and what it brings: its headers were compiled in, it was
linked in as an archive, or its library lies in the wheel. Ninja's log of dependencies names every header
that a compiler read."""

import collections
import hashlib
import importlib.metadata
import os
import platform
import re
import subprocess
import sysconfig
import urllib.parse

# name, version and the package registries' URL (purl) of a part; licence: bytes of its text, or None.
part = collections.namedtuple("part", "name version url licence")
# Of these a program takes templates and inline functions, whatever it is written for.
TOOLCHAIN = re.compile(r"lib(c6|c|stdc\+\+|gcc)-[\w.-]*dev|linux-libc-dev|libc6-dev|gcc-\d+|libcrypt-dev")


class unknown_part(Exception):
    """A file that belongs to no known package."""


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, encoding="utf-8").stdout


def compiled_files(build):
    """Absolute paths, outside of the sources and the build, of every file that was compiled in."""
    lines = output_of("ninja", "-C", build, "-t", "deps").splitlines()
    paths = {os.path.realpath(os.path.join(build, line.strip())) for line in lines if line.startswith("    ")}
    inside = (os.path.realpath(build) + os.sep, source_of(build) + os.sep)
    return {path for path in paths if not path.startswith(inside)}


def source_of(build):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        return os.path.realpath(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", file.read(), re.M).group(1))


def linked_archives(build):
    """Absolute paths of the archives of other projects on the command lines."""
    words = re.split(r"[\s,]+", output_of("ninja", "-C", build, "-t", "commands"))
    return {os.path.realpath(word) for word in words if word.endswith(".a") and os.path.isabs(word)}


def copied_libraries(modules):
    """Name of a library -> its path on this system, for every one that built modules load."""
    found = {}
    for module in modules:
        for path in re.findall(r"=> (/\S+)", output_of("ldd", module)):
            found[os.path.basename(os.path.realpath(path))] = os.path.realpath(path)
    return found


def own_package(packages, architecture):
    """This machine's among the packages that share a file: those of several architectures may."""
    names = packages.split(", ")
    return next((name for name in names if name.endswith(f":{architecture}")), names[0])


def packages_of(paths):
    """Names of the distribution's packages that hold the files."""
    done = subprocess.run(["dpkg-query", "-S", *sorted(paths)], capture_output=True, encoding="utf-8", check=False)
    own = output_of("dpkg", "--print-architecture").strip()
    lines = [line.split(": ", 1) for line in done.stdout.splitlines()]
    owners = {path: own_package(packages, own) for packages, path in lines}
    lacking = sorted(path for path in paths if path not in owners)
    if lacking:
        raise unknown_part(f"{lacking[0]} belongs to no package of the distribution")
    return set(owners.values())


def licence_of(package):
    path = os.path.join("/usr/share/doc", package.split(":")[0], "copyright")
    with open(path, "rb") as file:
        return file.read()


def distribution_part(package):
    name, version, architecture = output_of(
        "dpkg-query", "-W", "-f", "${Package}\t${Version}\t${Architecture}", package).split("\t")
    system = platform.freedesktop_os_release()
    place = f"arch={architecture}&distro={system['ID']}-{system.get('VERSION_ID', '')}"
    url = f"pkg:deb/{system['ID']}/{urllib.parse.quote(name)}@{urllib.parse.quote(version)}?{place}"
    return part(name, version, url, None if TOOLCHAIN.fullmatch(name) else licence_of(package))


def nanobind_part():
    package = importlib.metadata.distribution("nanobind")
    texts = [file for file in package.files if "licenses" in file.parts or file.name == "LICENSE"]
    return part("nanobind", package.version, f"pkg:pypi/nanobind@{package.version}", texts[0].read_binary())


def robin_map_part(header):
    """The hash table that nanobind brings: its header has the version and the licence."""
    with open(header, encoding="utf-8") as file:
        text = file.read()
    version = ".".join(re.search(rf"define TSL_RH_VERSION_{name} (\d+)", text).group(1)
                       for name in ("MAJOR", "MINOR", "PATCH"))
    licence = text.partition("*/")[0].encode()
    return part("robin-map", version, f"pkg:github/tessil/robin-map@v{version}", licence)


def python_part():
    return part("cpython", platform.python_version(), f"pkg:generic/cpython@{platform.python_version()}", None)


def folder_of(package):
    return os.path.realpath(os.path.dirname(importlib.metadata.distribution(package).locate_file(
        f"{package}/__init__.py"))) + os.sep


def compiled_parts(build):
    """Parts whose text is in the wheel's own libraries."""
    files = compiled_files(build) | linked_archives(build)
    nanobind, python = folder_of("nanobind"), os.path.realpath(sysconfig.get_path("include")) + os.sep
    tables = sorted(path for path in files if path.endswith("/tsl/robin_growth_policy.h"))
    parts = {nanobind_part()} if any(path.startswith(nanobind) for path in files) else set()
    parts |= {robin_map_part(path) for path in tables[:1]}
    parts |= {python_part()} if any(path.startswith(python) for path in files) else set()
    others = {path for path in files if not path.startswith((nanobind, python))}
    return parts | {distribution_part(package) for package in packages_of(others)}


def copied_part(path):
    package, = packages_of({path})
    return distribution_part(package)


def digest_of(content):
    return hashlib.sha256(content).hexdigest()
