# SPDX-License-Identifier: Apache-2.0
# tests/kernels/verify/first_device_test.py: kernels/first_device.sh on a fake device: what it runs, what
# it leaves behind, and what another run adds.
"""usage: first_device_test.py SCRIPT FAKE_VERIFY FOLDER"""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time

MOST_FILES, MOST_BYTES = 8, 16 << 20

# Programs are asked for their help before the stages.
HELP = '#!/bin/sh\n[ "$1" != --help ] || exit 0\n'

RECORD = HELP + """mkdir -p "$2/a_device" && echo "words" > "$2/a_device/$(ls "$2/a_device" | wc -l).txt" && echo "an instruction: 3 words, 0 unlike the model"
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

    def command(self, words, out, faults):
        """The script's, with results in a folder beside the one with the tar files; and its environment."""
        to = os.path.join(self.folder, out)
        return ([self.script, *words, "--programs", self.programs, "--out", to, "--work", to + ".work"],
                {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "MX_FAULTS": faults})

    def run(self, *words, out="out", faults=""):
        command, environment = self.command(words, out, faults)
        done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=False,
                              timeout=600)
        done.out = os.path.join(self.folder, out)
        done.work = done.out + ".work"
        return done

    def stub(self, text):
        """mx_verify is a script instead."""
        self.tool(self.programs, "mx_verify", HELP + text)

    def real(self, verify):
        os.remove(os.path.join(self.programs, "mx_verify"))
        shutil.copy(verify, os.path.join(self.programs, "mx_verify"))


def expect(condition, done, what):
    if not condition:
        sys.exit(f"{what}: {done.args}: exit status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")


def left(done, stage):
    """Seconds at the stage's beginning."""
    return int(done.stdout.split(f"== {stage}, ")[1].split()[0])


def names_in(done, stage):
    with tarfile.open(os.path.join(done.out, stage + ".tar.gz")) as tar:
        return {os.path.relpath(name, stage) for name in tar.getnames()}


def ended(done, stage):
    with open(os.path.join(done.work, stage, "log"), encoding="utf-8") as log:
        return [line.split("\t")[2] for line in log if line.startswith("end\t")]


def check_usage(machine):
    for words, named in ((("again",), "there is no stage or option again"), ((), "no stage is named"),
                         (("times", "--minutes", "x"), "--minutes needs a whole number"),
                         (("times", "--minutes", "00"), "--minutes needs a whole number"),
                         (("times", "--pack-seconds", "0"), "--pack-seconds needs a whole number"),
                         (("times", "--state"), "option --state needs a value"),
                         (("times", "--state", "absent"), "there is no folder absent for --state")):
        done = subprocess.run([machine.script, *words], capture_output=True, encoding="utf-8", check=False)
        expect(done.returncode == 2 and named in done.stderr, done, named)
    done = subprocess.run([machine.script, "times", "--programs", machine.tools], capture_output=True,
                          encoding="utf-8", check=False)
    expect(done.returncode == 2 and "--programs" in done.stderr, done, "programs that are missing")
    done = machine.run("record", "--minutes", "08", out="minutes")
    expect(done.returncode == 0 and 470 < left(done, "record") <= 480, done, "a number with a zero in front")


def check_programs_that_do_not_start(machine, verify):
    """The loader's exit status is that of a byte that differs; what it says is told, and nothing runs."""
    machine.tool(machine.programs, "mx_verify",
                 "#!/bin/sh\necho \"mx_verify: version 'GLIBC_2.99' not found\" >&2\nexit 1\n")
    done = machine.run("record", "small", out="loader")
    machine.real(verify)
    expect(done.returncode == 2 and "GLIBC_2.99" in done.stderr and "cmake -S" in done.stderr, done, "a loader's error")
    expect("==" not in done.stdout, done, "no stage runs")


def check_groups(machine, verify):
    """Stages B to D together run every group of mx_verify. Their commands are listed instead of run."""
    words = os.path.join(machine.folder, "words")
    machine.stub(f'printf "%s\\n" "$*" >> {words}\n')
    done = machine.run("small", "large", "times", out="listed")
    machine.real(verify)
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
        expect(left(done, stage) <= 9 * 60, done, "a command of at most 9 minutes")
        total += left(done, stage)
    expect(total <= 25 * 60, done, "A to D in 25 minutes")
    done = machine.run("all", out="minutes")
    expect(530 < left(done, "record") <= 540, done, "all stages in one command have 9 minutes")
    os.remove(os.path.join(machine.tools, "timeout"))


