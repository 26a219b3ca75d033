# SPDX-License-Identifier: Apache-2.0
"""planted_faults.py: programs with one fault each, which the judge must find, and right ones, of
which it must say nothing."""
import os
import tempfile

import attacked_command
import judge

ERROR = 'echo "mxprism: error: in.npy: byte 0: is not a .npy file" >&2; exit 2'
# Name -> (what a shell runs, words of the complaint).
FAULTS = {
    "bug-status": ("exit 3", "exit status 3"),
    "unknown-status": ("exit 77", "exit status 77"),
    "signal": ("kill -SEGV $$", "signal 11"),
    "hang": ("sleep 600", "not finished"),
    "busy": ("i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; " + ERROR, "of processor time"),
    "no-error": ("exit 2", "0 error lines"),
    "two-errors": ('echo "mxprism: error: in.npy: a" >&2; ' + ERROR, "2 error lines"),
    "two-lines": ('echo "in.npy: more" >&2; ' + ERROR, "2 lines of error"),
    "words-behind": ('echo "mxprism: error: in.npy: a" >&2; echo b >&2; exit 2', "not the last"),
    "no-name": ('echo "mxprism: error: is not a file" >&2; exit 2', "names no file"),
    "escape": ('printf "mxprism: error: in.npy: \\033[2J\\n" >&2; exit 2', "control characters"),
    "not-utf8": ('printf "mxprism: error: in.npy: \\377\\n" >&2; exit 2', "not UTF-8"),
    "output": ("echo done; " + ERROR, "output beside an error"),
    "temporary": ("echo x > .mxprism-17-0; " + ERROR, "left '.mxprism-17-0'"),
    "partial-folder": ("mkdir out.partial-17-0; " + ERROR, "left 'out.partial-17-0'"),
    "written": ("echo x > out.npy; " + ERROR, "wrote a part of 'out.npy'"),
    "written-whole": ("cp in.npy out.npy; " + ERROR, "wrote 'out.npy' and failed"),
    "half": ("head -c 20 in.npy > out.npy", "wrote a part of 'out.npy'"),
    "input-changed": ("echo x >> in.npy", "changed 'in.npy'"),
    "input-removed": ("rm in.npy; " + ERROR, "removed 'in.npy'"),
    "other-file": ("echo x > other", "changed 'other'"),
    "elsewhere": ("touch $TMPDIR/left", "left 'left' in TMPDIR"),
    "process": ("sleep 600 & exit 0", "left a process"),
    "no-json": ("echo 'NaN'", "not one JSON object"),
}
RIGHT = {
    "refused": ERROR,
    "done": "cp in.npy out.npy; echo '{\"status\": \"done\"}'",
    "different": "echo '{}'; exit 1",
}


def small_array():
    text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(8)


def judged(script):
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "program")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(program, 0o755)
        folder = os.path.join(scratch, "case")
        os.mkdir(folder)
        command = attacked_command.Attacked(["quantize", "in.npy", "-o", "out.npy", "--json"],
                                            ["in.npy"], ["out.npy"], folder=folder, seconds=0.1)
        command.write("in.npy", small_array())
        return judge.complaints(program, command)[0]


def failures():
    """What the judge got wrong."""
    wait, attacked_command.LONGEST_WAIT = attacked_command.LONGEST_WAIT, 4
    try:
        for name, (script, expected) in FAULTS.items():
            found = judged(script)
            if not any(expected in words for words in found):
                yield f"the judge says {found} of the planted fault {name}"
        for name, script in RIGHT.items():
            if found := judged(script):
                yield f"the judge says {found} of {name}, which is right"
    finally:
        attacked_command.LONGEST_WAIT = wait
