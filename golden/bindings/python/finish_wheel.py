# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/finish_wheel.py: adds the licences and the bill of materials (SBOM) of what a
# repaired wheel consists of, and writes it so that the same content gives the same bytes.
# Source: CycloneDX 1.6 (JSON); PEP 770, "SBOM files in the .dist-info/sboms directory"; the binary
# distribution format of the Python packaging guide, "The .dist-info directory".
"""usage: finish_wheel.py BUILD PLAIN_WHEEL REPAIRED_WHEEL DIR, with the date in SOURCE_DATE_EPOCH.

BUILD is the folder that PLAIN_WHEEL was built in; REPAIRED_WHEEL is that of auditwheel."""

import base64
import csv
import datetime
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import zipfile

import wheel_parts

SBOM = "mxprism.cdx.json"
# auditwheel writes lib<name>-<hash>.so.<version> for lib<name>.so.<version>.
HASHED_NAME = re.compile(r"-[0-9a-f]{8}(?=\.so)")


def contents_of(wheel):
    """Name -> bytes of every file, without those that are written anew here."""
    with zipfile.ZipFile(wheel) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()
                if not info.is_dir() and not info.filename.endswith((".dist-info/RECORD", "/auditwheel.cdx.json"))}


def info_folder(contents):
    return next(name for name in contents if name.endswith(".dist-info/METADATA")).rpartition("/")[0]


def is_library(name):
    return re.search(r"\.so(\.[\d.]+)?$", name) is not None


def libraries_of_system(plain_wheel):
    """Name -> path of each library of this system that the modules of a wheel load."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(plain_wheel) as archive:
        modules = [archive.extract(name, folder) for name in archive.namelist() if is_library(name)]
        return wheel_parts.copied_libraries(modules)


def copied_parts(contents, plain_wheel):
    """Name in the wheel -> (part, path of the original) of each library that auditwheel copied."""
    originals = libraries_of_system(plain_wheel)
    result = {}
    for name in contents:
        if is_library(name) and ".libs/" in name:
            path = originals[HASHED_NAME.sub("", os.path.basename(name))]
            result[name] = wheel_parts.copied_part(path), path
    return result


def hashes(content):
    return [{"alg": "SHA-256", "content": wheel_parts.digest_of(content)}]


def file_component(name, content):
    return {"type": "file", "bom-ref": f"file:{name}", "name": name, "hashes": hashes(content)}


def library_component(part, role, *properties):
    return {"type": "library", "bom-ref": f"{part.url}#{role.replace(' ', '-')}", "name": part.name,
            "version": part.version, "purl": part.url,
            "properties": [{"name": "mxprism:role", "value": role}, *properties]}


def copied_component(name, part, path):
    """A package whose library lies in the wheel. auditwheel has changed the names inside of it, so that the
    hash of the package's own file is stated beside that of the wheel's."""
    with open(path, "rb") as file:
        original = wheel_parts.digest_of(file.read())
    return library_component(part, "copied", {"name": "mxprism:file", "value": name},
                             {"name": "mxprism:sha256-of-the-package", "value": original})


def described_wheel(contents):
    metadata = contents[info_folder(contents) + "/METADATA"].decode()
    version = re.search(r"^Version: (.*)$", metadata, re.MULTILINE).group(1)
    url = f"pkg:pypi/mxprism@{version}"
    return {"type": "library", "bom-ref": url, "name": "mxprism", "version": version, "purl": url,
            "licenses": [{"license": {"id": "Apache-2.0"}}]}


def bill_of_materials(contents, compiled, copied, date):
    wheel = described_wheel(contents)
    files = [file_component(name, contents[name]) for name in sorted(contents) if is_library(name)]
    inside = [library_component(part, "compiled in") for part in sorted(compiled)]
    beside = [copied_component(name, *copied[name]) for name in sorted(copied)]
    own = [file["bom-ref"] for file in files if file["name"] not in copied]
    edges = [{"ref": wheel["bom-ref"], "dependsOn": [file["bom-ref"] for file in files]}]
    edges += [{"ref": name, "dependsOn": [part["bom-ref"] for part in inside]} for name in own]
    edges += [{"ref": f"file:{name}", "dependsOn": [part["bom-ref"]]} for name, part in zip(sorted(copied), beside)]
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
            "metadata": {"timestamp": datetime.datetime.fromtimestamp(date, datetime.timezone.utc).strftime(
                "%Y-%m-%dT%H:%M:%SZ"), "component": wheel},
            "components": files + inside + beside, "dependencies": edges}


def licences(parts):
    return {f"licenses/{part.name}.txt": part.licence for part in parts if part.licence is not None}


def record(contents, folder):
    """The text of RECORD: every file with its hash and size, itself without."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name in sorted(contents):
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents[name]).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(contents[name])])
    rows.writerow([f"{folder}/RECORD", "", ""])
    return text.getvalue().encode()


def write_wheel(path, contents, date):
    """The files in the order of their names, all of one date; an archive's dates begin in 1980."""
    moment = max(datetime.datetime.fromtimestamp(date, datetime.timezone.utc).timetuple()[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(contents, key=lambda name: (".dist-info/" in name, name)):
            info = zipfile.ZipInfo(name, moment)
            info.create_system = 3  # that of Unix, which has permissions
            info.external_attr = (0o100755 if is_library(name) else 0o100644) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, contents[name])


def finish(build, plain_wheel, repaired_wheel, folder, date):
    contents = contents_of(repaired_wheel)
    compiled, copied = wheel_parts.compiled_parts(build), copied_parts(contents, plain_wheel)
    bill = bill_of_materials(contents, compiled, copied, date)
    info = info_folder(contents)
    for name, text in licences(compiled | {part for part, _ in copied.values()}).items():
        contents[f"{info}/{name}"] = text
    contents[f"{info}/sboms/{SBOM}"] = (json.dumps(bill, indent=1) + "\n").encode()
    contents[f"{info}/RECORD"] = record(contents, info)
    write_wheel(os.path.join(folder, os.path.basename(repaired_wheel)), contents, date)


def main(words):
    if len(words) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        finish(*words, date=int(os.environ["SOURCE_DATE_EPOCH"]))
    except wheel_parts.unknown_part as unknown:
        print(f"finish_wheel.py: error: {unknown}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
