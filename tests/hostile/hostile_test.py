# SPDX-License-Identifier: Apache-2.0
"""hostile_test.py [--seed N] [--count N] [--first N] [--log FILE] [--keep FOLDER]: runs the command
on hostile inputs, each drawn from the seed and its number. MXPRISM names the command,
MX_FAULTY_CALLS the library of faulty system calls. What breaks is printed with the words that run
it again: --seed N --first I --count 1, and with --keep FOLDER the files of the case stay in the
folder. Before that, faults planted in other programs must be found."""
import argparse
import collections
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))

import attacks  # noqa: E402
import built_program  # noqa: E402
import judge  # noqa: E402
import making_scenes  # noqa: E402
import model_scenes  # noqa: E402
import planted_faults  # noqa: E402
import run_scenes  # noqa: E402
import tensor_scenes  # noqa: E402

PROGRAM = os.environ.get("MXPRISM", "mxprism")
SIMPLE_COMMAND = (PROGRAM, "explain", "1")
# Scene, its share of the cases.
SCENES = {tensor_scenes: 50, run_scenes: 28, model_scenes: 16, making_scenes: 6}
LONG_SHARE = 0.001  # of commands that take a quarter of a minute


class RightFiles:
    """The right files of every scene, made once."""

    def __init__(self, folder):
        self.folder = folder
        for scene in SCENES:
            os.mkdir(self.place(scene))
            scene.make(lambda *names, of=scene: os.path.join(self.place(of), *names),
                       lambda *words, of=scene: self.call(of, words))

    def place(self, scene):
        return os.path.join(self.folder, scene.__name__)

    def call(self, scene, words):
        done = subprocess.run([PROGRAM, *words], cwd=self.place(scene), capture_output=True,
                              encoding="utf-8", check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{words}: exit status {done.returncode}\n{done.stderr}")


def starts(words, prepare=None):
    """Whether the words run the command, in a process that is prepared this way."""
    try:
        done = subprocess.run(words, capture_output=True, check=False, preexec_fn=prepare)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def smallest(low, high, is_enough):
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle + 1, high)
    return low


def smallest_memory():
    """Under which the command starts."""
    return smallest(1 << 20, 4 << 30, lambda n: starts(judge.under_memory(n, SIMPLE_COMMAND)))


def smallest_files():
    """Number of open files with which the command starts."""
    kind = resource.RLIMIT_NOFILE
    return smallest(3, 64, lambda n: starts(SIMPLE_COMMAND,
                                            lambda: resource.setrlimit(kind, (n, n))))


def weighted_attacks():
    """(attack, weight) of each."""
    sanitized = built_program.is_sanitized(PROGRAM)
    # A sanitizer reserves terabytes, opens pipes and starts a process of its own, and a library that is
    # preloaded comes before it.
    limits = attacks.limits(0 if sanitized else smallest_memory(), smallest_files())
    faulty = attacks.faulty_calls("" if sanitized else os.environ.get("MX_FAULTY_CALLS", ""))
    if not faulty.library:
        print("SKIPPED: faulty system calls, because " +
              ("of the sanitizer" if sanitized else "MX_FAULTY_CALLS names no library"))
    if sanitized:
        print("SKIPPED: limits of memory, open files and processes, because of the sanitizer")
    others = starts(SIMPLE_COMMAND, judge.give_up_privileges)
    if not others:
        print("SKIPPED: hostile permissions, because another user cannot run the command here")
    return {attacks.damage_bytes: 30, attacks.damage_fields: 34, attacks.swap_inputs: 3,
            attacks.odd_input: 12, attacks.special_input: 10, attacks.unreadable_input: 2 * others,
            attacks.renamed_input: 4, attacks.special_output: 5, attacks.output_elsewhere: 4,
            attacks.output_of_the_system: 1 * others, attacks.output_is_input: 1,
            attacks.read_only_folder: 2 * others, attacks.planted_link: 3, attacks.full_output: 2,
            limits.memory: 5 * (not sanitized),
            limits.files: 2 * (not sanitized), limits.file_size: 4,
            limits.processes: 2 * others * (not sanitized), faulty.attack: 6,
            attacks.change_while_read: 3, attacks.no_attack: 1}


class Generator:
    """Draws cases: a command on a copy of its scene, attacked once or twice."""

    def __init__(self, right_files, weights):
        self.right_files = right_files
        self.attacks, self.weights = list(weights), list(weights.values())

    def case(self, seed, number, folder):
        """The attacked command; the same for the same seed and number."""
        chance = random.Random(f"{seed}:{number}")
        scene = chance.choices(list(SCENES), SCENES.values())[0]
        commands = scene.COMMANDS
        if chance.random() < LONG_SHARE:
            scene, commands = run_scenes, run_scenes.LONG_COMMANDS
        command = chance.choice(commands)(chance)
        command.folder = folder
        command.take_files_of(self.right_files.place(scene))
        if chance.random() < 0.25 and "--json" not in command.words and "--" not in command.words:
            command.words.append("--json")
        wanted = chance.choice((1,) * 9 + (2,))
        while len(command.story) < wanted:
            try:
                story = chance.choices(self.attacks, self.weights)[0](chance, command)
            except OSError:
                continue  # an earlier attack has left another kind of file
            if story:
                command.story.append(story)
        return command


def remove(folder):
    """Also what may not be opened."""
    for where, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(os.path.join(where, name)):
                os.chmod(os.path.join(where, name), 0o700)
    os.chmod(folder, 0o700)
    shutil.rmtree(folder)


def entry_of(options, number, command, found, outcome):
    return {"seed": options.seed, "number": number, "words": command.words, "story": command.story,
            "complaints": found, "status": outcome.status, "seconds": round(outcome.seconds, 2),
            "errors": outcome.errors[-2000:].decode(errors="replace")}


def run_cases(options, generator, scratch):
    """Returns the entries of the cases that broke."""
    broken, statuses = [], collections.Counter()
    with open(options.log, "w", encoding="utf-8") as log:
        for number in range(options.first, options.first + options.count):
            folder = options.keep or os.path.join(scratch, "case")
            command = generator.case(options.seed, number, folder)
            found, outcome = judge.complaints(PROGRAM, command)
            statuses[outcome.status] += 1
            entry = entry_of(options, number, command, found, outcome)
            print(json.dumps(entry), file=log, flush=True)
            if found:
                broken.append(entry)
                print(f"--seed {options.seed} --first {number} --count 1: {found}\n"
                      f"  {command.words}\n  {command.story}\n  {entry['errors'][-300:]!r}",
                      flush=True)
            if not options.keep:
                remove(folder)
    print(f"{options.count} cases, {len(broken)} broke; exit statuses: "
          f"{dict(sorted(statuses.items()))}")
    return broken


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--log", default=os.devnull, help="a line of JSON for each case")
    parser.add_argument("--keep", default="", help="new folder for the files of one case")
    options = parser.parse_args()
    if options.keep and options.count != 1:
        parser.error("--keep: needs --count 1")
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"{PROGRAM}: not built; MXPRISM names the command to test")
    wrong = list(planted_faults.failures())
    print("\n".join(wrong or ["every planted fault is found"]))
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        right = os.path.join(scratch, "right")
        os.mkdir(right)
        generator = Generator(RightFiles(right), weighted_attacks())
        broken = run_cases(options, generator, scratch)
    return 1 if wrong or broken else 0


if __name__ == "__main__":
    sys.exit(main())
