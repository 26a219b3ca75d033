# SPDX-License-Identifier: Apache-2.0
# tests/e2e/page_test.py: pages of a training run and of verdicts in a browser: tables sort and filter,
# labels turn lines off, figures and tables are saved with their numbers.

import csv
import io
import json
import math
import random

import tensor_files
from browser_case import browser_case
from command_case import main
from tiny_study import STUDY

USE = """
const text = cell => cell.textContent;
found.tables = [...document.querySelectorAll('main .scroll > table')].filter(
    table => !table.closest('.card')).map(table => {
  const heads = [...table.tHead.rows[0].cells];
  const texts = column => [...table.tBodies[0].rows].map(row => text(row.cells[column]));
  const before = texts(heads.length - 1);
  heads[heads.length - 1].querySelector('button').click();
  const rising = texts(heads.length - 1);
  heads[heads.length - 1].querySelector('button').click();
  return {before, rising, falling: texts(heads.length - 1),
          order: heads[heads.length - 1].getAttribute('aria-sort')};
});
const saved = {};
const texts = new Map();
const RealBlob = Blob;
window.Blob = function (parts, kind) {
  const made = new RealBlob(parts, kind);
  texts.set(made, parts.join(''));
  return made;
};
let blob = null;
URL.createObjectURL = made => { blob = made; return 'blob:' };
HTMLAnchorElement.prototype.click = function () { saved[this.download] = blob; };
document.querySelectorAll('.tools button').forEach(button => button.click());
found.names = Object.keys(saved);
const svg = [...document.querySelectorAll('main svg')].find(
    one => one.querySelectorAll('path[data-xy]').length > 1);
const label = svg.querySelector('text[role=button]');
const style = label.getAttribute('class').match(/t(\\d)/)[1];
const off = () => [...svg.querySelectorAll('path')].filter(
    path => path.classList.contains('off')).map(path => path.getAttribute('class'));
label.dispatchEvent(new MouseEvent('click', {bubbles: true}));
found.style = style;
found.off = off();
label.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
found.on = off();
found.curves = [...svg.querySelectorAll('path[data-xy]')].map(path => path.dataset.xy);
found.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
const number = [...document.querySelectorAll('main svg')].indexOf(svg) + 1;
found.csv = texts.get(saved[`figure-${number}.csv`]);
"""


def number(text):
    """As the page sorts: a number before words, and nothing last."""
    try:
        value = float(text.split()[0].replace("\u2212", "-").replace(",", ""))
    except (ValueError, IndexError):
        return None
    return None if math.isnan(value) else value


class page_test(browser_case):
    def test_a_run_is_read(self):
        self.write_text("s.toml", STUDY)
        self.run_command("train", "s.toml", "-o", "run", timeout=120)
        found = self.opened(self.path("run", "report.html"), USE)
        self.assertGreater(len(found["tables"]), 2)
        for table in found["tables"]:
            self.assertEqual(sorted(table["rising"]), sorted(table["before"]))
            self.assertEqual(table["order"], "descending")
            rising = [number(t) for t in table["rising"]]
            if None not in rising:
                self.assertEqual(rising, sorted(rising))
                self.assertEqual([number(t) for t in table["falling"]], rising[::-1])
        self.assertTrue({"figure-1.svg", "figure-1.csv", "table-1.csv"} <= set(found["names"]))
        self.assertTrue(found["off"])
        for classes in found["off"]:
            self.assertRegex(classes, f"[cf]{found['style']}")
        self.assertEqual(found["on"], [])
        rows = list(csv.reader(io.StringIO(found["csv"])))
        self.assertEqual(rows[0], ["line", "x", "y"])
        shown = [pair for curve in found["curves"] for pair in curve.split(";")]
        self.assertEqual([" ".join(row[1:]) for row in rows[1:]], shown)

    def test_a_narrow_screen_is_not_left(self):
        self.write_text("s.toml", STUDY)
        self.run_command("train", "s.toml", "-o", "run", timeout=120)
        narrow = self.opened(self.path("run", "report.html"), USE, "--window-size=500,900")
        self.assertLessEqual(narrow["wide"], 0, "wider than the screen")

    def test_figures_over_seeds_are_sorted_by_their_means(self):
        arms = "".join(f"""[formats.{name}]
recipe = "{name}"
[[arm]]
name = "{name}"
format = "{name}"
training = "none"
""" for name in ("mxfp8-e4m3", "mxfp6-e2m3", "nvfp4"))
        self.write_text("s.toml", STUDY + arms)
        for seed in ("1", "2"):
            self.run_command("train", "s.toml", "-o", "seed-" + seed, "--seed", seed, timeout=120)
        self.run_command("report", "seed-1", "seed-2", "-o", ".")
        found = self.opened(self.path("report.html"), """
const head = [...document.querySelectorAll('th')].find(
    cell => cell.textContent.startsWith('KL to FP32'));
head.querySelector('button').click();
found.rising = [...head.closest('table').tBodies[0].rows].map(
    row => row.cells[head.cellIndex].textContent);
""")
        means = [number(text) for text in found["rising"]]
        self.assertEqual(len(means), 5)
        self.assertTrue(all("[" in text for text in found["rising"]), found["rising"])
        self.assertEqual(means, sorted(means))


