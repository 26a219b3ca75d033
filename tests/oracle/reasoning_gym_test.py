# SPDX-License-Identifier: Apache-2.0
# tests/oracle/reasoning_gym_test.py: the scores of answers to listed problems equal those of
# reasoning-gym's score_answer, bit for bit: 1,000 right and 1,000 wrong answers of each task.
# MX_ORACLE_ANSWERS is the program oracle_answers.

import contextlib
import importlib.metadata
import importlib.util
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

from prompts_module import prompts

try:
    import reasoning_gym
except ImportError as error:
    print(f"SKIPPED: {os.path.basename(sys.argv[0])}, because Python has no reasoning_gym "
          f"(./bootstrap --oracles-rl installs it): {error}")
    sys.exit(77)  # ctest's exit status for "did not run"

VOCABULARY = [chr(code) for code in range(32, 127)] + ["\t", "\n"]
END = len(VOCABULARY)
COUNT = 1000
DECIMAL = {"compare": "decimal", "remove": ",", "contained": "length_share"}
TEXT = {"compare": "text", "contained": "length_share"}
# Task: its rule. gcd and lcm compare texts, as reasoning-gym's tasks without a rule of their own.
FIRST = {"compare": "first_number", "other_number": 0.01}
TASKS = {"chain_sum": DECIMAL, "products": DECIMAL, "gcd": TEXT, "lcm": TEXT, "gsm_symbolic": FIRST}


def tokens(text):
    return [VOCABULARY.index(character) for character in text]


def with_commas(digits):
    sign = digits[:-len(digits.lstrip("+-"))] if digits[0] in "+-" else ""
    size = digits.lstrip("+-")
    return sign + f"{float(size) if '.' in size else int(size):,}"


def right_forms(answer):
    """Spellings of the same integer, which a comparison of numbers accepts."""
    sign, size = ("-", answer[1:]) if answer.startswith("-") else ("", answer)
    return [answer, sign + "00" + size, ("-" if sign else "+") + size, answer + ".0",
            answer + ".000", answer + ".", with_commas(answer), f" {answer}\n", f"{answer}e0",
            f"{sign}{size}00E-2", f"{sign}{'_'.join(size)}", f"\t{with_commas(answer)}.00 "]


def wrong_forms(answer, chance):
    """Other numbers, no numbers, and texts with the answer inside."""
    other = str(int(float(answer)) + chance.choice([-1000, -10, -1, 1, 2, 10, 99]))
    return [other, answer + "1", answer + ".5", answer[:-1], answer[::-1] + "7", "-" + answer,
            f"The answer is {answer}.", f"{answer} apples", f"= {answer}", f"({answer})", "", " ",
            "nan", "Infinity", "-inf", "no idea", f"{answer}e1", f"{answer}e", f"{answer}..0",
            f"0x{int(float(answer)) & 255:x}", f"+ {answer}", f"{answer} {answer}", f"--{answer}",
            f"{answer}e9999999999999999999", "1,2,3", ",", f"{answer},{answer}", f"{answer}/1",
            f"{answer}e-1", "_", f"{answer}\n\n{other}", f"x{answer}", f"x-{answer}",
            f"{other} or {answer}", f"{answer}_{answer}", f"${answer}.", f"no {answer}x, {answer}.5x"]


