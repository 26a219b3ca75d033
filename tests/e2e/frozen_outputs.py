# SPDX-License-Identifier: Apache-2.0
# tests/e2e/frozen_outputs.py: recorded results of each command of the tests.
"""A command's exit status, its JSON and the bytes of every file that it writes are frozen.

A script with a file frozen/SCRIPT.txt has there a line for each command that its tests run: a digest,
the test, the words. A command without a line is not compared. After an intended change record again,
and look at the difference:
    MX_RECORD=$PWD/tests/e2e/frozen ctest --test-dir build/dev -R e2e
Output that differs from run to run has `varies` in place of its digest, which recording keeps. Scripts
without a file are not recorded, such as those whose files have rows in the order of threads; an empty
file begins one.
"""

import hashlib
import json
import os
import sys

RECORD = os.environ.get("MX_RECORD")
FROZEN = RECORD or os.path.join(os.path.dirname(os.path.abspath(__file__)), "frozen")


SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())


def without_places(text, folder):
    """The text with names in place of folders that differ from machine to machine."""
    for place, name in ((folder, "$FOLDER"), (SOURCES, "$SOURCES"), (sys.executable, "$PYTHON")):
        text = text.replace(place, name)
    return text


def stamps(folder):
    """Size and time of every file below a folder, by its path relative to that."""
    found = {}
    for place, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(place, name)
            status = os.lstat(path)
            found[os.path.relpath(path, folder)] = (status.st_size, status.st_mtime_ns,
                                                    status.st_ino)
    return found


def digest_of_file(path):
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    except OSError as unreadable:
        digest.update(type(unreadable).__name__.encode())
    return digest.hexdigest()


def digest_of_run(folder, words, done, before):
    """64-bit digest of a command's results; `before` are the folder's stamps before it."""
    written = {name: digest_of_file(os.path.join(folder, name))
               for name, stamp in sorted(stamps(folder).items()) if before.get(name) != stamp}
    printed = without_places(done.stdout, folder) if "--json" in words else ""
    whole = json.dumps([done.returncode, printed, written])
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


class frozen_file:
    """The digests of one script, by test and words, in the order of equal commands."""

    def __init__(self, script):
        self.path = os.path.join(FROZEN, os.path.splitext(os.path.basename(script))[0] + ".txt")
        self.digests = {}
        self.made = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    digest, name, words = line.rstrip("\n").split(" ", 2)
                    self.digests.setdefault((name, words), []).append(digest)

    def check(self, case, words, digest):
        name = ".".join(case.id().split(".")[-2:])
        key = name, json.dumps([without_places(word, case.folder) for word in words])
        made = self.made.setdefault(key, [])
        made.append(digest)
        recorded = self.digests.get(key, [])
        if not RECORD and len(made) <= len(recorded) and recorded[len(made) - 1] != "varies":
            case.assertEqual(digest, recorded[len(made) - 1],
                             f"{words}: not the recorded status, JSON or files ({self.path})")

    def write(self):
        """Replaces the recorded lines of the tests that ran, but for those that vary."""
        if not os.path.exists(self.path):
            return
        ran = {name for name, _ in self.made}
        lines = {key: digests for key, digests in self.digests.items() if key[0] not in ran}
        for key, made in self.made.items():
            known = self.digests.get(key, []) + [""] * len(made)
            lines[key] = [old if old == "varies" else new for new, old in zip(made, known)]
        with open(self.path, "w", encoding="utf-8") as file:
            for (name, words), digests in sorted(lines.items()):
                file.writelines(f"{digest} {name} {words}\n" for digest in digests)


THIS_SCRIPT = frozen_file(sys.argv[0])
