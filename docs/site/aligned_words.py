# SPDX-License-Identifier: Apache-2.0
# docs/site/aligned_words.py: comments of headers and docstrings as reStructuredText.
"""A comment is prose and aligned words:

    Quantizes a tensor.
      x        any alignment
      returns  codes and scales

Prose becomes paragraphs, aligned words a list of definitions, lines indented by four or more behind
a blank line an example.
"""

import re

SPECIAL = re.compile(r"([\\*|_<>])")
# A word, at least two blanks, its text. Prose has single blanks.
ALIGNED = re.compile(r"( *)(\S(?:.*?\S)?) {2,}(\S.*)")


def inline(text):
    """Text without markup, but for words between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a lone backtick
        return SPECIAL.sub(r"\\\1", text).replace("`", r"\`")
    for k, part in enumerate(parts):
        if k % 2 == 0:
            parts[k] = SPECIAL.sub(r"\\\1", part)
        else:
            before = "" if parts[k - 1] == "" or not parts[k - 1][-1].isalnum() else r"\ "
            after = "" if not parts[k + 1][:1].isalnum() else r"\ "
            parts[k] = f"{before}``{part.strip()}``{after}" if part.strip() else r"\`\`"
    return "".join(parts)


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


class reader:
    """Lines into blocks: ("prose", lines), ("words", [[word, text]...]), ("example", lines)."""

    def __init__(self, lines):
        self.blocks, self.column, self.margin = [], None, 0
        after_blank = True
        for line in lines:
            if not line.strip():
                after_blank = True
                self.column = None
                continue
            self.take(line.rstrip(), after_blank)
            after_blank = False

    def block(self, kind, anew):
        if anew or not self.blocks or self.blocks[-1][0] != kind:
            self.blocks.append((kind, []))
        return self.blocks[-1][1]

    def take(self, line, after_blank):
        indent = indent_of(line)
        in_example = bool(self.blocks) and self.blocks[-1][0] == "example"
        if indent >= 4 and (after_blank or in_example) and (after_blank or not self.column):
            example = self.block("example", after_blank and not in_example)
            if after_blank and example:
                example.append("")
            example.append(line)
            return
        aligned = ALIGNED.fullmatch(line)
        if self.column is not None and indent >= self.column:
            self.blocks[-1][1][-1][1] += " " + line.strip()
        elif aligned:
            self.take_aligned(aligned, after_blank)
        elif self.column is not None and indent == self.margin and indent > 0:
            word, _, text = line.strip().partition(" ")  # the longest word has one blank
            self.block("words", False).append([word, text])
        else:
            self.column = None
            self.block("prose", after_blank).append(line.strip())

    def take_aligned(self, aligned, after_blank):
        self.margin, self.column = len(aligned[1]), aligned.start(3)
        parts = re.split(r" {2,}", aligned[0].strip())
        words = self.block("words", after_blank and self.column is None)
        if len(parts) == 4:  # two pairs in a line
            words.append(parts[:2])
            words.append(parts[2:])
        else:
            words.append([aligned[2], aligned[3]])


def as_rst(lines):
    """The lines of reStructuredText."""
    out = []
    for kind, content in reader(lines).blocks:
        if kind == "prose":
            out += [inline(" ".join(content)), ""]
        elif kind == "words":
            out += [".. container:: words", ""]
            for word, text in content:
                out += [f"   ``{word.strip('`')}``", f"      {inline(text)}", ""]
        else:
            margin = min(indent_of(line) for line in content if line)
            out += [".. code-block:: python", ""]
            out += ["   " + line[margin:] if line else "" for line in content] + [""]
    return out
