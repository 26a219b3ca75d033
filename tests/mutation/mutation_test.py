# SPDX-License-Identifier: Apache-2.0
"""mutation_test.py SOURCE BUILD [--count N] [--seed N] [--log FILE] [--header PATH]: plants small
faults in the headers of the rules (number, block, dot), one at a time, compiles the unit and cross
tests that include the header, and requires that one of them fails, or does not compile for a static
assertion. Faults that do not compile otherwise do not count. Survivors are listed with a reason in
survivors.txt beside this file, and not tried again (--listed tries them alone); any other one fails
the test, as do a listed one that a test finds, and less than 95 % found of 100 or more.
What a log says of the same texts is not tried again: an interrupted run goes on. Of texts that have
changed since, what found a fault then is tried first.
The build must be complete: compile and link commands, and who includes what, are its own."""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from typing import NamedTuple

import mutations

ROOMS = ("number", "block", "dot")
# Of bulk functions and of names: no rules, or declarations alone.
NO_RULES = ("config.h", "names.h", "bulk_dot.h", "bulk_gemm.h", "prepared_gemm.h", "record.h")
TESTS = ("unit", "cross")
# A fault may loop for ever, and ask for all memory; the slowest of these tests takes 45 s.
LONGEST_RUN = 120
LARGEST_MEMORY = 8_000_000  # KiB
LEAST_KILLED = 0.95


class Test(NamedTuple):
    name: str      # its program's target
    compiles: dict  # object: command, of sources of the tests
    link: str


class Build:
    def __init__(self, folder):
        self.folder = folder
        self.includes = self.read_includes()
        self.tests = [self.read_test(name) for name in self.programs()]

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.folder, *words], capture_output=True,
                              encoding="utf-8", check=True).stdout

    def read_includes(self):
        """The headers that each object is made of."""
        found, current = {}, None
        for line in self.ninja("-t", "deps").splitlines():
            if line.startswith("    "):
                current.add(os.path.realpath(os.path.join(self.folder, line.strip())))
            elif ": #deps" in line:
                current = found.setdefault(line.split(":")[0], set())
        return found

    def programs(self):
        targets = self.ninja("-t", "targets", "all").splitlines()
        pattern = re.compile(r"^tests/(" + "|".join(TESTS) + r")/(\w+_test): ")
        return sorted({match[0].split(":")[0] for match in map(pattern.match, targets) if match})

    def read_test(self, program):
        compiles, link = {}, ""
        for line in self.ninja("-t", "commands", program).splitlines():
            made = re.search(r" -o (tests/(?:" + "|".join(TESTS) + r")/\S+\.o) -c ", line)
            if made:
                compiles[made[1]] = line
            elif f" -o {program} " in line:
                link = line
        return Test(program, compiles, link)

    def tests_of(self, header):
        """The tests that include a header, the header's own first, then those of few objects."""
        stem = os.path.basename(header)[:-2]

        def order(test):
            own = os.path.basename(test.name) == f"unit_{stem}_test"
            return (not own, not test.name.startswith("tests/unit/"), len(self.touched(test, header)),
                    sum(len(self.includes.get(o, ())) for o in test.compiles), test.name)
        return sorted((t for t in self.tests if self.touched(t, header)), key=order)

    def touched(self, test, header):
        return [o for o in test.compiles if header in self.includes.get(o, ())]

    @functools.cache
    def texts_of(self, header):
        """A digest of every text that the tests which include a header are compiled from."""
        files = {file for test in self.tests_of(header) for o in self.touched(test, header)
                 for file in self.includes[o] if not file.startswith("/usr/")}
        digest = hashlib.sha256()
        for name in sorted(files):
            with open(name, "rb") as file:
                digest.update(os.path.basename(name).encode() + b" " + file.read())
        return digest.hexdigest()


def header_of(source, name):
    return os.path.realpath(os.path.join(source, "emulator/include", name))


class Trial:
    """One mutation in a folder of its own.

    likely: the name of the test that is tried first
    """

    def __init__(self, build, source, scratch, likely=""):
        self.build, self.source, self.scratch, self.likely = build, source, scratch, likely

    def verdict(self, mutation):
        """killed, survived or senseless, and the test or the compiler's words."""
        real = header_of(self.source, mutation.header)
        copy = os.path.join(self.scratch, mutation.header)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(real, encoding="utf-8") as file:
            text = mutation.applied(file.read())
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text)
        try:
            return self.judged(real)
        finally:
            os.remove(copy)

    def judged(self, real):
        tests = self.build.tests_of(real)
        for test in sorted(tests, key=lambda test: os.path.basename(test.name) != self.likely):
            complaint = self.compiled(test, real)
            if complaint:
                asserted = "static assertion failed" in complaint
                return ("killed" if asserted else "senseless"), complaint.strip().splitlines()[0]
            if self.fails(test):
                return "killed", os.path.basename(test.name)
        return "survived", f"{len(tests)} tests"

    def say(self, command, seconds):
        """Exit status and output; what takes longer is killed, with all that it started."""
        with subprocess.Popen(f"ulimit -v {LARGEST_MEMORY}; {command}", shell=True,
                              cwd=self.build.folder, encoding="utf-8", errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              start_new_session=True) as running:
            try:
                output, _ = running.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                return 137, "killed"
            return running.returncode, output

    def compiled(self, test, header):
        """What the compiler complains of, or nothing."""
        link = test.link
        for made in self.build.touched(test, header):
            own = os.path.join(self.scratch, made.replace("/", "_"))
            command = test.compiles[made].replace(f" -o {made} ", f" -o {own} ")
            command = re.sub(r" -MD -MT \S+ -MF \S+", "", command)
            command = re.sub(r"^ccache ", "", command)
            command = re.sub(r" -I", f" -I{shlex.quote(self.scratch)} -I", command, count=1)
            # What a fault leaves unused is no error.
            status, output = self.say(command + " -w", 600)
            if status != 0:
                errors = re.findall(r".*error: .*", output)
                return errors[0] if errors else output or "no words"
            # Objects of a library come before it, so that its own are not taken.
            link = link.replace(made, own) if made in link else link.replace(" -o ", f" {own} -o ", 1)
        self.program = os.path.join(self.scratch, "test")
        status, output = self.say(link.replace(f" -o {test.name} ", f" -o {self.program} "), 600)
        if status != 0:
            raise RuntimeError(output)
        return ""

    def fails(self, test):
        return self.say(shlex.quote(self.program), LONGEST_RUN)[0] != 0