def check_stages(machine):
    machine.tool(machine.tools, "nvidia-smi", "#!/bin/sh\necho a fake device\n")
    done = machine.run("record", "times", "--minutes", "2")
    expect(done.returncode == 0, done, "record and times")
    expect({"device.txt", "record.txt", "a_device/0.txt"} <= names_in(done, "record"), done, "the recordings")
    expect({"log", "found.json", "found.xml", "output.txt"} <= names_in(done, "times"), done, "the times")
    expect(sorted(os.listdir(done.out)) == ["record.tar.gz", "times.tar.gz"], done, "tar files alone")


def check_cases_to_reproduce(machine, verify):
    """What differs comes back in a tar file of its own, as far as it fits; the results do anyway."""
    one = "rotate.fp32.3x5.rows"
    stub = f"""while [ "$1" != --repro ]; do shift; done
mkdir -p "$2/{one}" "$2/large"
echo one > "$2/{one}/x.bin"
head -c $((20 << 20)) /dev/urandom > "$2/large/x.bin"
exit 1
"""
    machine.stub(stub)
    done = machine.run("small", out="differing")
    machine.real(verify)
    expect(done.returncode == 1 and "too large to pack" in done.stdout, done, "a case that is too large is told")
    files = [os.path.join(done.out, name) for name in os.listdir(done.out)]
    expect(len(files) <= MOST_FILES and all(os.path.getsize(f) <= MOST_BYTES for f in files), done, "few small files")
    expect("repro" not in names_in(done, "small") and "output.txt" in names_in(done, "small"), done, "the results")
    with tarfile.open(os.path.join(done.out, "small.repro.tar.gz")) as tar:
        expect(f"small/repro/{one}/x.bin" in tar.getnames(), done, "the case that fits, behind the large one")


def check_cases_of_earlier_runs(machine, verify):
    """A difference does not run again: its case comes along from the tar file of an earlier run, also of
    another program's."""
    stub = """while [ "$1" != --log ]; do shift; done
echo a line > "$2"
while [ "$1" != --repro ]; do shift; done
mkdir -p "$2/$MX_FAULTS"
echo x > "$2/$MX_FAULTS/x.bin"
exit 1
"""
    one, two, three, four = (f"small/repro/case{n}/x.bin" for n in range(1, 5))
    earlier = {name.replace("/repro", "/earlier.1/repro") for name in (one, two)}
    state = None
    for n, text, wanted in ((1, stub, {one}), (2, stub, {one, two}), (3, stub + "# rebuilt", {three} | earlier),
                            (4, stub + "# rebuilt", {three, four} | earlier)):
        machine.stub(text)
        words = ("small",) if state is None else ("small", "--state", state)
        done = machine.run(*words, out=f"cases{n}", faults=f"case{n}")
        with tarfile.open(os.path.join(done.out, "small.repro.tar.gz")) as tar:
            found = {name for name in tar.getnames() if name.endswith(".bin")}
        expect(done.returncode == 1 and found == wanted, done, f"cases of run {n}: {sorted(found)}")
        state = done.out
    machine.real(verify)


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


def check_tools_that_do_not_end(machine):
    """What a tool did not end is unfinished."""
    machine.tool(machine.tools, "timeout", "#!/bin/sh\nexit 124\n")
    for stage in ("profile", "sanitize"):
        done = machine.run(stage, out="endless")
        expect(done.returncode == 3 and "cut off after" in done.stdout, done, f"{stage} is unfinished")
    os.remove(os.path.join(machine.tools, "timeout"))


def check_differences_under_a_tool(machine):
    machine.tool(machine.tools, "compute-sanitizer", """#!/bin/sh
while [ "${1%/mx_verify}" = "$1" ]; do shift; done
exec "$@"
""")
    done = machine.run("sanitize", out="wrong", faults="differ gemm.fp32.sequential.mxfp4.130x140x256.near.near.core")
    expect(done.returncode == 1 and "a byte differs under compute-sanitizer" in done.stdout, done, "it is told")


def check_records_are_kept(machine):
    first = machine.run("record", out="recorded")
    machine.tool(machine.programs, "mx_record", HELP + "kill -9 $$\n")
    done = machine.run("record", out="recorded")
    machine.tool(machine.programs, "mx_record", RECORD)
    expect(first.returncode == 0 and done.returncode == 3, done, "a second attempt that was killed")
    expect("cut off" not in done.stdout, done, "it did not reach a limit")
    with open(os.path.join(done.work, "record", "record.txt"), encoding="utf-8") as file:
        expect("an instruction: 3 words" in file.read(), done, "what the first one said")


