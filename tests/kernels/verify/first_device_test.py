# SPDX-License-Identifier: Apache-2.0
# tests/kernels/verify/first_device_test.py: kernels/first_device.sh on a fake device: what it runs, what
# it leaves behind, and what another run adds.
"""usage: first_device_test.py SCRIPT FAKE_VERIFY FOLDER"""

import os
import shutil
import stat
import subprocess
import sys
import tarfile

MOST_FILES, MOST_BYTES = 8, 16 << 20

RECORD = """#!/bin/sh
mkdir -p "$2/a_device" && echo "words" > "$2/a_device/$(ls "$2/a_device" | wc -l).txt" && echo "an instruction: 3 words, 0 unlike the model"
"""


class Machine:
    """A folder with programs, and a PATH on which only some tools exist."""

    def __init__(self, script, verify, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "programs"))
        self.script, self.folder = script, folder
        self.programs = os.path.join(folder, "programs")
        self.tools = os.path.join(folder, "tools")
        os.makedirs(self.tools)
        shutil.copy(verify, os.path.join(self.programs, "mx_verify"))
        self.tool(self.programs, "mx_record", RECORD)

    def tool(self, folder, name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def run(self, *words, out="out", faults=""):
        """Runs stages; results come into a folder beside the one with the tar files."""
        environment = {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "MX_FAULTS": faults}
        to = os.path.join(self.folder, out)
        done = subprocess.run([self.script, *words, "--programs", self.programs, "--out", to, "--work", to + ".work"],
                              capture_output=True, encoding="utf-8", env=environment, check=False, timeout=600)
        done.out, done.work = to, to + ".work"
        return done


def expect(condition, done, what):
    if not condition:
        sys.exit(f"{what}: {done.args}: exit status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")


def names_in(done, stage):
    with tarfile.open(os.path.join(done.out, stage + ".tar.gz")) as tar:
        return {os.path.relpath(name, stage) for name in tar.getnames()}


def ended(done, stage):
    with open(os.path.join(done.work, stage, "log"), encoding="utf-8") as log:
        return [line.split("\t")[2] for line in log if line.startswith("end\t")]


def check_usage(machine):
    for words, named in ((("again",), "there is no stage or option again"), ((), "no stage is named"),
                         (("times", "--minutes", "x"), "--minutes needs a whole number"),
                         (("times", "--state"), "option --state needs a value")):
        done = subprocess.run([machine.script, *words], capture_output=True, encoding="utf-8", check=False)
        expect(done.returncode == 2 and named in done.stderr, done, named)
    done = subprocess.run([machine.script, "times", "--programs", machine.tools], capture_output=True,
                          encoding="utf-8", check=False)
    expect(done.returncode == 2 and "--programs" in done.stderr, done, "programs that are missing")


def check_groups(machine, verify):
    """Stages B to D together run every group of mx_verify. Their commands are listed instead of run."""
    words = os.path.join(machine.folder, "words")
    machine.tool(machine.programs, "mx_verify", f'#!/bin/sh\nprintf "%s\\n" "$*" >> {words}\n')
    done = machine.run("small", "large", "times", out="listed")
    shutil.copy(verify, os.path.join(machine.programs, "mx_verify"))
    expect(done.returncode == 0, done, "stages that run nothing")

    def groups(*more):
        return subprocess.run([verify, "--list", *more], capture_output=True, encoding="utf-8",
                              check=True).stdout.splitlines()
    with open(words, encoding="utf-8") as file:
        stages = [groups(*line.split()) for line in file]
    golden = machine.script.replace("kernels/first_device.sh", "golden/vectors")
    run = [group for stage in stages for group in stage]
    expect(len(stages) == 3 and sorted(run) == sorted(groups("--golden", golden)), done,
           f"each group runs in one stage: {sorted(set(groups('--golden', golden)) ^ set(run))}")


def check_minutes(machine):
    """A to D, each a command of its own, fit 25 minutes, and none has more than 9."""
    machine.tool(machine.tools, "timeout", "#!/bin/sh\nexit 0\n")
    total = 0
    for stage in ("record", "small", "large", "times"):
        done = machine.run(stage, out="minutes")
        left = int(done.stdout.split(f"== {stage}, ")[1].split()[0])
        expect(left <= 9 * 60, done, "a command of at most 9 minutes")
        total += left
    expect(total <= 25 * 60, done, "A to D in 25 minutes")
    done = machine.run("all", out="minutes")
    expect("== record, 540 s left" in done.stdout, done, "all stages in one command have 9 minutes")
    os.remove(os.path.join(machine.tools, "timeout"))


def check_stages(machine):
    machine.tool(machine.tools, "nvidia-smi", "#!/bin/sh\necho a fake device\n")
    done = machine.run("record", "times", "--minutes", "2")
    expect(done.returncode == 0, done, "record and times")
    expect({"device.txt", "record.txt", "a_device/0.txt"} <= names_in(done, "record"), done, "the recordings")
    expect({"log", "found.json", "found.xml", "output.txt"} <= names_in(done, "times"), done, "the times")
    expect(sorted(os.listdir(done.out)) == ["record.tar.gz", "times.tar.gz"], done, "tar files alone")


def check_cases_to_reproduce(machine):
    """What differs comes back in a tar file of its own, as far as it fits; the results do anyway."""
    one = "rotate.fp32.3x5.rows"
    stub = f"""#!/bin/sh
while [ "$1" != --repro ]; do shift; done
mkdir -p "$2/{one}" "$2/large"
echo one > "$2/{one}/x.bin"
head -c $((20 << 20)) /dev/urandom > "$2/large/x.bin"
exit 1
"""
    verify = os.path.join(machine.programs, "mx_verify")
    kept = verify + ".kept"
    os.rename(verify, kept)
    machine.tool(machine.programs, "mx_verify", stub)
    done = machine.run("small", out="differing")
    os.replace(kept, verify)
    expect(done.returncode == 1 and "too large to pack" in done.stdout, done, "a case that is too large is told")
    files = [os.path.join(done.out, name) for name in os.listdir(done.out)]
    expect(len(files) <= MOST_FILES and all(os.path.getsize(f) <= MOST_BYTES for f in files), done, "few small files")
    expect("repro" not in names_in(done, "small") and "output.txt" in names_in(done, "small"), done, "the results")
    with tarfile.open(os.path.join(done.out, "small.repro.tar.gz")) as tar:
        expect(f"small/repro/{one}/x.bin" in tar.getnames(), done, "the case that fits, behind the large one")


def check_attempts(machine):
    """Tools that watch run again, and no attempt overwrites an earlier one."""
    for name in ("ncu", "compute-sanitizer"):
        machine.tool(machine.tools, name, """#!/bin/sh
while [ "${1%/mx_verify}" = "$1" ]; do shift; done
exec "$@"
""")
    for attempt in (1, 2):
        done = machine.run("profile", "sanitize", out="watched")
        expect(done.returncode == 0, done, "tools that pass all through")
        for text, words in (("profile/cuda.quantize.mxfp4", "100.00 GB/s"), ("sanitize/racecheck", " 0 differ")):
            with open(os.path.join(done.work, f"{text}.{attempt}.txt"), encoding="utf-8") as file:
                found = file.read()
            expect(words in found and ": 0 cases" not in found, done, f"attempt {attempt} of {text}: {found}")


def check_tools_that_refuse(machine):
    machine.tool(machine.tools, "ncu", "#!/bin/sh\necho 'Failed to initialize the profiler'\nexit 1\n")
    machine.tool(machine.tools, "compute-sanitizer", "#!/bin/sh\necho 'Device not supported'\nexit 255\n")
    done = machine.run("profile", "sanitize", out="refused")
    expect(done.returncode == 0, done, "tools that refuse the device are no error")
    expect("Failed to initialize" in done.stdout and "Device not supported" in done.stdout, done, "they are reported")
    machine.tool(machine.tools, "compute-sanitizer", "#!/bin/sh\nexit 9\n")
    done = machine.run("sanitize", out="refused")
    expect(done.returncode == 1 and "found errors" in done.stdout, done, "races are status 1")


def check_continued(machine):
    """A measure fails in the first run; the second one, elsewhere, has the log and only what is missing."""
    first = machine.run("times", out="first", faults="fail cuda.quantize.mxfp4")
    expect(first.returncode == 3 and ended(first, "times") == ["cuda.quantize.mxfp4"], first, "a failure is status 3")
    second = machine.run("times", "--state", first.out, out="second")
    expect(ended(second, "times") == ["cuda.quantize.mxfp4"], second, "a result is kept, from the tar file")
    third = machine.run("times", out="third")
    expect(third.returncode == 0, third, "without an earlier log all runs")
    fourth = machine.run("times", out="third")
    expect(fourth.returncode == 0 and len(ended(fourth, "times")) == 1, fourth, "nothing runs twice")
    shutil.rmtree(third.work)
    fifth = machine.run("times", out="third")
    expect(fifth.returncode == 0 and len(ended(fifth, "times")) == 1, fifth, "nor from the tar file beside it")


def check_cut_off(machine):
    """A case in which the script's own time ended says nothing, and runs again."""
    machine.tool(machine.tools, "timeout", """#!/bin/sh
shift 3
setsid "$@" & child=$!
sleep 3
kill -s TERM -- -$child
wait $child
exit 124
""")
    first = machine.run("times", out="cut", faults="hang cuda.quantize.mxfp4")
    os.remove(os.path.join(machine.tools, "timeout"))
    expect(first.returncode == 3 and ended(first, "times") == [], first, "a case is cut off")
    second = machine.run("times", out="cut")
    expect(second.returncode == 0 and ended(second, "times") == ["cuda.quantize.mxfp4"], second, "it runs again")


def main(script, verify, folder):
    machine = Machine(script, verify, os.path.join(folder, "first_device_test"))
    check_usage(machine)
    check_groups(machine, verify)
    check_minutes(machine)
    check_stages(machine)
    check_cases_to_reproduce(machine)
    check_tools_that_refuse(machine)
    check_attempts(machine)
    check_continued(machine)
    check_cut_off(machine)


if __name__ == "__main__":
    main(*sys.argv[1:])
