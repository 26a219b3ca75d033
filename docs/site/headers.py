# SPDX-License-Identifier: Apache-2.0
# docs/site/headers.py: the declarations of C and C++ headers with their comments, as reStructuredText
# for Sphinx's C and C++ domains.
"""The headers are those of the project: declarations begin at the left margin, comments are `///`
above them, and the first line behind the license is `// path: purpose`."""

import os
import re

from aligned_words import as_rst, inline

NAMESPACE = re.compile(r"(?:inline )?namespace ([\w:]+) \{")
MACROS = re.compile(r"\b(?:MX_HD|MX_API|MX_CUDA_API|MX_DPI_API|__extension__)\s+")
TEMPLATE = re.compile(r"template <")
FORWARD = re.compile(r"(?:struct|class|enum class) \w+;")
TYPE = re.compile(r"(?:typedef )?(struct|class|union|enum)\b")


class declaration:
    """kind: function, type, alias, variable, macro, namespace; text: as written, without a function's body."""

    def __init__(self, kind, text, comment, namespace):
        self.kind, self.text, self.comment, self.namespace = kind, text, comment, namespace


def without_comment(line):
    return re.sub(r'\s*//(?!/<).*$', "", line)


def depths(text):
    """Nesting of (), [] and {} at the end of the text; strings and comments aside."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//[^\n]*', "", text)
    return (bare.count("(") + bare.count("[") - bare.count(")") - bare.count("]"),
            bare.count("{") - bare.count("}"))


def template_end(text):
    """Where the template parameters of a declaration end; 0 if it has none."""
    if not TEMPLATE.match(text):
        return 0
    depth = 0
    for k, letter in enumerate(text):
        depth += (letter == "<") - (letter == ">")
        if letter == ">" and depth == 0:
            return k + 1
    return 0


class header:
    def __init__(self, root, name):
        self.name = name
        with open(os.path.join(root, name), encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.declarations, self.namespace, self.comment = [], [], []
        self.seen = set()
        self.place = 0
        while self.place < len(self.lines):
            self.step()

    def step(self):
        line = self.lines[self.place]
        self.place += 1
        space = NAMESPACE.match(line)
        if line.startswith("///"):
            self.comment.append(line[3:].removeprefix(" "))
        elif space:
            self.namespace.append(space[1])
            if self.comment:
                self.add("namespace", "::".join(self.namespace))
        elif line.startswith("}"):
            if self.namespace:
                self.namespace.pop()
            self.comment = []
        elif line.startswith("#define ") and self.comment:
            name = re.match(r"#define (\w+(?:\([^)]*\))?)", line)[1]
            self.add("macro", name)
        elif not line.strip() or line[0] in "#/ ":
            self.comment = []
        elif line.startswith(('extern "C" {', "static_assert", "friend", "HWY_")):
            self.skip(line)
        elif FORWARD.fullmatch(line):
            self.comment = []
        else:
            self.take(line)

    def skip(self, line):
        while not line.rstrip().endswith(";") and self.place < len(self.lines):
            if line.startswith("extern"):
                break
            line = self.lines[self.place]
            self.place += 1
        self.comment = []

    def take(self, line):
        """A declaration that begins at this line."""
        text = line
        while not self.is_whole(text) and self.place < len(self.lines):
            text += "\n" + self.lines[self.place]
            self.place += 1
        start = template_end(text)
        rest = re.sub(r"^\s*(?:requires .*\n)?\s*", "", text[start:])
        rest = re.sub(r"^(?:\[\[\w+\]\]\s*|MX_\w+\s+|__extension__ |constexpr\s+|inline\s+|static\s+)*", "", rest)
        if TYPE.match(rest) and not self.is_function(rest):
            self.add("type", text)
        elif rest.startswith(("using ", "typedef ")):
            self.add("alias", text)
        elif self.is_function(rest):
            self.add("function", self.signature(text))
        else:
            self.add("variable", text)

    def is_whole(self, text):
        """Whether a declaration ends here: at its `;`, or at the `}` of a function's body."""
        parens, braces = depths(text)
        last = without_comment(text.split("\n")[-1]).rstrip()
        return parens == 0 and braces == 0 and (last.endswith(";") or last.endswith("}"))

    @staticmethod
    def is_function(rest):
        """A parenthesis before any `=` or `{`."""
        ends = [rest.find(mark) for mark in ("=", "{", ";") if mark in rest]
        opening = rest.find("(")
        name = re.match(r"[^({;]*\boperator\W+\(", rest)
        return bool(name) or (0 <= opening and opening < min(ends, default=len(rest)))

    @staticmethod
    def signature(text):
        """Up to the body."""
        depth = 0
        for k, letter in enumerate(text):
            depth += (letter in "([") - (letter in ")]")
            if depth == 0 and letter == "{":
                return text[:k].rstrip()
            if depth == 0 and letter == ":" and text[k:k + 2] == ": " and text[k - 1] == ")":
                return text[:k].rstrip()
        return text.rstrip().rstrip(";")

    def add(self, kind, text):
        """A definition of what was declared with its comment above adds nothing."""
        bare = re.sub(r"\[\[\w+\]\]\s*", "", text)
        if not self.comment and bare in self.seen:
            return
        self.seen.add(bare)
        self.declarations.append(declaration(kind, text, self.comment, "::".join(self.namespace)))
        self.comment = []

    def purpose(self):
        """The lines of comment behind the license: "path: purpose" and what follows."""
        lines = []
        for line in self.lines[1:]:
            if not line.startswith("//"):
                break
            lines.append(line[2:].removeprefix(" "))
        if lines:
            lines[0] = lines[0].partition(": ")[2]
        return lines