def check_the_program_is_written_once(machine):
    """A full disk would empty what is written again, and the results were another program's."""
    written = []
    for _ in range(2):
        done = machine.run("times", out="once")
        written.append(os.stat(os.path.join(done.work, "times", "program.sha256")).st_mtime_ns)
    expect(written[0] == written[1], done, "the second run leaves it")


def check_what_cannot_be_packed(machine):
    machine.tool(machine.tools, "tar", "#!/bin/sh\nexit 2\n")
    done = machine.run("times", out="unpacked")
    os.remove(os.path.join(machine.tools, "tar"))
    expect(done.returncode == 3 and "not packed" in done.stdout, done, "results that are not brought out")


def check_two_file_systems(machine):
    """Earlier results become whole on --work's file system, whichever --out is on."""
    first = machine.run("times", out="here")
    machine.tool(machine.tools, "stat", "#!/bin/sh\necho $$\n")  # no two folders are on one
    machine.tool(machine.tools, "mv", """#!/bin/sh
case "$2" in *.work/*) case "$1" in *.work/*) ;; *) exit 1 ;; esac ;; esac
PATH=${PATH#*:} exec mv "$@"
""")
    done = machine.run("times", "--state", first.out, out="there")
    for name in ("stat", "mv"):
        os.remove(os.path.join(machine.tools, name))
    expect(done.returncode == 0 and done.stdout.count("100.00 GB/s") == 0, done, "nothing runs again")


def check_continued(machine):
    """A measure fails in the first run; the second one, elsewhere, has the log and only what is missing."""
    first = machine.run("times", out="first", faults="fail cuda.quantize.mxfp4")
    expect(first.returncode == 3 and ended(first, "times") == ["cuda.quantize.mxfp4"], first, "a failure is status 3")
    second = machine.run("times", "--state", first.out, out="second")
    expect(second.returncode == 0 and len(ended(second, "times")) == 2, second,
           "the log comes from the tar file, and what failed runs again")
    third = machine.run("times", out="third")
    expect(third.returncode == 0, third, "without an earlier log all runs")
    fourth = machine.run("times", out="third")
    expect(fourth.returncode == 0 and len(ended(fourth, "times")) == 1, fourth, "nothing runs twice")
    shutil.rmtree(third.work)
    fifth = machine.run("times", out="third")
    expect(fifth.returncode == 0 and len(ended(fifth, "times")) == 1, fifth, "nor from the tar file beside it")


def check_another_program(machine, verify):
    """Results of one program are no continuation of another's: they are kept apart, and all runs."""
    first = machine.run("times", out="rebuilt", faults="fail cuda.quantize.mxfp4")
    expect(first.returncode == 3, first, "a failure")
    os.makedirs(os.path.join(first.work, "times", "repro", "a case"))
    with open(os.path.join(machine.programs, "mx_verify"), "ab") as program:
        program.write(b"rebuilt")
    for attempt in (1, 2):
        second = machine.run("times", out="rebuilt")
        expect(second.returncode == 0 and len(ended(second, "times")) == 1, second,
               f"attempt {attempt}: a log of its own")
        expect({"earlier.1/log", "earlier.1/found.json", "earlier.1/output.txt"} <= names_in(second, "times"), second,
               "the earlier results come along")
        expect("earlier.2" not in names_in(second, "times"), second, "the same program is continued")
        expect(not any("repro" in name for name in names_in(second, "times")), second, "results alone")
        with tarfile.open(os.path.join(second.out, "times.repro.tar.gz")) as tar:
            expect(tar.getnames() == ["times/earlier.1/repro/a case"], second, "its cases come along apart")
    machine.real(verify)
    third = machine.run("times", out="rebuilt")
    expect(third.returncode == 0 and {"earlier.1/log", "earlier.2/log"} <= names_in(third, "times"), third,
           "no earlier results are overwritten")


