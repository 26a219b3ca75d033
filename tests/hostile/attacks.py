# SPDX-License-Identifier: Apache-2.0
"""attacks.py: what can be done to a command: to the bytes of its inputs, to what stands in the
place of its inputs and outputs, to their names, to what the system lets it have. An attack changes
the command and its folder and returns its name, or None where it does not fit."""
import os
import resource
import shutil
import socket
import struct
import time

import damaged_bytes
import damaged_fields
import odd_tensors
import special_files

MEGABYTE = 1 << 20


def is_plain(path):
    """No link, and small enough to be read here."""
    return (os.path.isfile(path) and not os.path.islink(path)
            and os.path.getsize(path) < 64 * MEGABYTE)


def one_input(chance, command):
    """A plain file that the command reads, or None."""
    plain = [name for name in command.reads if is_plain(command.path(name))]
    return chance.choice(plain) if plain else None


def damage_bytes(chance, command):
    name = one_input(chance, command)
    if name is None:
        return None
    data, how = damaged_bytes.damaged(chance, command.read(name))
    command.write(name, data)
    return f"{name}: {' '.join(how)}"


def damage_fields(chance, command):
    name = one_input(chance, command)
    damage = damaged_fields.damage_of(name) if name else None
    if damage is None:
        return None
    try:
        command.write(name, damage(chance, command.read(name)))
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error):
        return None  # an earlier attack has left no fields in it
    return f"{name}: {damage.__name__}"


def swap_inputs(chance, command):
    """The contents of one input under the name of another."""
    one, other = one_input(chance, command), one_input(chance, command)
    if one is None or one == other:
        return None
    command.write(one, command.read(other))
    return f"{one}: has the bytes of {other}"


def odd_input(chance, command):
    name = one_input(chance, command)
    if name is None or not odd_tensors.write(chance, command.path(name)):
        return None
    return f"{name}: odd tensors"


def special_input(chance, command):
    if not command.reads:
        return None
    name = chance.choice(command.reads)
    return f"{name}: {special_files.put_instead(chance, command.path(name))}"


def unreadable_input(chance, command):
    name = one_input(chance, command)
    if name is None:
        return None
    if chance.random() < 0.3 and os.path.dirname(name):
        name = os.path.dirname(name)
    special_files.may_not_be_opened(command.path(name))
    command.unprivileged = True
    return f"{name}: may not be opened"


def renamed_input(chance, command):
    name = one_input(chance, command)
    if name not in command.words:
        return None
    new = chance.choice(special_files.NAMES) + os.path.splitext(name)[1]
    command.rename(name, new)
    command.blamed = [*command.accepted_names(), "odd"]
    return f"{name}: is called {new!r}"


def named_output(command):
    """The output that the words name, if it is in the command's folder."""
    named = [name for name in command.writes if name in command.words and not os.path.isabs(name)]
    return named[0] if named else None


def special_output(chance, command):
    name = named_output(command)
    if name is None:
        return None
    command.linked += ["/proc/", "nowhere"]
    return f"{name}, an output: {special_files.put_instead(chance, command.path(name))}"


def move_output(command, name, new):
    command.words = [new if word == name else word for word in command.words]
    command.writes = [new, "odd", "missing", *command.writes]
    command.blamed = [*command.blamed, *command.reads, "odd", "/dev/full", "missing"]
    return f"output {new[:60]!r}"


def output_elsewhere(chance, command):
    """An output in a folder that is missing, that is a file, under an odd or a long name."""
    name = named_output(command)
    if name is None:
        return None
    extension = os.path.splitext(name)[1]
    places = ["missing/odd", chance.choice(special_files.NAMES), "odd" * 100,
              "./" + "odd/../" * 3 + "odd", "d/" * 2100 + "odd"]
    places += command.reads[:1] and [command.reads[0] + "/odd"]
    return move_output(command, name, chance.choice(places) + extension)


def output_of_the_system(chance, command):
    """A device, or a folder of the kernel's; never as root, who could replace them."""
    name = named_output(command)
    if name is None:
        return None
    command.unprivileged = True
    return move_output(command, name, chance.choice(
        ("/dev/full", "/proc/self/odd" + os.path.splitext(name)[1])))


def output_is_input(_chance, command):
    """The command may replace its input, whole."""
    name = named_output(command)
    if name is None or not command.reads:
        return None
    source = command.reads[0]
    if os.path.splitext(name)[1] != os.path.splitext(source)[1]:
        return None
    command.words = [source if word == name else word for word in command.words]
    command.writes = [source]
    return f"{name} is {source}"