class reasoning_gym_test(unittest.TestCase):
    def scores(self, rule, entries, answers):
        header = {"end": END, "text": VOCABULARY, "verify": rule}
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.write(json.dumps(header) + "\n")
            for i, entry in enumerate(entries):
                # The prompt of a problem is a number of its own: questions may be equal.
                file.write(json.dumps({"prompt": tokens(f"{i} {entry['question'][-40:]}"),
                                       "answer": entry["answer"]}) + "\n")
            file.flush()
            lines = [f"{i} {' '.join(map(str, tokens(text) + [END]))}" for i, text in answers]
            done = subprocess.run([os.environ["MX_ORACLE_ANSWERS"], file.name],
                                  input="\n".join(lines) + "\n", capture_output=True,
                                  encoding="utf-8", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [float(line) for line in done.stdout.splitlines()]

    def check(self, task, rule):
        data = reasoning_gym.create_dataset(task, size=COUNT, seed=20)
        entries = [data[i] for i in range(COUNT)]
        chance = random.Random(20)
        if task == "chain_sum":  # the answers of a thousand and more have commas
            entries[0]["answer"] = "1234567"
        answers = [(i, chance.choice(right_forms(entries[i]["answer"]))) for i in range(COUNT)]
        answers += [(i, chance.choice(wrong_forms(entries[i]["answer"], chance)))
                    for i in range(COUNT)]
        found = self.scores(rule, entries, answers)
        expected = [data.score_answer(text, entries[i]) for i, text in answers]
        for (i, text), own, theirs in zip(answers, found, expected):
            self.assertEqual(own, theirs, f"{task}: {text!r} for {entries[i]['answer']!r}")
        self.assertEqual(len(found), 2 * COUNT)
        full, shares = expected.count(1.0), sum(0 < score < 1 for score in expected)
        print(f"{task}: {2 * COUNT} answers, {full} right, {shares} with a share, "
              f"{2 * COUNT - full - shares} wrong: all equal (reasoning-gym "
              f"{importlib.metadata.version('reasoning-gym')})")
        return full, shares

    def test_scores_are_those_of_reasoning_gym(self):
        for task, rule in TASKS.items():
            with self.subTest(task=task):
                full, shares = self.check(task, rule)
                self.assertGreater(full, COUNT // 20)
                self.assertGreater(shares, COUNT // 20)
                if rule is DECIMAL:
                    self.assertGreaterEqual(full, COUNT)


@unittest.skipUnless(importlib.util.find_spec("tokenizers"),
                     "Python has no tokenizers (./bootstrap --oracles-models)")
class prompts_test(unittest.TestCase):
    def setUp(self):
        import tokenizers
        alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
        tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(
            {letter: i for i, letter in enumerate(alphabet)}, []))
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = tokenizers.decoders.ByteLevel()
        tokenizer.add_special_tokens(["<end>"])
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.of = tokenizer
        self.path = os.path.join(self.folder.name, "tokenizer.json")
        self.output = os.path.join(self.folder.name, "problems.jsonl")
        tokenizer.save(self.path)

    def write(self, *words, end="<end>"):
        with contextlib.redirect_stdout(io.StringIO()):
            prompts().main(["chain_sum", self.path, "-o", self.output, "--end", end, "--count", "40",
                            *words])

    def test_a_task_has_the_given_parameters_and_template(self):
        self.write("--parameter", "min_terms=3", "--parameter", "max_terms=3", "--parameter",
                   "max_digits=1", "--template", "<end>Q: {prompt}\\nA:")
        with open(self.output, encoding="utf-8") as file:
            head, *problems = map(json.loads, file)
        self.assertGreater(len(problems), 20)
        for problem in problems:
            self.assertEqual(problem["prompt"][0], head["end"])  # a token of control is one token
            text = self.of.decode(problem["prompt"][1:])
            self.assertRegex(text, r"^Q: .*: -?\d( [+-] \d){2} =?.*\nA:$")
            sums = text.split(":")[2].split("=")[0].split(".")[0]
            self.assertEqual(str(eval(sums)), problem["answer"], text)

    def test_the_end_is_a_token_by_its_name_or_by_its_text(self):
        for end, ids in (("<end>", [self.of.token_to_id("<end>")]), ("\\n", self.of.encode("\n").ids)):
            self.write(end=end)
            with open(self.output, encoding="utf-8") as file:
                self.assertEqual([json.loads(file.readline())["end"]], ids)
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as error:
            self.write(end="end of line")
        self.assertIn("has no token 'end of line'", error.getvalue())

    def test_what_a_task_does_not_take_is_refused(self):
        for words, message in ((["--parameter", "max_trms=3"], "max_trms"),
                               (["--parameter", "max_terms=0"], "chain_sum of reasoning-gym"),
                               (["--template", "prompt"], "expected {prompt} in it, once"),
                               (["--parameter", "max_terms"], "expected NAME=NUMBER")):
            with self.subTest(words=words), self.assertRaises(SystemExit) as caught:
                with contextlib.redirect_stderr(io.StringIO()) as error:
                    self.write(*words)
            self.assertIn(message, error.getvalue())
            self.assertEqual(caught.exception.code, 2)
            self.assertFalse(os.path.exists(self.output))


if __name__ == "__main__":
    unittest.main()