class pages:
    """reStructuredText of headers, for one domain."""

    def __init__(self, domain):
        self.domain = domain

    def of(self, one, title):
        out = []
        out += [title, "^" * len(title), ""] + self.head(one.purpose())
        namespace = None
        for entry in one.declarations:
            if self.domain == "cpp" and entry.namespace != namespace:
                namespace = entry.namespace
                out += [f".. cpp:namespace:: {namespace or 'NULL'}", ""]
            out += self.object(entry)
        return out

    def head(self, lines):
        """The purpose as prose; a grammar or a map below it stays as it is written."""
        gap = lines.index("") if "" in lines else len(lines)
        first, more = lines[:gap], lines[gap:]
        out = []
        paragraph = " ".join(first)
        source = re.search(r"(?<=[.)]) (Sources?: .*)", paragraph)
        if source:
            paragraph = paragraph[:source.start()]
        out += [inline(paragraph[:1].upper() + paragraph[1:]), ""]
        if source:
            out += [inline(source[1]), ""]
        if any(line.strip() for line in more):
            out += [".. code-block:: text", ""] + ["   " + line for line in more] + [""]
        return out

    def object(self, entry):
        if entry.kind == "namespace":
            return [f".. rubric:: namespace {entry.text}", ""] + as_rst(entry.comment)
        indent = [("   " + line).rstrip() for line in as_rst(entry.comment)]
        text = MACROS.sub("", entry.text)
        if entry.kind == "type":
            return self.type(entry, text, indent)
        flat = " ".join(without_comment(line).strip() for line in text.split("\n")).rstrip(";")
        if entry.kind == "function":
            flat = re.sub(r"^(template <.*?> )?((?:\[\[\w+\]\] )*)", r"\1", flat)
            return [f".. {self.domain}:function:: {flat}", ""] + indent + [""]
        if entry.kind == "macro":
            return [f".. c:macro:: {flat}", ""] + indent + [""]
        if entry.kind == "alias":
            return self.alias(flat, indent)
        return self.variable(flat, text, indent)

    def type(self, entry, text, indent):
        start = template_end(text)
        kind = TYPE.search(text, start)[1]
        name = re.search(rf"\b{kind}(?: class)?(?: alignas\(\w+\))? (\w+)", text[start:])
        body = [".. code-block:: " + ("c" if self.domain == "c" else "cpp"), ""]
        body += ["   " + line for line in text.split("\n")]
        body = [("   " + line).rstrip() for line in body] + [""]
        if name is None:  # enum { ... }: names of numbers
            return [".. container:: numbers", ""] + indent + body
        prefix = " ".join(text[:start].split())
        scoped = "enum-class" if re.search(r"\benum class\b", text[start:]) else kind
        role = kind if self.domain == "c" and kind != "class" else scoped
        return [f".. {self.domain}:{role}:: {prefix} {name[1]}".replace("::  ", ":: "), ""] + indent + body

    def alias(self, flat, indent):
        if flat.startswith("typedef"):
            return [f".. c:type:: {flat.removeprefix('typedef ')}", ""] + indent + [""]
        flat = flat.replace("using ", "", 1)
        return [f".. cpp:type:: {flat}", ""] + indent + [""]

    def variable(self, flat, text, indent):
        """Its initializer, where it is long, below it."""
        flat = re.sub(r"^(?:\[\[\w+\]\] )+", "", flat)
        head = re.split(r"\s*(?:=|\{)", flat, maxsplit=1)[0]
        head = re.sub(r"^(?:extern )", "", head)
        out = [f".. {self.domain}:var:: {head}", ""] + indent
        if len(text) > len(head) + 1:
            lines = text.split("\n")
            if len(lines) > 24:
                lines = lines[:20] + ["  // ..."]
            out += ["   .. code-block:: cpp", ""] + ["      " + line for line in lines]
        return out + [""]