class verify_page_test(browser_case):
    READ = """
found.title = document.querySelector('h1').textContent;
found.text = [...document.querySelectorAll('section p:not(.tools)')].map(p => p.textContent);
found.rows = [...document.querySelectorAll('table')].map(table => [...table.rows].map(
    row => [...row.cells].map(cell => cell.textContent)));
found.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
"""

    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        for name, shape in (("x", [4, 64]), ("y", [64, 4])):
            tensor_files.write_safetensors(self.path(f"{name}.safetensors"), {
                name: tensor_files.floats(shape, [draw.gauss(0, 1) * 2.0 ** draw.randint(-20, 20)
                                                  for _ in range(256)])})

    def verified(self, *words, status):
        done = self.run_command("verify", *words, "--report", "v.html", "--json", status=status)
        found = self.opened(self.path("v.html"), self.READ)
        self.assertLessEqual(found["wide"], 0)
        return json.loads(done.stdout), found

    def test_codes_and_scales(self):
        self.run_command("quantize", "x.safetensors", "-o", "k.safetensors", "--scale-rule", "rceil")
        rules = ("k.safetensors", "--input", "x.safetensors")
        told, found = self.verified(*rules, "--scale-rule", "rceil", status=0)
        self.assertEqual(found["title"], "Verdict: exact")
        self.assertEqual(len(found["rows"]), 1)
        told, found = self.verified(*rules, status=1)
        self.assertEqual(found["title"], "Verdict: explained")
        self.assertIn("scale_rule: expected floor, found rceil", " ".join(found["text"]))
        tensors, block = found["rows"]
        self.assertEqual(tensors[1][:5], ["x", "256"] + [
            str(told["tensors"][0][key]) for key in ("mismatches", "codes", "scales")])
        self.assertEqual([row[1].split()[0] for row in block[1:]], told["first"]["block_bits"])

    def test_a_product(self):
        form = ("--format", "mxfp8-e4m3")
        self.run_command("gemm", "x.safetensors", "y.safetensors", "--model", "exact.rne", *form,
                         "-o", "d.safetensors")
        told, found = self.verified("d.safetensors", "--gemm", "x.safetensors", "y.safetensors",
                                    "--model", "fp32.sequential", *form, status=1)
        self.assertEqual(found["title"], "Verdict: " + told["verdict"])
        self.assertTrue(told["consistent_models"] and told["excluded"])
        models = {row[0]: row[2] for row in found["rows"][0][1:]}
        self.assertEqual([name for name, what in models.items() if what == "consistent"],
                         told["consistent_models"])
        self.assertEqual([name for name, what in models.items() if what == "excluded"],
                         [one["model"] for one in told["excluded"]])


if __name__ == "__main__":
    main()
