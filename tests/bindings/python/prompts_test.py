# SPDX-License-Identifier: Apache-2.0
# tests/bindings/python/prompts_test.py: mxprism.prompts: lines of files, and refusals that name what is
# wrong. Tasks of reasoning-gym: tests/oracle/reasoning_gym_test.py.

import contextlib
import importlib.util
import io
import json
import os
import tempfile
import types
import unittest
import unittest.mock

from package_case import packages

packages("numpy")  # of the package itself
from mxprism import prompts


class letters:
    """A tokenizer of a token a letter."""

    vocabulary, end = 300, 0

    def ids(self, text):
        return [ord(letter) % 256 for letter in text]


class prompts_test(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def test_a_line_ends_at_a_line_break_alone(self):
        inside = "a\u2028b\u2029c\u0085d"
        entry = json.dumps({"question": inside, "answer": "#### 2"}, ensure_ascii=False)
        path = self.write("g.jsonl", f"{entry}\r\n\n"
                                     '{"question": "q", "answer": "so\\n#### 1,000"}\n')
        problems, _rule = prompts._gsm8k_of_files([path, path])
        self.assertEqual([problem["answer"] for problem in problems], ["2", "1000"] * 2)
        self.assertEqual(problems[0]["prompt"], inside)

    def test_what_is_no_problem_is_named_with_its_file_and_line(self):
        good = self.write("good.jsonl", '{"question": "q", "answer": "#### 1"}\n')
        for line, sentence in (("{bad", "Expecting property name"), ("[1]", "expected a JSON object"),
                               ('{"question": "q"}', "expected a question, and an answer"),
                               ('{"question": "q", "answer": 5}', "expected a question, and an answer"),
                               ('{"question": 5, "answer": "#### 5"}', "expected a question, and an")):
            path = self.write("bad.jsonl", f"\n{line}\n")
            with self.subTest(line), self.assertRaisesRegex(
                    ValueError, f"^{path}: line 2: {sentence}"):
                prompts._gsm8k_of_files([good, path])
        with open(path, "wb") as file:
            file.write(b"\xff")
        with self.assertRaisesRegex(ValueError, f"^{path}: is no text in UTF-8: "):
            prompts._gsm8k_of_files([path])

    def test_texts_are_cut_into_pieces_that_predict_a_token(self):
        path = os.path.join(self.folder, "texts.jsonl")
        self.assertEqual(prompts.write_texts(letters(), ["abcde"], path, 2), 2)
        self.assertEqual(prompts.write_texts(letters(), ["abcde"], path), 1)
        for length in (1, 0, -3):
            with self.assertRaisesRegex(ValueError, f"the length is {length}; expected 2 tokens or "):
                prompts.write_texts(letters(), ["abcde"], path, length)

    def test_a_package_that_is_missing_is_named_with_how_to_install_it(self):
        path = self.write("model.gguf", "GGUF")
        for name, call in (("tokenizers", lambda: prompts._of_json(path)),
                           ("gguf", lambda: prompts._of_gguf(path)),
                           ("reasoning-gym", lambda: prompts.reasoning_gym_problems("gcd", 1))):
            missing = unittest.mock.patch.dict("sys.modules", {name.replace("-", "_"): None})
            with missing, self.subTest(name), self.assertRaisesRegex(
                    ImportError, f"needs the package {name}: pip install {name}$"):
                call()

    def need_tokenizers(self):
        if importlib.util.find_spec("tokenizers") is None:
            print("SKIPPED: files of tokenizers in prompts_test.py, because Python has no tokenizers "
                  "(./bootstrap --oracles-models installs it)")
            self.skipTest("tokenizers is missing")

    def test_texts_are_spelled_in_the_letters_of_their_bytes(self):
        self.assertEqual(prompts._in_alphabet("a \n\u00e9"), "a\u0120\u010a\u00c3\u00a9")
        self.assertEqual(len(set(prompts.BYTE_LETTERS)), 256)

    def with_gaps(self, end=None):
        """A tokenizer of four ids, of which the tokens have three."""
        class library:
            def get_vocab(self, with_added_tokens):
                return {"a": 0, "b": 1, "<end>": 3}

            def get_vocab_size(self, with_added_tokens):
                return 3

            def get_added_tokens_decoder(self):
                return {3: types.SimpleNamespace(special=True, content="<end>")}

            def encode(self, text, add_special_tokens):
                return types.SimpleNamespace(ids=["ab.!".index(letter) for letter in text])
        with unittest.mock.patch.object(prompts, "_of_json", return_value=library()):
            return prompts.Tokenizer(self.write("tokenizer.json", "{}"), end)

    def test_ids_without_a_token_are_of_the_vocabulary(self):
        tokenizer = self.with_gaps(end=3)
        self.assertEqual((tokenizer.vocabulary, tokenizer.token_texts()), (4, ["a", "b", "", ""]))
        path = os.path.join(self.folder, "out.jsonl")
        problem = {"prompt": "ab", "answer": "b"}
        prompts.write_problems(tokenizer, [problem], path, {"compare": "text"})
        with open(path, encoding="utf-8") as file:
            head = json.loads(file.readline())
        self.assertEqual((head["vocabulary"], head["text"]), (4, ["a", "b", "", ""]))
        prompts.write_texts(tokenizer, ["a!"], path)
        with open(path, encoding="utf-8") as file:
            head, line = (json.loads(text) for text in file)
        self.assertLess(max(line["tokens"]), head["vocabulary"])

    def test_the_id_of_the_end_is_a_tokens(self):
        for end, error in ((4, ValueError), (-1, ValueError), (10**9, ValueError),
                           (1.5, TypeError)):
            with self.assertRaisesRegex(error, f"`end` is {end}; expected a token's text, or its "
                                               "id, from 0 to 3"):
                self.with_gaps(end)
        self.assertEqual(self.with_gaps(3).end, 3)

    def saved_tokenizer(self):
        """Of single bytes, with a token that was added, and what its training left."""
        import tokenizers
        made = tokenizers.Tokenizer(tokenizers.models.BPE(
            {letter: i for i, letter in enumerate(prompts.BYTE_LETTERS)}, []))
        made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.add_tokens([tokenizers.AddedToken("<\uff5cUser\uff5c>", special=False)])
        made.add_special_tokens(["<end>"])
        made.enable_truncation(max_length=3)
        made.enable_padding(length=20, pad_id=0, pad_token=prompts.BYTE_LETTERS[0])
        path = os.path.join(self.folder, "tokenizer.json")
        made.save(path)
        return path

    def test_what_a_training_left_in_a_tokenizer_changes_no_text(self):
        self.need_tokenizers()
        path = self.saved_tokenizer()
        self.assertEqual(len(prompts.Tokenizer(path).ids("a longer text")), 13)
        texts = prompts.Tokenizer(path).token_texts()
        self.assertEqual(texts[256], prompts._in_alphabet("<\uff5cUser\uff5c>"))
        self.assertEqual(texts[257], "")

    def test_texts_need_no_token_that_ends_a_response(self):
        self.need_tokenizers()
        self.saved_tokenizer()
        self.write("tokenizer_config.json", '{"eos_token": "</s>"}')
        tokenizer = prompts.Tokenizer(self.folder)
        self.assertEqual(prompts.write_texts(tokenizer, ["ab"], os.path.join(self.folder, "t.jsonl")), 1)
        with self.assertRaisesRegex(ValueError, "has no token '</s>'"):
            tokenizer.end
        with self.assertRaisesRegex(ValueError, "has no token '</x>'"):
            prompts.Tokenizer(self.folder, "</x>")
        self.assertEqual(prompts.Tokenizer(self.folder, "<end>").end, 257)

    def test_what_is_no_tokenizer_is_refused_by_its_name(self):
        self.need_tokenizers()
        text = self.write("text.txt", "a text")
        for content in ("", "{}", "[1]"):
            path = self.write("tokenizer.json", content)
            with self.subTest(content), self.assertRaises(SystemExit) as caught:
                with contextlib.redirect_stderr(io.StringIO()) as error:
                    prompts.main(["texts", path, text, "-o", os.path.join(self.folder, "out.jsonl")])
            self.assertIn(f"error: {path}: is no tokenizer.json: ", error.getvalue())
            self.assertEqual(caught.exception.code, 2)  # as of the command
        for content, sentence in (("{", "Expecting"), ("[]", "expected a JSON object")):
            path = self.write("tokenizer_config.json", content)
            with self.assertRaisesRegex(ValueError, f"^{path}: {sentence}"):
                prompts.Tokenizer(self.folder)


if __name__ == "__main__":
    unittest.main()
