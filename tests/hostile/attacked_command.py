# SPDX-License-Identifier: Apache-2.0
"""attacked_command.py: one run of the command on hostile input, as a value that attacks change."""
import dataclasses
import os
import shutil

SECONDS = 20        # of processor time
LONGEST_WAIT = 120  # of the clock, since other programs may share the processors


@dataclasses.dataclass
class Attacked:
    """A command in a folder of its own. Paths are relative to the folder.

    words   arguments behind the program's name
    reads   the files that the command reads, which attacks change
    needs   further files of the scene, which stay as they are
    blamed  an error names one of these, or an option; empty: those that it reads or writes
    writes  its outputs: files, or with `kept` a folder whose pieces stay when the command fails
    """
    words: list
    reads: list
    writes: list = dataclasses.field(default_factory=list)
    needs: list = dataclasses.field(default_factory=list)
    blamed: list = dataclasses.field(default_factory=list)
    kept: bool = False
    speaks: bool = False            # prints progress on standard error
    options_blamed: bool = True     # an error may name an option alone
    nameless: bool = False          # limits: an error need not name a file
    written_though_failed: bool = False  # whole outputs may exist beside an error
    seconds: int = SECONDS
    folder: str = ""
    limits: dict = dataclasses.field(default_factory=dict)       # of resource.RLIMIT_...
    environment: dict = dataclasses.field(default_factory=dict)
    unprivileged: bool = False
    output_stream: str = ""         # a file in place of standard output
    beside: object = None           # a function that changes files while the command runs
    changing: list = dataclasses.field(default_factory=list)     # those files
    linked: list = dataclasses.field(default_factory=list)       # names of what outputs link to
    story: list = dataclasses.field(default_factory=list)        # what was attacked, and how

    def take_files_of(self, scene):
        """Copies what the command names from the scene's folder into a new one of its own."""
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o777)
        named = [*self.words, *self.reads, *self.writes, *self.needs]
        wanted = {name.split("/")[0] for name in named}
        for name in sorted(wanted & set(os.listdir(scene))):
            whole = os.path.join(scene, name)
            copy = shutil.copytree if os.path.isdir(whole) else shutil.copy
            copy(whole, self.path(name))

    def path(self, *names):
        """Of what is in the folder: nothing else is touched."""
        assert not any(map(os.path.isabs, names)), names
        return os.path.join(self.folder, *names)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def rename(self, old, new):
        """Another name of a file, in the folder and in the words."""
        os.rename(os.fsencode(self.path(old)), os.fsencode(self.path(new)))
        self.words = [new if word == old else word for word in self.words]
        self.reads = [new if name == old else name for name in self.reads]

    def accepted_names(self):
        names = self.blamed or [*self.reads, *self.writes]
        return [name.rstrip("/") for name in [*names, *self.linked]]
