#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench_test.py PROGRAM clean|fault|handshake|refused [ARGUMENT...]: a testbench of the DPI package lists
its arguments and ends by itself. If the hardware differs from the model it fails and prints operands,
intermediates and a command that fails alike; an arithmetic fault also shows in that one word. An
unknown model ends the run, and so does a count of no words."""
import re
import subprocess
import sys


def run(program, *words):
    done = subprocess.run([program, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, timeout=300)
    return done.returncode, done.stdout


def complaints_of_clean(program, arguments):
    status, text = run(program, *arguments)
    command = re.match(r"\w+ ((?:\+\w+=\S+ ?)+)\n", text)
    if status != 0 or command is None:
        return [f"status {status}\n{text}"]
    for argument in arguments:
        if argument not in command.group(1).split():
            return [f"the command does not repeat {argument}\n{text}"]
    compared = re.search(r": (\d+) words compared, 0 mismatches, 0 expected and not seen, 0 not",
                         text)
    count = int(re.search(r"\+count=(\d+)", command.group(1)).group(1))
    if compared is None or int(compared.group(1)) % count != 0 or int(compared.group(1)) == 0:
        return [f"not all words were compared\n{text}"]
    print(text, end="")
    return []


def outcome_of(program, arguments):
    """First line, and all output, of a run that must fail."""
    status, text = run(program, *arguments)
    first = re.search(r"^(?:MISMATCH|a word|no word).*$", text, re.MULTILINE)
    return (first.group(0) if status == 1 and first is not None else None), text


def complaints_of_handshake(program, arguments):
    first, text = outcome_of(program, arguments)
    parts = (r"^  A [0-9a-f]+, scales [0-9a-f]+$", r"^  B [0-9a-f]+, scales [0-9a-f]+$",
             r"^  C [0-9a-f]{8}, expected [0-9a-f]{8}$",
             r"^  step 0: (largest exponent -?\d+|no window)",
             r"^    k 0( to \d+)?: |decided by NaN or Inf", r"^    C: |decided by NaN or Inf",
             r"^    sum ", r"^  replay: \w+ \+seed",
             r"^  that \w+ alone: \w+ \+seed")
    missing = [part for part in parts if re.search(part, text, re.MULTILINE) is None]
    if first is None or missing:
        return [f"it does not fail, or its output lacks {missing}\n{text}"]
    print(text, end="")
    replay = re.search(r"^  replay: \w+ (.+)$", text, re.MULTILINE).group(1).split()
    again, result = outcome_of(program, replay)
    return [] if again == first else [f"the replay does not fail alike\n{result}"]


def complaints_of_fault(program, arguments):
    found = complaints_of_handshake(program, arguments)
    if found:
        return found
    first, text = outcome_of(program, arguments)
    alone = re.search(r"^  that \w+ alone: \w+ (.+)$", text, re.MULTILINE).group(1).split()
    again, result = outcome_of(program, alone)
    if not first.startswith("MISMATCH") or again != first:
        return [f"that word alone does not fail alike\n{result}"]
    return []


def complaints_of_refused(program, arguments):
    status, text = run(program, *arguments)
    told = "golden model: bad name: " in text or ": expected at least 1, and 1 to 16" in text
    if status == 1 and told and "compared" not in text:
        return []
    return [f"status {status}\n{text}"]


def main():
    program, kind, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    found = {"clean": complaints_of_clean, "fault": complaints_of_fault,
             "handshake": complaints_of_handshake, "refused": complaints_of_refused}[kind](program, arguments)
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
