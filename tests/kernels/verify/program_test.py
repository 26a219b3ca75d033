# SPDX-License-Identifier: Apache-2.0
# tests/kernels/verify/program_test.py: mx_verify loses no result: cases that hang, crash or fail end
# their process alone, and a log that was cut anywhere is continued.
"""usage: program_test.py FAKE_VERIFY FOLDER GOLDEN COMMITTED_LIST"""

import collections
import json
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree

# A case that hangs takes all of them; one of a sanitizer's build may take more than a second.
CASE_SECONDS = os.environ.get("MX_CASE_SECONDS", "1")


class Run:
    """One run of the program in a folder; `more` are further arguments, `before` is done in its process first."""

    def __init__(self, program, folder, *more, faults=(), absence="", before=None):
        self.log = os.path.join(folder, "log")
        self.json = os.path.join(folder, "found.json")
        self.junit = os.path.join(folder, "found.xml")
        words = [program, "--golden", os.path.join(folder, "none"), "--log", self.log, "--json", self.json,
                 "--junit", self.junit, "--repro", os.path.join(folder, "repro"), "--case-timeout", CASE_SECONDS, *more]
        environment = {**os.environ, "MX_FAULTS": ";".join(faults), "MX_FAKE_ABSENCE": absence}
        self.done = subprocess.run(words, capture_output=True, encoding="utf-8", env=environment, check=False,
                                   timeout=300, preexec_fn=before)
        self.status = self.done.returncode

    def records(self):
        """Outcomes of each case."""
        all_of = collections.defaultdict(list)
        with open(self.log, encoding="utf-8") as file:
            for line in file:
                fields = line.rstrip("\n").split("\t")
                if fields[0] == "end":
                    all_of[fields[2]].append(fields[3])
        return all_of

    def outcomes(self):
        """The one outcome of each case."""
        records = self.records()
        repeated = {name: found for name, found in records.items() if len(found) != 1}
        self.expect(not repeated, f"more than one record: {repeated}")
        return {name: found[0] for name, found in records.items()}

    def found(self):
        with open(self.json, encoding="utf-8") as file:
            return json.load(file)

    def expect(self, condition, what):
        if not condition:
            sys.exit(f"{what}\n{self.done.args}: exit status {self.status}\n{self.done.stdout}\n{self.done.stderr}")


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def cases_of(program, folder, table):
    run = Run(program, fresh(folder), "--no-times", "--group", table)
    run.expect(run.status == 0, "a sound device")
    outcomes = run.outcomes()
    run.expect(len(outcomes) > 10 and set(outcomes.values()) == {"equal"}, "every case is equal")
    found = run.found()
    run.expect(found["cases"] == len(outcomes) and found["device"] == 'a "fake" device', found)
    run.expect(found["different"] == found["skipped"] == found["unfinished"] == 0, found)
    tests = xml.etree.ElementTree.parse(run.junit).getroot().findall("testsuite/testcase")
    run.expect({test.get("name") for test in tests} == set(outcomes), "JUnit names every case")
    return list(outcomes)


def check_faults(program, folder, names):
    kernels = {name.rpartition(".")[2] for name in names}
    for kernel in kernels:
        of_kernel = [name for name in names if name.endswith("." + kernel)]
        if len(of_kernel) < 8:
            continue
        hung, crashed = of_kernel[2], of_kernel[5]
        run = Run(program, fresh(folder), "--no-times", "--group", "corrected:",
                  faults=[f"hang {hung}", f"crash {crashed}", f"refuse {of_kernel[0]}"])
        run.expect(run.status == 3, "unfinished cases are status 3")
        expected = {name: "equal" for name in names}
        expected.update({name: "left out" for name in of_kernel[6:]})
        expected.update({hung: "timed out", crashed: "crashed", of_kernel[0]: "refused"})
        run.expect(run.outcomes() == expected, f"a hang at {hung}, a crash at {crashed}")
        # That the device refuses what it has the instructions of is no pass either.
        run.expect(run.found()["unfinished"] == 3 + len(of_kernel[6:]), run.found())
        run.expect(f"{of_kernel[0]}: refused: this device has its instructions" in run.done.stdout, "it is named")
        return
    sys.exit("no kernel has enough cases")


