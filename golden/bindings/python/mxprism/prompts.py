# SPDX-License-Identifier: Apache-2.0
# golden/bindings/python/mxprism/prompts.py: texts and problems as token ids, for `mxprism assess` and
# `mxprism train`. Needs the package `tokenizers`; GGUF files also `gguf`, generated tasks
# `reasoning_gym`.
"""Files of token ids.

    python3 -m mxprism.prompts texts MODEL book.txt -o texts.jsonl --length 256
    python3 -m mxprism.prompts gsm8k MODEL train.jsonl -o problems.jsonl
    python3 -m mxprism.prompts chain_sum MODEL -o problems.jsonl --count 500 \\
        --parameter max_terms=2 --parameter max_digits=1 --template "Question: {prompt}\\nAnswer:"
    python3 -m mxprism.prompts gsm_symbolic MODEL -o problems.jsonl --count 500

MODEL is a tokenizer.json, a folder with one, or the GGUF file of a model. The files are those that
`mxprism assess --prompts` and `task.file` of a study read.
"""

import argparse
import importlib
import json
import os
from numbers import Integral

__all__ = ["Tokenizer", "gsm8k_problems", "main", "reasoning_gym_problems", "write_problems",
           "write_texts"]


def _imported(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.replace("_", "-")
        raise ImportError(f"mxprism.prompts needs the package {package}: pip install {package}"
                          ) from error


def _of_gguf(path):
    """The byte-level BPE tokenizer in the metadata of a GGUF file, as a tokenizers.Tokenizer."""
    fields = _imported("gguf").GGUFReader(path).fields
    for key in ("model", "tokens", "token_type", "merges"):
        if f"tokenizer.ggml.{key}" not in fields:
            raise ValueError(f"{path}: has no tokenizer.ggml.{key}; expected a byte-level BPE tokenizer")
    strings = lambda key: [bytes(fields[key].parts[i]).decode() for i in fields[key].data]
    number = lambda key: int(fields[key].parts[-1][0]) if key in fields else None
    model = strings("tokenizer.ggml.model")[0]
    if model != "gpt2":
        raise ValueError(f"{path}: its tokenizer is {model}; expected gpt2, byte-level BPE")
    before = strings("tokenizer.ggml.pre")[0] if "tokenizer.ggml.pre" in fields else "default"
    if before not in PIECES:
        raise ValueError(f"{path}: its texts are cut as `{before}` does; expected one of "
                         f"{', '.join(PIECES)}")
    tokens, kinds = strings("tokenizer.ggml.tokens"), fields["tokenizer.ggml.token_type"]
    library = _imported("tokenizers")
    merges = [tuple(merge.split(" ")) for merge in strings("tokenizer.ggml.merges")]
    result = library.Tokenizer(library.models.BPE({t: i for i, t in enumerate(tokens)}, merges))
    result.pre_tokenizer = library.pre_tokenizers.Sequence(PIECES[before](library.pre_tokenizers))
    result.decoder = library.decoders.ByteLevel()
    controls = [tokens[i] for i, at in enumerate(kinds.data) if int(kinds.parts[at][0]) == CONTROL]
    result.add_special_tokens(controls)
    return result, number("tokenizer.ggml.eos_token_id")


def _of_json(path):
    library = _imported("tokenizers")
    try:
        result = library.Tokenizer.from_file(path)
    except Exception as error:  # the library raises no narrower one
        raise ValueError(f"{path}: is no tokenizer.json: {error}") from error
    # Of a training's batches, and stored with the tokenizer.
    result.no_truncation()
    result.no_padding()
    return result


CONTROL = 3  # of GGUF's types of tokens
# How texts are cut before they are merged, by the names of llama.cpp.
PIECES = {
    "smollm": lambda cut: [cut.Digits(individual_digits=True),
                           cut.ByteLevel(add_prefix_space=False, use_regex=True)],
    "gpt-2": lambda cut: [cut.ByteLevel(add_prefix_space=False, use_regex=True)],
}


class Tokenizer:
    """A byte-level BPE tokenizer.

    end   id, name or text of the token that ends a response; of a GGUF file or a Hugging Face folder
          its own

    raises  ValueError for an `end` that is no token, TypeError for one that is neither text nor id
    """

    def __init__(self, path, end=None):
        path = os.fspath(path)
        own_end = None
        if os.path.isdir(path):
            own_end = self._end_of_folder(path)
            path = os.path.join(path, "tokenizer.json")
        if path.endswith(".gguf"):
            self._of, own_end = _of_gguf(path)
        else:
            if not os.path.exists(path):
                raise ValueError(f"{path}: is missing; expected a tokenizer.json, a folder with one, "
                                 "or a .gguf")
            self._of = _of_json(path)
        self._path, self._end = path, own_end if end is None else end
        # Refused at once; what a file says, where it is needed.
        if isinstance(end, str):
            self._token(end, path)
        elif end is not None:
            self._end = _id(end, self.vocabulary)

    @property
    def end(self):
        """Id of the token that ends a response; None without one."""
        return self._token(self._end, self._path) if isinstance(self._end, str) else self._end

    def _token(self, name, path):
        """By a token's name, or by the text that it stands for."""
        ids = [self._of.token_to_id(name)]
        if ids == [None]:
            ids = self.ids(name)
        if len(ids) != 1:
            raise ValueError(f"{path}: has no token {name!r}")
        return ids[0]

    @staticmethod
    def _end_of_folder(folder):
        file = os.path.join(folder, "tokenizer_config.json")
        if not os.path.exists(file):
            return None
        with open(file, encoding="utf-8") as text:
            end = _object(text.read(), file).get("eos_token")
        return end.get("content") if isinstance(end, dict) else end

    @property
    def vocabulary(self):
        """Number of ids, those of added tokens and those that no token has included."""
        return 1 + max(self._of.get_vocab(with_added_tokens=True).values(), default=-1)

    def ids(self, text):
        return self._of.encode(text, add_special_tokens=False).ids

    def text(self, ids):
        return self._of.decode(list(ids), skip_special_tokens=True)

    def token_texts(self):
        """Each token in the alphabet of bytes; those that stand for no text, and ids without a
        token, are empty."""
        texts = [""] * self.vocabulary
        for token, i in self._of.get_vocab(with_added_tokens=True).items():
            texts[i] = token
        for i, token in self._of.get_added_tokens_decoder().items():
            texts[i] = "" if token.special else _in_alphabet(token.content)
        return texts


def _id(end, vocabulary):
    """The token that ends a response by its number."""
    sentence = f"`end` is {end!r}; expected a token's text, or its id, from 0 to {vocabulary - 1}"
    if not isinstance(end, Integral):
        raise TypeError(sentence)
    if not 0 <= end < vocabulary:
        raise ValueError(sentence)
    return int(end)


def _byte_letters():
    """The letter of each byte: itself where it is printed, the others in order from 256 on."""
    printed = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printed else next(others)) for byte in range(256)]