def headers_of(source):
    root = os.path.join(source, "emulator/include")
    for room in ROOMS:
        for name in sorted(os.listdir(os.path.join(root, "mx", room))):
            if name.endswith(".h") and name not in NO_RULES:
                yield f"mx/{room}/{name}"


def all_mutations(source, only):
    """Every mutation of the headers whose name has `only` in it, by what it says; of equal lines of a
    header the first."""
    found = {}
    for header in headers_of(source):
        if only not in header:
            continue
        with open(os.path.join(source, "emulator/include", header), encoding="utf-8") as file:
            text = file.read()
        for mutation in mutations.in_header(header, text):
            found.setdefault(mutation.spelled(text), mutation)
    return found


def listed_survivors():
    with open(os.path.join(os.path.dirname(__file__), "survivors.txt"), encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.startswith("mx/")]


def drawn(names, count, seed):
    """Each name has a place of its own, so that an edit of one line leaves the others drawn."""
    def place(name):
        return hashlib.sha256(f"{seed} {name}".encode()).digest()
    ordered = sorted(names, key=place)
    return ordered[:count] if count else ordered


def logged(log):
    """The entries of a log by their mutations, of each the last; a line may have been cut."""
    found = {}
    if not os.path.exists(log):
        return found
    with open(log, encoding="utf-8") as file:
        for line in file:
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            found[entry["mutation"]] = entry
    return found


def judged_in_turn(build, source, chosen, log):
    """Two at a time, each in a folder of its own; the results in the order of the mutations.

    chosen: mutations by what they say      log: a file's name
    """
    known = logged(log)

    def judged(item):
        name, mutation = item
        texts = build.texts_of(header_of(source, mutation.header))
        entry = known.get(name, {})
        if entry.get("texts") == texts:
            return entry
        with tempfile.TemporaryDirectory() as scratch:
            what, why = Trial(build, source, scratch, entry.get("by")).verdict(mutation)
        entry = {"mutation": name, "verdict": what, "by": why, "texts": texts}
        with open(log, "a", encoding="utf-8") as file:
            print(json.dumps(entry), file=file)
        return entry

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(judged, chosen.items()))


def complaints_of(results, listed, chosen_listed):
    """What makes the test fail: a fault that no test finds, a listed one that a test does find."""
    for result in results:
        name = result["mutation"]
        if result["verdict"] == "survived" and name not in listed:
            yield f"no test fails, and survivors.txt does not name it: {name}"
        if result["verdict"] != "survived" and name in listed:
            yield f"survivors.txt names what {result['by']} finds: {name}"
    found = sum(r["verdict"] == "killed" for r in results)
    missed = sum(r["verdict"] == "survived" for r in results) + chosen_listed
    print(f"{found} faults found, {missed} not ({chosen_listed} of them listed, not tried), "
          f"{len(results) + chosen_listed - found - missed} do not compile")
    if found + missed >= 100 and found / (found + missed) < LEAST_KILLED:
        yield f"fewer than {100 * LEAST_KILLED:.0f} % found"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source")
    parser.add_argument("build")
    parser.add_argument("--count", type=int, default=20, help="0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--header", default="", help="part of a header's name")
    parser.add_argument("--listed", action="store_true", help="try the listed survivors alone")
    parser.add_argument("--log", default=os.devnull, help="a line of JSON for each mutation")
    o = parser.parse_args()
    listed = listed_survivors()
    everything = all_mutations(o.source, o.header)
    if not o.header and (stale := [name for name in listed if name not in everything]):
        sys.exit("survivors.txt names what no header says: " + "; ".join(stale))
    names = listed if o.listed else drawn(everything, o.count, o.seed)
    tried = [name for name in names if o.listed or name not in listed]
    build = Build(os.path.realpath(o.build))
    results = judged_in_turn(build, o.source, {name: everything[name] for name in tried}, o.log)
    complaints = list(complaints_of(results, listed, len(names) - len(tried)))
    for complaint in complaints:
        print(" ", complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