def check_difference(program, folder, names):
    run = Run(program, fresh(folder), "--no-times", "--group", "corrected:",
              faults=[f"differ {names[1]}", f"fail {names[3]}"])
    outcomes = run.outcomes()
    run.expect(run.status == 1, "a difference is status 1, whatever else happened")
    run.expect(outcomes[names[1]] == "different" and outcomes[names[3]] == "failed", outcomes)
    run.expect("an illegal address" in run.done.stdout, "the error is printed")
    run.expect(os.path.isdir(os.path.join(folder, "repro")), "the difference is stored")
    text = open(run.junit, encoding="utf-8").read()
    run.expect(text.count("<failure") == 1 and text.count("<error") == 1, text)
    run = Run(program, fresh(folder), "--no-times", "--group", "corrected:", "--most-repros", "1",
              faults=[f"differ {name}" for name in names[:3]])
    run.expect(len(os.listdir(os.path.join(folder, "repro"))) == 1, "as many are stored as were asked for")


def check_ends_that_a_parent_ignores(program, folder, names):
    """The ends of children are lost in a program whose parent ignores them, unless it restores the default."""
    run = Run(program, fresh(folder), "--no-times", "--group", "corrected:", faults=[f"crash {names[1]}"],
              before=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    expected = {name: "equal" for name in names}
    expected[names[1]] = "crashed"
    run.expect(run.status == 3 and run.outcomes() == expected, "the group is started again after a crash")


def check_continued(program, folder, names):
    whole = Run(program, fresh(folder), "--no-times", "--group", "corrected:")
    text = open(whole.log, "rb").read()
    for size in (0, 1, len(text) // 3, len(text) // 2 + 7, len(text) - 1, len(text)):
        with open(whole.log, "wb") as file:
            file.write(text[:size])
        run = Run(program, folder, "--no-times", "--group", "corrected:", "--continue")
        outcomes = run.outcomes()
        other = [name for name, found in outcomes.items() if found != "equal"]
        run.expect(set(outcomes) == set(names) and not other, f"cut after {size} bytes: {other}")
        run.expect(run.status == 0, f"cut after {size} bytes")
    with open(whole.log, "ab") as file:
        file.write(b"not a line of it\n")
    run = Run(program, folder, "--no-times", "--group", "corrected:", "--continue")
    run.expect(run.status == 3 and "is not of a log of cases" in run.done.stderr, "a foreign log is refused")


def check_run_again(program, folder, names):
    """What came to no result runs again, with what it left out; a difference is never lost."""
    words = ("--no-times", "--group", "corrected:")
    kernel = names[0].rpartition(".")[2]
    of_kernel = [name for name in names if name.endswith("." + kernel)]
    differs, refused = of_kernel[0], of_kernel[1]
    first = Run(program, fresh(folder), *words,
                faults=[f"differ {differs}", f"refuse {refused}", f"hang {of_kernel[2]}", f"crash {of_kernel[3]}"])
    first.expect(first.outcomes()[of_kernel[4]] == "left out", "the rest of the kernel is left out")
    second = Run(program, folder, *words, "--continue")
    expected = {name: ["equal"] for name in names}
    expected.update({name: ["left out", "equal"] for name in of_kernel[4:]})
    expected.update({of_kernel[2]: ["timed out", "equal"], of_kernel[3]: ["crashed", "equal"],
                     differs: ["different"], refused: ["refused"]})
    second.expect(second.records() == expected, "what has no result")
    second.expect(second.status == 1 and second.found()["different"] == 1, second.found())
    second.expect(second.found()["unfinished"] == 1, "refused although the device has its instructions")
    third = Run(program, folder, *words, "--continue")
    third.expect(third.records() == expected, "what has a result does not run again")
    other = Run(program, fresh(folder), *words, faults=[f"fail {names[0]}"])
    other.expect(other.status == 3, "a failure")
    part = Run(program, folder, *words, "--only", names[1], "--continue")
    part.expect(part.status == 3 and part.records()[names[0]] == ["failed"], "a case that is not asked for is as it was")


def check_unmeasured(program, folder):
    """A measure without its yardstick or value is no failure, and is measured again."""
    words = ("--group", "times:")
    for fault, why in (("bare", "cuBLAS is missing"), ("unable", "too little memory is free")):
        first = Run(program, fresh(folder), *words, faults=[f"{fault} cuda.quantize.mxfp4"])
        first.expect(first.status == 0 and first.outcomes() == {"cuda.quantize.mxfp4": "unmeasured"}, fault)
        first.expect(first.found()["unmeasured"] == 1 and first.found()["unfinished"] == 0, first.found())
        first.expect(f"times:cuda.quantize.mxfp4 cuda.quantize.mxfp4: unmeasured: {why}" in first.done.stdout, why)
        text = open(first.junit, encoding="utf-8").read()
        first.expect(text.count("<skipped") == 1, text)
        second = Run(program, folder, *words, "--continue")
        second.expect(second.records()["cuda.quantize.mxfp4"] == ["unmeasured", "equal"], "it is measured again")
        figures = second.found()["figures"]
        second.expect(len(figures) == 1 and figures[0]["yardstick_value"] == 120, figures)
        second.expect(second.found()["unmeasured"] == 0, second.found())


def check_refused(program, folder):
    """The fake device has wgmma, and lacks Blackwell's own instructions."""
    group = "gapped-products:gemm.blackwell.mxf4"
    for kernel, status in (("native", 0), ("wgmma", 3)):
        words = ("--no-times", "--group", group, "--only", "." + kernel)
        whole = Run(program, fresh(folder), *words)
        names = [name for name in whole.outcomes() if name.endswith("." + kernel)]
        whole.expect(whole.status == 0 and names, f"cases of {kernel}")
        run = Run(program, fresh(folder), *words, faults=[f"refuse {names[0]}"])
        run.expect(run.status == status and run.outcomes()[names[0]] == "refused", f"{kernel} is refused")
        text = open(run.junit, encoding="utf-8").read()
        run.expect(text.count("<error" if status else "<skipped") == 1, text)


def check_list(program, folder, golden, committed):
    """The committed list: all groups of a device's build, of which this one has no own cases and other measures."""
    def tables(lines):
        return [line for line in lines if not line.startswith(("full-size:", "times:"))]
    run = Run(program, fresh(folder), "--list", "--golden", golden)
    with open(committed, encoding="utf-8") as file:
        listed = file.read().splitlines()
    run.expect(tables(run.done.stdout.splitlines()) == tables(listed),
               f"{committed} is not what mx_verify --list prints")


def check_the_rest(program, folder):
    run = Run(program, fresh(folder), "--group", "times:", "--group", "full-size:")
    run.expect(run.status == 0 and run.found()["figures"][0]["value"] == 100, "a measure")
    run.expect(len(run.outcomes()) == 2, run.outcomes())
    run = Run(program, fresh(folder), "--group", "times:", faults=["fail cuda.quantize.mxfp4"])
    run.expect(run.status == 3 and run.outcomes() == {"cuda.quantize.mxfp4": "failed"}, "a measure that fails")
    run = Run(program, fresh(folder), absence="no CUDA device can be used: there is none")
    run.expect(run.status == 3 and "no CUDA device can be used" in run.done.stderr, "no device")
    run = Run(program, fresh(folder), "--group", "nothing")
    run.expect(run.status == 2 and "there is no group nothing" in run.done.stderr, "an unknown group")
    run = Run(program, fresh(folder), "--case-timeout", "0")
    run.expect(run.status == 2 and "--case-timeout needs a number of seconds" in run.done.stderr, "a bad limit")
    run = Run(program, fresh(folder), "--list")
    groups = [line.split()[0] for line in run.done.stdout.splitlines()[:-1]]
    run.expect(run.status == 0 and "deep-products:gemm.fp32.sequential.mxfp4" in groups, groups)
    run = Run(program, folder, "--list", "--small", "--no-times")
    run.expect("deep-products" not in run.done.stdout and "times" not in run.done.stdout, "small groups alone")


def main(program, folder, golden, committed):
    folder = os.path.join(folder, "program_test")
    names = cases_of(program, folder, "corrected:")
    check_faults(program, folder, names)
    check_difference(program, folder, names)
    check_ends_that_a_parent_ignores(program, folder, names)
    check_continued(program, folder, names)
    check_run_again(program, folder, names)
    check_unmeasured(program, folder)
    check_refused(program, folder)
    check_list(program, folder, golden, committed)
    check_the_rest(program, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
