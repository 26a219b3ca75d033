# SPDX-License-Identifier: Apache-2.0
"""mutations.py: small faults in the text of a C++ header: an operator, a comparison or a constant
that is another one."""
import re
from typing import NamedTuple

# Of clang-format's text: binary operators stand between blanks, brackets of templates do not.
OPERATORS = {
    "<": ["<=", ">"], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<"],
    "==": ["!="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"],
    "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"],
    "+=": ["-="], "-=": ["+="], "|=": ["&="], "&=": ["|="], "<<=": [">>="], ">>=": ["<<="],
}
OPERATOR = re.compile(r"(?<= )(<<=|>>=|<=|>=|==|!=|&&|\|\||\+=|-=|\|=|&=|<<|>>|[<>+\-*/%&|^])(?= )")
NUMBER = re.compile(r"(?<![\w.\"'])(0x[0-9A-Fa-f]+|[0-9]+)((?:U|L|LL|ULL)?)(?![\w.\"'])")
WORD = re.compile(r"(?<!\w)(true|false)(?!\w)")
NOT = re.compile(r"(?<=[ (])!(?=[\w(])")
# No rule: what other text, tools and compilers read.
LEFT_OUT = re.compile(r"^\s*(#|///|//|static_assert|template|using|namespace|friend|\[\[nodiscard\]\] "
                      r"MX_HD constexpr bool operator)|operator")
COMMENT_OR_TEXT = re.compile(r"//.*|\"(?:[^\"\\]|\\.)*\"")


class Mutation(NamedTuple):
    header: str  # below emulator/include
    line: int    # from 1
    column: int  # from 0
    old: str
    new: str

    def spelled(self, text):
        """The mutation by what the line says, which outlives changes elsewhere in the file."""
        line = text.splitlines()[self.line - 1]
        mark = line[:self.column] + "{" + self.old + " -> " + self.new + "}"
        return f"{self.header}: {(mark + line[self.column + len(self.old):]).strip()}"

    def applied(self, text):
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        if not line.startswith(self.old, self.column):
            raise ValueError(f"{self.header}:{self.line}: no '{self.old}' at {self.column}")
        lines[self.line - 1] = line[:self.column] + self.new + line[self.column + len(self.old):]
        return "".join(lines)


def other_numbers(number, suffix):
    value = int(number, 0)
    for other in {value + 1, value - 1 if value > 1 else value + 2}:
        yield (f"0x{other:X}" if number.startswith("0x") else str(other)) + suffix


def in_line(line):
    """(column, old, new) of every mutation of a line."""
    if LEFT_OUT.search(line):
        return
    bare = COMMENT_OR_TEXT.sub(lambda found: " " * len(found[0]), line)
    for found in OPERATOR.finditer(bare):
        for new in OPERATORS[found[1]]:
            yield found.start(), found[1], new
    for found in NUMBER.finditer(bare):
        for new in other_numbers(found[1], found[2]):
            yield found.start(), found[0], new
    for found in WORD.finditer(bare):
        yield found.start(), found[1], "false" if found[1] == "true" else "true"
    for found in NOT.finditer(bare):
        yield found.start(), "!", ""


def in_header(header, text):
    for_device, open_brackets = False, 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            for_device = line.startswith("#if defined(__CUDA")  # until its #else or #endif
        if open_brackets or line.lstrip().startswith("static_assert"):  # no rule, on all its lines
            bare = COMMENT_OR_TEXT.sub("", line)
            open_brackets += bare.count("(") - bare.count(")")
            continue
        if for_device:
            continue
        for column, old, new in in_line(line):
            yield Mutation(header, number, column, old, new)
