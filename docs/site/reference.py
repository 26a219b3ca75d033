# SPDX-License-Identifier: Apache-2.0
# docs/site/reference.py: an extension of Sphinx: the directive `headers`, and docstrings with aligned words.

import os

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

from aligned_words import as_rst
from headers import header, pages


class headers_directive(SphinxDirective):
    """A section for each header: `.. headers:: FOLDER or FILE...`, as paths from the project's folder.

    domain  cpp or c
    below   the folder that compilers search: paths are shown from it
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"domain": directives.unchanged, "below": directives.unchanged_required}

    def run(self):
        root = str(self.env.srcdir)
        shown = pages(self.options.get("domain", "cpp"))
        lines = []
        for name in self.names(root):
            self.env.note_dependency(os.path.join(root, name))
            lines += shown.of(header(root, name), name.removeprefix(self.options.get("below", "")))
        found = nodes.Element()
        nested_parse_with_titles(self.state, StringList(lines, self.arguments[0]), found)
        return found.children

    def names(self, root):
        for word in self.arguments[0].split():
            if not os.path.isdir(os.path.join(root, word)):
                yield word
                continue
            for name in sorted(os.listdir(os.path.join(root, word))):
                if name.endswith(".h") and not name.endswith("-inl.h"):
                    yield os.path.join(word, name)


def converted_docstring(_app, _what, _name, _object, _options, lines):
    lines[:] = as_rst(lines)


def setup(app):
    app.add_directive("headers", headers_directive)
    app.connect("autodoc-process-docstring", converted_docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
