# SPDX-License-Identifier: Apache-2.0
# tests/e2e/browser_case.py: a written page in a browser without a window.

import html
import json
import re
import shutil
import subprocess

from command_case import command_case

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
# Before the page: counts errors. Behind it: a reader's script, and what that found.
WATCH = "<script>window.faults=[];window.onerror=(text)=>faults.push(text);</script>"
USE = """<script>
const opened = performance.now(), found = {};
(() => {%s})();
const told = document.createElement('pre');
told.id = 'found';
const lost = [...document.querySelectorAll('nav a')].map(link => link.getAttribute('href')).filter(
    href => !document.querySelector(href));
told.textContent = JSON.stringify({...found, faults: window.faults, lost});
document.body.append(told);
</script>"""


class browser_case(command_case):
    def setUp(self):
        super().setUp()
        if BROWSER is None:
            self.skipTest("SKIPPED: pages in a browser, because none is installed "
                          "(./bootstrap --pages)")

    def opened(self, page_file, use, *options):
        """What a script that uses the page found; neither has faults, and links lead somewhere.

        use: JavaScript, which sets members of `found`; `opened` is the time at which it began, ms
        """
        with open(page_file, encoding="utf-8") as file:
            page = file.read()
        self.assertEqual(re.findall(r'(?:src|href)="(?!#)[^"]*"', page), [], "loads something")
        page = page.replace("<head>", "<head>" + WATCH).replace("</body>", USE % use + "</body>")
        with open(self.path("used.html"), "w", encoding="utf-8") as file:
            file.write(page)
        done = subprocess.run(
            [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
             f"--user-data-dir={self.path('profile')}", *options,
             "file://" + self.path("used.html")],
            capture_output=True, encoding="utf-8", timeout=120, check=False)
        told = re.search(r'<pre id="found">(.*?)</pre>', done.stdout, re.DOTALL)
        self.assertIsNotNone(told, done.stderr)
        found = json.loads(html.unescape(told[1]))
        self.assertEqual(found["faults"], [])
        self.assertEqual(found["lost"], [], "links to sections that the page does not have")
        return found
