# SPDX-License-Identifier: Apache-2.0
# tests/e2e/sweep_page_test.py: the page of a sweep in a browser: points drawn, rows sorted and
# filtered, details under the pointer, figures saved, no error; within its size, and as quick to
# open as a page of that size can be: a plain table and plain circles take the browser as long.

import os

from browser_case import browser_case
from command_case import main

# 2,000 points.
STUDY = """
name = "page"
measures = ["components"]
[[input]]
name = "drawn"
law = "gaussian"
rows = 1
columns = 1024
[[grid]]
element = ["e2m1", "e2m3", "e3m2", "e4m3", "int8"]
block = { from = 16, to = 800, step = 16 }
scale_rule = ["floor", "ceil", "even", "rceil", "floor6", "midmax", "overflow-aware", "ideal"]
"""
USE = """
found.opened = opened;
const rows = () => [...document.querySelectorAll('.explored tbody tr')].filter(row => !row.hidden);
const column = name => [...document.querySelectorAll('.explored thead th')].findIndex(
    head => head.textContent === name);
const numbers = name => rows().map(row => parseFloat(row.cells[column(name)].textContent));
const head = document.querySelectorAll('.explored thead th button')[column('sqnr_db')];
found.marks = document.querySelectorAll('circle[data-p]').length;
head.click();
found.rising = numbers('sqnr_db');
head.click();
found.falling = numbers('sqnr_db');
const box = document.querySelector('.explored input');
box.value = 'e2m1 block<=32';
box.dispatchEvent(new Event('input'));
found.filtered = rows().map(row => row.cells[0].textContent);
found.away = document.querySelectorAll('circle.away').length;
const mark = document.querySelector('circle[data-p]');
mark.dispatchEvent(new PointerEvent('pointerover', {bubbles: true, clientX: 9, clientY: 9}));
found.details = document.querySelector('.details').textContent;
const saved = [];
HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
document.querySelectorAll('.tools button').forEach(button => button.click());
found.saved = saved;
found.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
"""
# Values that begin with the same number.
NAMES = """
name = "names"
[[input]]
name = "drawn"
law = "gaussian"
rows = 16
columns = 64
[[grid]]
element = "e2m1"
scale = "ue4m3"
block = [16, "16x16", 4]
scale_rule = ["ideal", "4over6-mse", "4over6-mae", "4over6-abs-max"]
"""
CHOSEN = """
const column = name => [...document.querySelectorAll('.explored thead th')].findIndex(
    head => head.textContent === name);
const texts = name => [...document.querySelectorAll('.explored tbody tr')].filter(
    row => !row.hidden).map(row => row.cells[column(name)].textContent);
const box = document.querySelector('.explored input');
const chosen = (words, name) => {
  box.value = words;
  box.dispatchEvent(new Event('input'));
  return texts(name);
};
"""
CHOOSE = CHOSEN + """
found.rule = chosen('scale_rule=4over6-mse', 'scale_rule');
found.others = chosen('scale_rule!=4over6-mse', 'scale_rule');
found.block = chosen('block=16.0', 'block');
found.tile = chosen('block=16x16', 'block');
found.narrow = chosen('block<=16', 'block');
box.value = '';
box.dispatchEvent(new Event('input'));
document.querySelectorAll('.explored thead th button')[column('block')].click();
found.sorted = texts('block');
"""
# A field that is no part of every recipe.
MODELS = """
name = "models"
[[input]]
name = "drawn"
law = "gaussian"
rows = 4
columns = 64
[[grid]]
format = "mxfp4"
model = ["blackwell.mxf4", "exact.rne"]
sum_fraction_bits = { values = [25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45], when = "model == blackwell.mxf4" }
"""
FIELDS = CHOSEN + """
found.model = chosen('model=exact.rne', 'model');
found.bits = chosen('model=blackwell.mxf4 sum_fraction_bits<30', 'sum_fraction_bits');
"""
# What is drawn at least: 2,000 rows of 20 cells and 2,000 circles, laid out, changed, laid out.
PLAIN = ("<!doctype html><html><head></head><body><table>"
         + ("<tr>" + "<td>1.25</td>" * 20 + "</tr>") * 2000
         + "</table><svg>" + '<circle cx="3" cy="4" r="1"/>' * 2000 + """</svg><script>
document.body.offsetHeight;
document.querySelectorAll('tr').forEach(row => row.append(document.createElement('td')));
document.body.offsetHeight;
</script></body></html>""")


class sweep_page_test(browser_case):
    def opened(self, *options):
        return super().opened(self.path("out", "report.html"), USE, *options)

    def time_over_plain(self):
        """The least of up to three ratios: other work beside the browser lengthens either."""
        with open(self.path("plain.html"), "w", encoding="utf-8") as file:
            file.write(PLAIN)
        ratios = []
        while len(ratios) < 3 and min(ratios, default=9) >= 2:
            plain = super().opened(self.path("plain.html"), "found.opened = opened;")
            ratios.append(self.opened()["opened"] / plain["opened"])
        return min(ratios)

    def test_a_page_of_2000_points_is_used(self):
        with open(self.path("s.toml"), "w", encoding="utf-8") as file:
            file.write(STUDY)
        self.assertEqual(self.run_json("sweep", "s.toml", "-o", "out")["points"], 2000)
        self.assertLess(os.path.getsize(self.path("out", "report.html")), 3_000_000)
        self.assertLess(self.time_over_plain(), 2)
        found = self.opened()
        self.assertEqual(found["marks"], 2000)
        self.assertEqual(found["rising"], sorted(found["rising"]))
        self.assertEqual(found["falling"], found["rising"][::-1])
        self.assertEqual(len(found["filtered"]), 16)  # two blocks under eight rules
        self.assertTrue(all(name.startswith("e2m1:e8m0:") or name.startswith("mxfp4")
                            for name in found["filtered"]), found["filtered"])
        self.assertEqual(found["away"], 2000 - 16)
        self.assertIn("sqnr_db", found["details"])
        self.assertIn("e2m1", found["details"])
        self.assertIn("figure-1.svg", found["saved"])
        self.assertIn("figure-1.csv", found["saved"])
        self.assertIn("table-1.csv", found["saved"])
        narrow = self.opened("--window-size=500,900")  # its least
        self.assertLessEqual(narrow["wide"], 0, "wider than the screen")

    def test_only_whole_numbers_are_compared_as_numbers(self):
        self.write_text("s.toml", NAMES)
        self.run_command("sweep", "s.toml", "-o", "out")
        found = super().opened(self.path("out", "report.html"), CHOOSE)
        self.assertEqual(found["rule"], ["4over6-mse"] * 3)
        self.assertEqual(len(found["others"]), 9)
        self.assertNotIn("4over6-mse", found["others"])
        self.assertEqual(found["block"], ["16"] * 4)
        self.assertEqual(found["tile"], ["16x16"] * 4)
        self.assertEqual(sorted(found["narrow"]), ["16"] * 4 + ["4"] * 4)
        self.assertEqual(found["sorted"], ["4"] * 4 + ["16"] * 4 + ["16x16"] * 4)

    def test_the_filter_takes_the_axes_of_the_study(self):
        self.write_text("s.toml", MODELS)
        self.run_command("sweep", "s.toml", "-o", "out")
        found = super().opened(self.path("out", "report.html"), FIELDS)
        self.assertEqual(found["model"], ["exact.rne"])
        self.assertEqual(found["bits"], ["25", "27", "29"])


if __name__ == "__main__":
    main()
