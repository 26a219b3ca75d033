# SPDX-License-Identifier: Apache-2.0
"""special_files.py: what is no plain file in the place of an input or an output: folders, pipes,
devices, sockets, links to nothing and to themselves, what may not be read, files of the kernel."""
import os
import shutil
import socket

# Regular files of the kernel, which say that they have no bytes; the last one never ends.
OF_THE_KERNEL = ("/proc/self/environ", "/proc/self/maps", "/proc/cpuinfo", "/proc/self/mem",
                 "/proc/self/pagemap")
DEVICES = ("/dev/zero", "/dev/null", "/dev/full", "/dev/urandom", "/dev/tty")
NAMES = ("odd\udcff", "odd\nname", "odd\x1b[31m", "odd\u009b", "odd name", "odd{}", "odd{0:d}",
         "odd%s%n", "odd\u00e9\u4e16", "odd'", 'odd"', "odd" + "n" * 240, "odd\\n", "odd\t")


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def folder(_chance, path):
    os.mkdir(path)


def pipe(_chance, path):
    os.mkfifo(path)


def device(chance, path):
    os.symlink(chance.choice(DEVICES), path)


def kernel_file(chance, path):
    os.symlink(chance.choice(OF_THE_KERNEL), path)


def link_to_nothing(_chance, path):
    os.symlink("nowhere", path)


def link_to_itself(_chance, path):
    os.symlink(os.path.basename(path), path)


def bound_socket(_chance, path):
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(".", os.O_RDONLY)  # a path of a socket has at most 108 bytes
        try:
            os.chdir(os.path.dirname(path))
            server.bind(os.path.basename(path))
        finally:
            os.fchdir(here)
            os.close(here)


def absent(_chance, _path):
    pass


INSTEAD = (folder, pipe, device, kernel_file, link_to_nothing, link_to_itself, bound_socket, absent)


def put_instead(chance, path):
    """Replaces what is there; returns by what."""
    if not os.path.isdir(os.path.dirname(path)):
        return "in no folder"
    kind = chance.choice(INSTEAD)
    remove(path)
    kind(chance, path)
    return kind.__name__


def may_not_be_opened(path):
    """For a user without privileges."""
    os.chmod(path, 0)