def check_yardsticks(machine, verify):
    """The folders of a cuBLAS that Python has are searched, by the times alone."""
    packages = os.path.join(machine.folder, "packages")
    libraries = os.path.join(packages, "nvidia", "cu13", "lib")
    os.makedirs(libraries)
    with open(os.path.join(libraries, "libcublas.so.13"), "wb"):
        pass
    machine.tool(machine.tools, "python3", f"#!/bin/sh\necho {packages}\n")
    machine.stub('echo "searched: $LD_LIBRARY_PATH"\n')
    done = machine.run("small", "times", out="searched")
    machine.real(verify)
    os.remove(os.path.join(machine.tools, "python3"))
    before, after = (line for line in done.stdout.splitlines() if line.startswith("searched: "))
    expect(libraries in after.split(":") and libraries not in before, done, "a cuBLAS that Python has")


def packed_within(machine, started, name, condition):
    """The tar file that satisfies a condition, as a process leaves it; fails after a minute."""
    path = os.path.join(machine.folder, name)
    for _ in range(600):
        if os.path.exists(path):
            with tarfile.open(path) as tar:
                texts = {member.name: tar.extractfile(member).read().decode()
                         for member in tar.getmembers() if member.isfile()}
            if condition(texts):
                return texts
        time.sleep(0.1)
    os.killpg(started.pid, signal.SIGKILL)
    return sys.exit(f"{name} was not packed while the stage ran")


def check_packed_while_it_runs(machine):
    """A machine that is taken away in the middle of a stage has left the results so far."""
    machine.tool(machine.tools, "timeout", '#!/bin/sh\nshift 3\nexec "$@"\n')  # stays in the group to be killed
    command, environment = machine.command(("times", "--pack-seconds", "1"), "killed", "hang cuda.quantize.mxfp4")
    started = subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)
    texts = packed_within(machine, started, "killed/times.tar.gz", lambda texts: "begin" in texts.get("times/log", ""))
    os.killpg(started.pid, signal.SIGKILL)
    started.wait(timeout=60)
    os.remove(os.path.join(machine.tools, "timeout"))
    if "begin\ttimes:cuda.quantize.mxfp4" not in texts["times/log"] or "2 requests" not in texts["times/output.txt"]:
        sys.exit(f"the log so far is packed: {texts}")
    if os.listdir(os.path.join(machine.folder, "killed")) != ["times.tar.gz"]:
        sys.exit("--out has whole tar files alone")
    after = machine.run("times", out="killed")
    expect(after.returncode == 0 and ended(after, "times") == ["cuda.quantize.mxfp4"], after, "it is continued")


def check_ended_by_a_signal(machine, verify):
    """Asked to end, the script packs and ends what it started."""
    pid = os.path.join(machine.folder, "pid")
    machine.stub(f'while [ "$1" != --log ]; do shift; done\necho a line > "$2"\necho $$ > {pid}.new\n'
                 f'mv {pid}.new {pid}\nexec sleep 300\n')
    command, environment = machine.command(("times", "small"), "asked", "")
    started = subprocess.Popen(command, env=environment, start_new_session=True, stdout=subprocess.DEVNULL)
    while not os.path.exists(pid) and started.poll() is None:
        time.sleep(0.1)
    started.terminate()
    status = started.wait(timeout=60)
    machine.real(verify)
    packed_within(machine, started, "asked/times.tar.gz", lambda texts: texts.get("times/log") == "a line\n")
    if status != 128 + signal.SIGTERM or os.listdir(os.path.join(machine.folder, "asked")) != ["times.tar.gz"]:
        sys.exit(f"the script ends by exit status {status}, and no other stage runs")
    with open(pid, encoding="utf-8") as file:
        running = f"/proc/{file.read().strip()}"
    for _ in range(100):
        if not os.path.exists(running):
            return
        time.sleep(0.1)
    os.kill(int(os.path.basename(running)), signal.SIGKILL)
    sys.exit("the program goes on after the script")


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
    check_programs_that_do_not_start(machine, verify)
    check_cases_to_reproduce(machine, verify)
    check_cases_of_earlier_runs(machine, verify)
    check_tools_that_refuse(machine)
    check_attempts(machine)
    check_tools_that_do_not_end(machine)
    check_differences_under_a_tool(machine)
    check_records_are_kept(machine)
    check_the_program_is_written_once(machine)
    check_what_cannot_be_packed(machine)
    check_two_file_systems(machine)
    check_continued(machine)
    check_another_program(machine, verify)
    check_yardsticks(machine, verify)
    check_packed_while_it_runs(machine)
    check_ended_by_a_signal(machine, verify)
    check_cut_off(machine)


if __name__ == "__main__":
    main(*sys.argv[1:])