def read_only_folder(_chance, command):
    os.chmod(command.folder, 0o555)
    for name in command.writes:
        if not os.path.isabs(name) and os.path.isdir(command.path(name)):
            os.chmod(command.path(name), 0o555)
    command.unprivileged = True
    return "the folder is read-only"


def planted_link(chance, command):
    """A link in the place of a temporary or auxiliary file, to one that is not the command's."""
    name = named_output(command)
    if name is None:
        return None
    folder = command.path(name) if command.kept else command.folder
    os.makedirs(folder, exist_ok=True)
    link = os.path.join(folder, chance.choice((
        f".mxprism-{socket.gethostname()}-1-0", "report.html.partial", "run.lock", "seed-101.partial",
        os.path.basename(name) + ".partial")))
    if os.path.lexists(link):
        os.remove(link)
    victim = command.path("victim")
    with open(victim, "w", encoding="utf-8") as file:
        file.write("not the command's\n")
    os.symlink(victim, link)
    return f"{os.path.relpath(link, command.folder)}: a link to 'victim'"


def full_output(_chance, command):
    command.output_stream = "/dev/full"
    command.nameless = command.written_though_failed = True
    return "standard output is full"


class limits:
    """Attacks by limits; the smallest under which the command starts are measured once."""

    def __init__(self, smallest_memory, smallest_files):
        self.smallest_memory, self.smallest_files = smallest_memory, smallest_files

    def memory(self, chance, command):
        # Libraries take memory before main() does, by some pages more or less each time.
        more = chance.choice((2, 3, 4, 6, 10, 20, 40, 100, 300)) * MEGABYTE
        more += chance.randrange(MEGABYTE)
        command.limits[resource.RLIMIT_AS] = self.smallest_memory + more
        command.nameless = True
        return f"memory of {(self.smallest_memory + more) // MEGABYTE} MiB"

    def files(self, chance, command):
        count = self.smallest_files + chance.choice((0, 1, 2, 3, 5, 8))
        command.limits[resource.RLIMIT_NOFILE] = count
        return f"{count} open files"

    def file_size(self, chance, command):
        size = chance.choice((0, 1, 10, 100, 512, 1000, 4096, 20000, 100000, 200000))
        command.limits[resource.RLIMIT_FSIZE] = size
        command.nameless |= command.speaks or not command.writes
        command.written_though_failed = True
        return f"files of {size} bytes"

    def processes(self, chance, command):
        command.limits[resource.RLIMIT_NPROC] = chance.choice((0, 1, 1, 2))
        command.unprivileged = command.nameless = True
        for where, folders, _ in os.walk(command.folder):
            for name in [where, *(os.path.join(where, folder) for folder in folders)]:
                os.chmod(name, 0o777)
        return f"{command.limits[resource.RLIMIT_NPROC]} processes"


class faulty_calls:
    """Attacks by a library that makes system calls fail or do less than they were asked for."""

    def __init__(self, library):
        self.library = library

    def attack(self, chance, command):
        if not self.library:
            return None
        how = chance.choice(("short-reads", "short-writes", "full-after", "full-after",
                             "unreadable-after", "interrupted"))
        amount = chance.choice((0, 1, 100, 3000, 30000, 200000))
        command.environment = {"LD_PRELOAD": self.library, "MX_FAULT": how,
                               "MX_FAULT_AT": str(amount)}
        command.nameless |= command.speaks or not command.writes
        command.written_though_failed = how == "full-after"
        return f"{how} {amount}"


def changes_of(path, noise):
    """Changes of a file: other bytes, longer, another file, shorter, empty."""
    def other_bytes():
        with open(path, "r+b") as file:
            file.seek(len(noise))
            file.write(noise)

    def another_file():
        if os.path.getsize(path) < MEGABYTE:
            shutil.copyfile(path, path + ".new")
            os.replace(path + ".new", path)

    def longer():
        os.truncate(path, os.path.getsize(path) + 4096)

    def shorter():
        os.truncate(path, os.path.getsize(path) // 2)
    return other_bytes, longer, other_bytes, another_file, shorter, lambda: os.truncate(path, 0)


def change_while_read(chance, command):
    name = one_input(chance, command)
    if name is None or os.path.getsize(command.path(name)) == 0:
        return None
    path, pause = command.path(name), chance.choice((0, 0.0005, 0.001, 0.003, 0.01))
    if name.endswith(".safetensors") and chance.random() < 0.3:
        odd_tensors.hole(chance, path)
    steps = changes_of(path, chance.randbytes(chance.choice((1, 8, 64))))

    def change():
        for step in steps:
            time.sleep(pause)
            try:
                step()
            except OSError:  # a second attack has put something else in its place
                return
    command.beside, command.changing, command.nameless = change, [name], True
    return f"{name}: changes while it is read"


def no_attack(_chance, _command):
    return "nothing"
