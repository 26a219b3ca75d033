# SPDX-License-Identifier: Apache-2.0
# tests/docs/links_test.py: every relative link of the project's pages leads to a file, and to a section
# of it, on a code forge as well as on the site; every page of docs is in the site's contents.

import os
import re
import subprocess
import unittest

SOURCES = os.environ.get("MX_SOURCE_DIR", os.getcwd())
FENCE = re.compile(r"^(```+)[^\n]*\n.*?^\1$\n?", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")


def pages():
    """Markdown files that git does not ignore; all of them where there is no git."""
    try:
        listed = subprocess.run(["git", "-C", SOURCES, "ls-files", "-z", "--cached", "--others",
                                 "--exclude-standard", "*.md"], capture_output=True, check=True)
        names = os.fsdecode(listed.stdout).split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [os.path.relpath(os.path.join(folder, name), SOURCES)
                 for folder, _, files in os.walk(SOURCES) for name in files if name.endswith(".md")]
        names = [name for name in names if not name.startswith(("build/", "out/"))]
    return sorted(name for name in set(names) if name and os.path.exists(os.path.join(SOURCES, name)))


def text_of(name):
    with open(os.path.join(SOURCES, name), encoding="utf-8") as file:
        return file.read()


def anchors_of(name):
    """Of headings, as code forges and MyST make them."""
    found = set()
    for heading in re.findall(r"^#{1,6} +(.+?)\s*$", FENCE.sub("", text_of(name)), re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = 0
        while (anchor if count == 0 else f"{anchor}-{count}") in found:
            count += 1
        found.add(anchor if count == 0 else f"{anchor}-{count}")
    return found


class links_test(unittest.TestCase):
    def links(self):
        for name in pages():
            for link in LINK.findall(FENCE.sub("", text_of(name))):
                if not re.match(r"[a-z]+:", link):
                    yield name, link

    def test_links_lead_to_files_and_sections(self):
        count = 0
        for name, link in self.links():
            path, _, section = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            self.assertTrue(os.path.exists(os.path.join(SOURCES, target)), f"{name}: {link}")
            self.assertFalse(target.startswith(".."), f"{name}: {link} leaves the project")
            if section and target.endswith(".md"):
                self.assertIn(section, anchors_of(target), f"{name}: {link}")
            count += 1
        self.assertGreater(count, 100)

    def test_pages_name_no_machine_and_no_registry(self):
        for name in pages():
            self.assertNotRegex(text_of(name), r"(?<![\w./])/(?:work|root|home/\w+)/", name)
            self.assertNotRegex(text_of(name), r"https?://(?:pypi|files\.pythonhosted|deb\.debian)", name)

    def test_every_page_of_docs_is_in_the_contents(self):
        reached, queue = set(), ["docs/index.md"]
        while queue:
            name = queue.pop()
            if name in reached:
                continue
            reached.add(name)
            for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", text_of(name), re.MULTILINE | re.DOTALL):
                for entry in re.findall(r"^(?!:)(?:.*<)?([\w./-]+)>?$", tree, re.MULTILINE):
                    queue.append(os.path.normpath(os.path.join(os.path.dirname(name), entry + ".md")))
        self.assertEqual({name for name in pages() if name.startswith("docs/")} - reached, set())

    def test_the_readme_is_a_screen(self):
        text = text_of("README.md")
        self.assertLessEqual(text.count("\n"), 70)
        self.assertEqual(len(re.findall(r"^!\[", text, re.MULTILINE)), 1)


if __name__ == "__main__":
    unittest.main()
