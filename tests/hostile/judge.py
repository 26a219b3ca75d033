# SPDX-License-Identifier: Apache-2.0
"""judge.py: runs an attacked command and says what it did wrong: a signal, an exit status that the
command has not, too much time, a changed or a partial file, an error that is not one line or names
no file, a process left behind."""
import hashlib
import json
import os
import resource
import select
import signal
import stat
import subprocess
import tempfile
import threading
import time
from typing import NamedTuple

import attacked_command
import whole_files

NOBODY = 65534
LONGEST_OUTPUT = 32 << 20
LARGEST_HASHED = 32 << 20
MOST_SEARCHED = 1 << 20
PREFIX = "mxprism: error: "
# A sanitizer ends a program with 1 otherwise, as a difference does.
SANITIZERS = {name: "exitcode=99:" + os.environ.get(name, "")
              for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")}


class Outcome(NamedTuple):
    status: int      # negative: ended by that signal
    seconds: float   # of processor time
    hung: bool
    left_behind: bool
    output: bytes
    errors: bytes


def fingerprint(path):
    """What tells a changed file from an unchanged one; pipes and devices are not opened."""
    found = os.lstat(path)
    if stat.S_ISLNK(found.st_mode):
        return "link", os.readlink(path)
    if not stat.S_ISREG(found.st_mode):
        return "special", found.st_mode
    if found.st_size > LARGEST_HASHED:
        return "large", found.st_size, found.st_mtime_ns
    with open(path, "rb") as file:
        return "file", found.st_mode, hashlib.sha256(file.read()).digest()


def snapshot(folder):
    """Path -> fingerprint, of everything in a folder."""
    found = {}
    for where, folders, names in os.walk(os.fsencode(folder)):
        for name in folders + names:
            path = os.path.join(where, name)
            found[os.fsdecode(os.path.relpath(path, os.fsencode(folder)))] = fingerprint(path)
    return found


def give_up_privileges():
    """Permissions and limits on processes do not hold for root."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def prepared(command):
    """What the child does before the program begins."""
    def prepare():
        if command.unprivileged:
            give_up_privileges()
        for kind, amount in command.limits.items():
            if kind != resource.RLIMIT_AS:
                resource.setrlimit(kind, (amount, amount))
    return prepare


def under_memory(amount, words):
    """The words, in a shell with this limit, under which Python could not begin them."""
    return ["sh", "-c", f'ulimit -v {amount >> 10}; exec "$0" "$@"', *words]


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ends_in_time(process, seconds):
    """Waits, for twice the processor time that the command may take, and not for ever."""
    descriptor = os.pidfd_open(process.pid)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    latest = time.monotonic() + attacked_command.LONGEST_WAIT
    try:
        while not poll.poll(1000):
            if time.monotonic() > latest or processor_seconds(process.pid) > 2 * seconds:
                return False
        return True
    finally:
        os.close(descriptor)


def end_group(leader):
    """Kills what the command left running; returns whether there was anything."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


class Pipe:
    """Standard output or error of the command; a limit on the size of files does not concern it."""

    def __init__(self):
        self.reading, self.writing = os.pipe()
        self.data = b""
        self.thread = threading.Thread(target=self.read)

    def read(self):
        with open(self.reading, "rb", buffering=0) as stream:
            while piece := stream.read(1 << 16):
                if len(self.data) < LONGEST_OUTPUT:
                    self.data += piece

    def begin(self):
        os.close(self.writing)
        self.thread.start()

    def whole(self):
        self.thread.join()
        return self.data


def started(program, command, elsewhere, output, errors):
    stream = open(command.output_stream, "wb") if command.output_stream else output
    words = [program, *map(os.fsencode, command.words)]
    if resource.RLIMIT_AS in command.limits:
        words = under_memory(command.limits[resource.RLIMIT_AS], words)
    environment = os.environ | SANITIZERS | {"TMPDIR": elsewhere} | command.environment
    try:
        return subprocess.Popen(words, cwd=command.folder, stdin=subprocess.DEVNULL, stdout=stream,
                                stderr=errors, env=environment, start_new_session=True,
                                preexec_fn=prepared(command))
    finally:
        if stream is not output:
            stream.close()


def run(program, command, elsewhere):
    """Runs it, with a folder for temporary files."""
    output, errors = Pipe(), Pipe()
    process = started(program, command, elsewhere, output.writing, errors.writing)
    output.begin()
    errors.begin()
    if command.beside:
        command.beside()
    hung = not ends_in_time(process, command.seconds)
    if hung:
        os.killpg(process.pid, signal.SIGKILL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    left_behind = end_group(process.pid) and not hung
    return Outcome(process.returncode, used.ru_utime + used.ru_stime, hung, left_behind,
                   output.whole(), errors.whole())


def judged_end(command, outcome):
    if outcome.hung:
        yield f"not finished after {outcome.seconds:.0f} s of processor time"
        return
    if outcome.status < 0:
        yield f"ended by signal {-outcome.status}"
    elif outcome.status not in (0, 1, 2):
        yield f"exit status {outcome.status}"
    if outcome.seconds > command.seconds:
        yield f"took {outcome.seconds:.0f} s of processor time"
    if outcome.left_behind:
        yield "left a process running"


def controls_in(text):
    return sorted({c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160})


def without_own_words(command, data):
    """Output without the words that the user typed, which it may repeat as they are."""
    for word in sorted(map(os.fsencode, command.words), key=len, reverse=True):
        if not word.isascii() or not word.decode().isprintable():
            data = data.replace(word, b"")
    return data


def judged_text(command, outcome):
    output = b"" if "--json" in command.words else without_own_words(command, outcome.output)
    for name, data in (("output", output), ("error", outcome.errors)):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            yield f"standard {name} is not UTF-8"
            continue
        if controls_in(text):
            yield f"standard {name} has control characters {controls_in(text)}"


def names_what_an_input_says(command, place):
    """Whether an input has the name of the file that an error is about."""
    for name in command.reads:
        path = command.path(name)
        if os.path.isfile(path) and not os.path.islink(path) and os.access(path, os.R_OK):
            if os.path.basename(place).encode() in command.read(name)[:MOST_SEARCHED]:
                return True
    return False


def names_a_file(command, line, before):
    names = command.accepted_names()
    if not command.blamed:
        names += [word for word in command.words if word in before]
        names += [os.path.dirname(name) for name in command.reads]
    if any(name and name in line for name in names):
        return True
    place = line[len(PREFIX):].split(": ")[0]
    if not command.blamed and " " not in place and names_what_an_input_says(command, place):
        return True
    return command.options_blamed and any(
        word in line for word in command.words if word.startswith("--") and len(word) > 2)


def judged_error(command, outcome, before):
    """Of exit status 2: one line that names a file."""
    lines = outcome.errors.decode(errors="replace").splitlines()
    errors = [line for line in lines if line.startswith(PREFIX)]
    if len(errors) != 1:
        yield f"{len(errors)} error lines"
        return
    if lines[-1] != errors[0]:
        yield "the error is not the last line"
    if len(lines) != 1 and not command.speaks:
        yield f"{len(lines)} lines of error"
    if outcome.output and not command.speaks and not command.written_though_failed:
        yield "output beside an error"
    if not command.nameless and not names_a_file(command, errors[0], before):
        yield "the error names no file"


def judged_json(command, outcome):
    if "--json" not in command.words or command.output_stream:
        return
    try:
        json.loads(outcome.output, parse_constant=lambda text: 1 / 0)
    except (ValueError, ZeroDivisionError, RecursionError):
        yield "standard output is not one JSON object"


def is_output(command, name):
    parts = [os.path.normpath(written) for written in command.writes]
    return any(name == part or name.startswith(part + os.sep) for part in parts)


def is_copy(command, name, before, after):
    """Of an input, damaged or not: merging takes files over as they are."""
    def within(path):
        return path.partition("/")[2]
    return after[name] in before.values() or (name not in command.reads and any(
        "/" in read and within(read) == within(name) for read in command.reads))


def is_about_an_input(command, before):
    """Whether an error can be about nothing else: no limit, and an output that is new."""
    late = (command.limits or command.environment or command.beside or command.output_stream
            or command.unprivileged)
    return not late and not any(is_output(command, name) for name in before)


def judged_files(command, outcome, before, after):
    changed = sorted(name for name in after
                     if before.get(name) != after[name] and name not in command.changing)
    for name in sorted(set(before) - set(after)):
        if not command.kept:
            yield f"removed {name!r}"
    for name in changed:
        path = command.path(name)
        if whole_files.is_temporary(name) and name not in before:
            yield f"left {name!r}"
        elif not is_output(command, name):
            yield f"changed {name!r}"
        elif (os.path.isfile(path) and not is_copy(command, name, before, after)
              and not whole_files.is_whole(path)):
            yield f"wrote a part of {name!r}"
        elif outcome.status == 2 and not command.kept and not command.written_though_failed:
            yield f"wrote {name!r} and failed"


def judged_folder(command, outcome, before, after):
    """Of a new folder of results, which an error of an input leaves unmade."""
    if command.kept and outcome.status == 2 and is_about_an_input(command, before):
        made = sorted(set(after) - set(before))
        if made:
            yield f"wrote {made[0]!r} and {len(made) - 1} more before it refused an input"


def complaints(program, command):
    """Runs it. Returns what it did wrong, in words, and the outcome."""
    before = snapshot(command.folder)
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chmod(elsewhere, 0o777)
        outcome = run(program, command, elsewhere)
        found = [f"left {name!r} in TMPDIR" for name in os.listdir(elsewhere)]
    after = snapshot(command.folder)
    found += [*judged_end(command, outcome), *judged_text(command, outcome)]
    if outcome.status == 2:
        found += judged_error(command, outcome, before)
    elif outcome.status in (0, 1):
        found += judged_json(command, outcome)
    found += judged_files(command, outcome, before, after)
    found += judged_folder(command, outcome, before, after)
    return found, outcome