BYTE_LETTERS = _byte_letters()


def _in_alphabet(text):
    """The bytes of a text as letters of byte-level BPE."""
    return "".join(BYTE_LETTERS[byte] for byte in text.encode())


def _object(text, place):
    """A JSON object."""
    try:
        made = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error
    if not isinstance(made, dict):
        raise ValueError(f"{place}: expected a JSON object")
    return made


def _write(path, lines):
    """Whole or not at all."""
    partial = f"{path}.partial"
    try:
        with open(partial, "w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(line) + "\n")
        os.replace(partial, path)
    finally:
        if os.path.exists(partial):
            os.remove(partial)


def write_texts(tokenizer, texts, path, length=None):
    """Texts for `mxprism assess --prompts`; longer ones are cut after every `length` tokens.

    length   2 or more, or None for whole texts
    Returns the number of lines. A last piece of one token, which predicts none, is left out.
    """
    if length is not None and length < 2:
        raise ValueError(f"the length is {length}; expected 2 tokens or more, since one predicts none")
    lines = [{"vocabulary": tokenizer.vocabulary}]
    for text in texts:
        ids = tokenizer.ids(text)
        step = length or max(1, len(ids))
        lines += [{"tokens": ids[i:i + step]} for i in range(0, len(ids), step)
                  if len(ids[i:i + step]) > 1]
    if len(lines) == 1:
        raise ValueError("no text has two tokens")
    _write(path, lines)
    return len(lines) - 1


def write_problems(tokenizer, problems, path, verify, mark=None):
    """Problems for `task.file` of a study.

    problems  dictionaries with `prompt` and `answer`, texts; and `response`, a demonstration
    verify    the rule, as {"compare": "decimal", "remove": ","}
    mark      text of the token behind which a response has its answer
    """
    if tokenizer.end is None:
        raise ValueError("the tokenizer names no token that ends a response; give one as `end`")
    head = {"vocabulary": tokenizer.vocabulary, "end": tokenizer.end, "text": tokenizer.token_texts(),
            "alphabet": "byte-level", "verify": verify}
    if mark is not None:
        ids = tokenizer.ids(mark)
        if len(ids) != 1:
            raise ValueError(f"{mark!r} is {len(ids)} tokens; an answer's mark is one")
        head["answer_mark"] = ids[0]
    lines, seen = [head], set()
    for problem in problems:
        ids = tokenizer.ids(problem["prompt"])
        if tuple(ids) in seen:
            continue
        seen.add(tuple(ids))
        line = {"prompt": ids, "answer": str(problem["answer"])}
        if "response" in problem:
            line["response"] = tokenizer.ids(problem["response"]) + [tokenizer.end]
        lines.append(line)
    _write(path, lines)
    return len(lines) - 1


NUMBERS = {"compare": "decimal", "remove": ","}


def gsm8k_problems(lines):
    """Problems of a file shaped like GSM8K: `question`, and `answer` with the number behind ####.

    Returns problems and their rule.
    """
    problems = []
    for i, text in enumerate(lines, 1):
        if not text.strip():
            continue
        entry = _object(text, f"line {i}")
        are_texts = all(isinstance(entry.get(name), str) for name in ("question", "answer"))
        if not are_texts or "####" not in entry["answer"]:
            raise ValueError(f"line {i}: expected a question, and an answer with #### and a number")
        number = entry["answer"].rsplit("####", 1)[1].strip().replace(",", "")
        problems.append({"prompt": entry["question"], "answer": number,
                         "response": entry["answer"]})
    return problems, NUMBERS


# Tasks of reasoning-gym, and their score_answer as a rule.
_DECIMAL = {"compare": "decimal", "remove": ",", "contained": "length_share"}
_TEXT = {"compare": "text", "contained": "length_share"}
RULES = {"chain_sum": _DECIMAL, "products": _DECIMAL, "gcd": _TEXT, "lcm": _TEXT,
         "gsm_symbolic": {"compare": "first_number", "other_number": 0.01}}


def reasoning_gym_problems(task, count, seed=1, **parameters):
    """Problems of a task of reasoning-gym. Returns problems and their rule."""
    if task not in RULES:
        raise ValueError(f"{task}: has no rule here; expected one of {', '.join(RULES)}")
    reasoning_gym = _imported("reasoning_gym")
    try:
        data = reasoning_gym.create_dataset(task, size=count, seed=seed, **parameters)
    except (TypeError, AssertionError) as error:
        raise ValueError(f"{task} of reasoning-gym: {error}") from error
    return [{"prompt": entry["question"], "answer": entry["answer"]} for entry in data], RULES[task]


def _parameter(word):
    """A parameter of a task, as in max_terms=2."""
    name, equals, value = word.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        raise argparse.ArgumentTypeError(f"{word!r}: expected NAME=NUMBER, as in max_terms=2"
                                         ) from None


def _text(word):
    """An escaped line break is one."""
    return word.replace("\\n", "\n")


def _template(word):
    """Where a model expects its prompts."""
    if word.count("{prompt}") != 1:
        raise argparse.ArgumentTypeError(f"{word!r}: expected {{prompt}} in it, once")
    return _text(word)


def main(words=None):
    parser = argparse.ArgumentParser(prog="mxprism.prompts", description=__doc__.split("\n")[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind in ("texts", "gsm8k", *RULES):
        one = kinds.add_parser(kind)
        one.add_argument("model", help="tokenizer.json, a folder with one, or a .gguf")
        if kind in ("texts", "gsm8k"):
            one.add_argument("files", nargs="+")
        else:
            one.add_argument("--count", type=int, default=500)
            one.add_argument("--seed", type=int, default=1)
            one.add_argument("--parameter", type=_parameter, action="append", default=[],
                             metavar="NAME=NUMBER", help="of the task in reasoning-gym, as max_terms=2")
        if kind == "texts":
            one.add_argument("--length", type=int, help="tokens after which texts are cut")
        else:
            one.add_argument("--end", type=_text,
                             help="the token that ends a response; the tokenizer's without")
            one.add_argument("--mark", help="the token behind which a response has its answer")
            one.add_argument("--template", type=_template, default="{prompt}",
                             help="text around each prompt, as the model expects it; may have its "
                             "tokens of control")
        one.add_argument("-o", "--output", required=True)
    chosen = parser.parse_args(words)
    try:
        tokenizer = Tokenizer(chosen.model, getattr(chosen, "end", None))
        print(_written(tokenizer, chosen), "lines")
    except (ValueError, OSError, ImportError) as error:
        parser.exit(2, f"mxprism.prompts: error: {error}\n")


def _contents(name):
    try:
        with open(name, encoding="utf-8") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}: is no text in UTF-8: {error}") from error


def _gsm8k_of_files(names):
    problems = []
    for name in names:
        # Not splitlines, which also ends lines at characters that a JSON text may have.
        lines = _contents(name).split("\n")
        try:
            problems += gsm8k_problems(lines)[0]
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return problems, NUMBERS


def _written(tokenizer, chosen):
    if chosen.kind == "texts":
        return write_texts(tokenizer, map(_contents, chosen.files), chosen.output, chosen.length)
    if chosen.kind == "gsm8k":
        problems, rule = _gsm8k_of_files(chosen.files)
    else:
        problems, rule = reasoning_gym_problems(chosen.kind, chosen.count, chosen.seed,
                                                **dict(chosen.parameter))
    for problem in problems:
        problem["prompt"] = chosen.template.replace("{prompt}", problem["prompt"])
    return write_problems(tokenizer, problems, chosen.output, rule, chosen.mark)


if __name__ == "__main__":
    main()
