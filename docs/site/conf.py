# SPDX-License-Identifier: Apache-2.0
# docs/site/conf.py: the site of the documentation, built by docs/site/build.
"""The sources are the Markdown files where they lie, so that links between them hold on a code forge
and on the site; the folder of the sources is the project."""

import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "golden", "bindings", "python")]

with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
    release = re.search(r"project\(mxprism VERSION ([\d.]+)", file.read())[1]
project = "mxprism"
html_title = f"mxprism {release}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "reference"]
root_doc = "docs/index"
include_patterns = ["docs/*.md", "docs/api/*.md", "docs/results/*.md", "CONTRIBUTING.md", "CHANGELOG.md",
                    "emulator/*.md", "golden/README.md", "golden/vectors/README.md", "kernels/README.md",
                    "rtl_models/README.md", "rtl_models/*/README.md"]
exclude_patterns = ["build", "out", ".git", "tests", "sim", "docs/site"]

myst_heading_anchors = 4
# The package is read without its library and without NumPy, whose names are types in its own.
autodoc_mock_imports = ["mxprism._mxprism", "ml_dtypes", "torch", "pytest"]


class names_of_types(types.ModuleType):
    """A module each of whose names is a type."""

    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        of = classmethod(lambda itself, _: itself)
        return type(name, (), {"__module__": self.__name__, "__class_getitem__": of})


for module in ("numpy", "numpy.typing"):
    sys.modules[module] = names_of_types(module)
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
cpp_id_attributes = ["MX_HD"]
highlight_language = "text"

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# Fonts of the reader's system; quiet colours.
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f4e79", "color-brand-content": "#1f5f99"},
    "dark_css_variables": {"color-brand-primary": "#9cc3e6", "color-brand-content": "#9cc3e6"},
}


def without_links_to_folders(app, name, source):
    """Folders are pages on a code forge only."""
    here = os.path.dirname(os.path.join(app.srcdir, name))

    def shown(link):
        is_folder = os.path.isdir(os.path.join(here, link[2]))
        return link[1] if is_folder else link[0]

    source[0] = re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)#:\s]+)\)", shown, source[0])


def setup(app):
    app.connect("source-read", without_links_to_folders)
