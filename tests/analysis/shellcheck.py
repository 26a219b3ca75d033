# SPDX-License-Identifier: Apache-2.0
# tests/analysis/shellcheck.py SOURCE-FOLDER FOLDER: shellcheck finds nothing in the scripts of the project.

import os
import subprocess
import sys

import compile_commands


def scripts(sources):
    """Files that begin by naming a shell, and those that such files take in."""
    for folder, folders, names in os.walk(sources):
        folders[:] = [name for name in folders if name not in ("build", ".git")]
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith(".sh") or begins_with_shell(path):
                yield path


def begins_with_shell(path):
    with open(path, "rb") as file:
        first = file.readline(64)
    return first.startswith(b"#!") and first.rstrip().endswith((b"bash", b"/sh", b" sh"))


def main(sources):
    shellcheck = compile_commands.program("shellcheck")
    found = sorted(scripts(sources))
    done = subprocess.run([shellcheck, "--external-sources", "--source-path=SCRIPTDIR/..", *found], cwd=sources,
                          check=False)
    print(f"{len(found)} scripts read")
    return done.returncode if found else 1


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
