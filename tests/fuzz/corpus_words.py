# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/corpus_words.py: what people type and write, right and wrong: studies, formats, options,
# words of dot products.

import corpus_tensors

STUDY = """name = "s"
seed = 7
[policy]
width = 64
heads = 2
kv_heads = 1
[task]
digits = 2
[noise]
sigmas = [9e-3, 5e-3, 3e-3, 2e-3, 1e-3, 6e-4, 3e-4, 2e-4, 1e-4]
[formats]
w = { element = "e2m1", scale = "e8m0", block = 32 }
"""
SPELLINGS = {
    "name": "mxfp4", "name-of-deepseek": "fp8-1x128", "three-parts": "e2m1:e8m3:32",
    "tile": "e2m1:fp32:16x16:tensor", "corrected": "mxfp4+mbs=128,8+of=0.5",
    "selective": "mxfp4+of=1/16,dead:0.25,GRANULE", "gain": "nvfp4+gain=16/17",
    "rotated": "mxfp4+rotate=32,random:7+double", "bias": "e3m2@7ieee:ue4m3:16:row256",
    "integer": "int4:exact:1", "number": "tf32", "scale": "ue8m0", "model": "blackwell.mxf4",
    "mixed-model": "ada.mma.e4m3.e5m2.f32", "variant": "torchao.rceil", "typing-error": "mxpf4",
    "empty": "", "colons": ":::", "pluses": "mxfp4+++", "element-too-wide": "e9m9:e8m0:32",
    "element-beyond-int": "e2m2147483647:e8m0:32",
    "block-0": "e2m1:e8m0:0", "block-huge": "e2m1:e8m0:99999999999999999999",
    "block-product": "e2m1:e8m0:65536x65536", "bias-huge": "e2m1@-99999999999:e8m0:32",
    "number-with-exponent": "mxfp4+of=1e-400", "nan": "mxfp4+of=nan,dead:inf", "not-utf8": b"\xff\0",
    "file": "@f.toml", "long": "e" * 3000,
}
OPTIONS = {
    "format": "mxfp4\nscale-rule=rceil rounding=stochastic seed=18446744073709551615 random-bits=24",
    "variant": "nvfp4\nvariant=te.nvfp4 layout=128x4", "storage": "e2m1:e8m0:33\npacking=split-half",
    "tensor-scale": "nvfp4\ntensor-scale=given", "model": "exact.rne\na-format=e4m3 b-format=bf16",
    "scaled-model": "fp32.sequential\na-format=e2m1 b-format=e2m1 scale-format=e8m0 block=32",
    "dense": "mxfp6-e3m2\npacking=dense", "twice": "mxfp4\nseed=1 seed=2",
    "no-value": "mxfp4\nseed= layout", "unknown": "mxfp4\nsede=1",
    "seed-negative": "mxfp4\nseed=-1", "seed-overflows": "mxfp4\nseed=18446744073709551616",
    "bits-0": "mxfp4\nrandom-bits=0 rounding=stochastic", "block-0": "exact.rne\nblock=0",
    "block-huge": "exact.rne\na-format=e2m1 b-format=e2m1 scale-format=e8m0 block=4294967296",
    "blanks": "mxfp4\n   seed=1     ", "zero-inside": "mxfp4\nseed=1\0layout=128x4",
    "long-sentence": "mxfp4\nvariant=" + "v" * 300, "empty": "\n",
}
FORMAT_FILES = {
    "all-keys": 'element = "e2m1"\nscale = "e8m3"\nblock = "16x16"\ntensor_scale = "tensor"\n'
                'corrections = "mbs=128,8"\nscale_rule = "ceil"\nrounding = "stochastic"\n'
                'byte_map = "te"\nseed = 1\nrandom_bits = 24\n',
    "element-alone": 'element = "e4m3"\n', "block-number": 'element = "e2m1"\nblock = 1\n',
    "no-element": 'scale = "e8m0"\n', "unknown-key": 'elment = "e2m1"\n', "no-toml": "element =",
    "block-negative": 'element = "e2m1"\nblock = -9223372036854775808\n',
    "block-fraction": 'element = "e2m1"\nblock = 1.5\n',
    "random-bits-25": 'element = "e2m1"\nrandom_bits = 25\n',
    "integer-overflows": 'element = "e2m1"\nseed = 9223372036854775808\n',
    "element-table": "[element]\na = 1\n", "element-twice": 'element = "a"\nelement = "b"\n',
    "escape": 'element = "e2m1\\u0000\\u001b"\n', "not-utf8": b'element = "\xff"\n',
    "byte-order-mark": b'\xef\xbb\xbfelement = "e2m1"\n', "deep-arrays": "element = " + "[" * 300,
    "deep-tables": "element = " + "{a=" * 300, "dotted": ".".join("a" * 300) + " = 1\n",
    "comma-for-a-value": "element = [,]\n", "beyond-ascii": "element = {a=\u00e9}\n",
    "names-a-file": 'element = "@other"\n',
}


def study_files():
    def arm(name, rest=""):
        return f'[[arm]]\nname = "{name}"\n{rest}'

    def formats(keys, rest='format = "f"\n'):
        return f"[formats.f]\n{keys}\n" + arm("fp32") + arm("f", rest)
    recipe = 'recipe = "mxfp4+rotate=32,random:5+of=1.5,crest:4,64"'
    return {
        "recipe": formats(recipe), "recipe-unknown": formats('recipe = "mxpf4"'),
        "recipe-stochastic": formats(
            'recipe = "e2m1:e8m3:32"\nrounding = "stochastic"\nrandom_bits = 24\n'
            'byte_map = "te-soft"'),
        "recipe-toggled": formats('recipe = "e2m1:e8m0:16"\ntoggle = "operation"\nparts = []'),
        "recipe-control": formats('recipe = "mxfp4+\\u0007\\n"'),
        "recipe-of-tiles": formats('recipe = "nvfp4-2d"', 'rollout = { other = "f" }\n'),
        "variant": formats('variant = "torchao.rceil"\nrecipe = "mxfp8-e5m2"'),
        "variant-with-a-rule": formats('variant = "torchao.rceil"\nscale_rule = "floor"'),
        "model": formats('recipe = "mxfp4"', 'format = "f"\nmodel = "blackwell.mxf4"\n'),
        "model-unknown": formats('recipe = "mxfp4"', 'model = "blackwell"\n'),
        "w-of-forward": formats(
            recipe, 'format = "f"\ndgrad = { data = "bf16", other = "forward" }\n'
            'wgrad = { rotate = "16,fixed" }\n'),
        "rotation-by-number": formats(recipe, "dgrad = { rotate = 16 }\n"),
        "minimal": 'name = "s"\nseed = 1\n' + arm("fp32"), "policy": STUDY + arm("fp32"),
        "arms": STUDY + arm("fp32") + arm("w", 'format = "w"\n'),
        "rules-by-name": formats(
            'recipe = "mxfp4"',
            'by_name = [{ names = ".*[.]0[.].*", passes = ["wgrad"], operands = ["data"], '
            'format = "f" }, { names = ".*mlp.*", format = "bf16" }]\n'),
        "rule-with-escapes": formats(
            'recipe = "mxfp4"', 'by_name = [{ names = "(\\n\\u001B[31m", format = "f" }]\n'),
        "rule-that-repeats": formats(
            'recipe = "mxfp4"', 'by_name = [{ names = "((.{900}){900})*", format = "f" }]\n'),
        "no-arm": STUDY, "arm-twice": STUDY + arm("fp32") * 2, "unknown-key": "nmae = 1\n",
        "string-for-a-number": 'seed = "7"\n', "heads-0": "[policy]\nheads = 0\n",
        "heads-do-not-divide": "[policy]\nheads = 3\nkv_heads = 2\n",
        "digits-too-many": "[task]\ndigits = 1000\n", "sigma-nan": "[noise]\nsigmas = [nan]\n",
        "sums": '[task]\nkind = "modular-sums"\nterms = 4\nmodulus = 19\n' + arm("fp32"),
        "key-of-another-task": '[task]\nkind = "modular-sums"\ndigits = 3\n' + arm("fp32"),
        "rate-huge": "[grpo]\nlearning_rate = 1e400\n", "arm-a-table": "[arm]\nname = 1\n",
        "arm-a-number": "arm = 1\n", "channels-outside": "[outliers]\nnorm_channels = [9999]\n",
        "factors-descending": "[outliers]\nfactors = [4, 1]\n",
        "policies": '[outliers.policies.a-1]\nweights = "student-t"\ndegrees = 2\n'
                    "[outliers.policies.b]\nmassive_channels = [1]\nmassive_value = 1e3\n"
                    + arm("fp32"),
        "policy-a-path": '[outliers.policies."../b"]\nmassive_channels = [1]\n' + arm("fp32"),
        "policy-a-number": "[outliers]\npolicies = 1\n" + arm("fp32"), "date": "seed = 1979-05-27\n",
        "table-name-of-marks": "[!rm]\n", "brace-in-an-array": "[noise]\nsigmas = [9e-3, }\n",
        "beyond-ascii": "seed = 1 \u00e9\n", "beyond-ascii-in-strings": "name = '\u00e9' # \u00e9\n",
        "quote-inside-a-word": "name = 1'\u00e9'\n",
        "quote-behind-a-word": 'seed = +E="\u03d9"\n',
        "strings-everywhere": "'a'.\"\u00e9\"={b='\u00e9',\"c\"=['\u00e9', {d='\u00e9'}]}\n[\"\u00e9\"]\n",
        "quotes-before-the-end": 'name = """a""""" # \u00e9\nseed = 1\n' + arm("fp32"),
        "line-that-goes-on": 'name = """a\\\n  b"""\nseed = 1.5\n',
        "beyond-ascii-behind-a-backslash": 'name = """\\\\ \\\u00e9"""\n',
        "beyond-ascii-where-a-line-goes-on": 'name = """a\\\n  \u00e9"""\n',
        "no-toml": "[policy\n", "not-utf8": b'name = "\xff"\n', "control": b'name = "\x01"\n',
        "escaped-control": 'name = "\\u0007"\n', "deep-arrays": "seed = " + "[" * 300,
        "dotted": ".".join("a" * 300) + " = 1\n",
    }


def dot_files():
    def words(dtype="F16", result="F32", size=2, notes="{}", more=""):
        end, width = 2 * 4 * size, {"F32": 4, "F16": 2}[result]
        field = corpus_tensors.entry
        header = (f'{{"__metadata__":{notes},"a":{field(dtype, "[1,4]", f"[0,{4 * size}]")},'
                  f'"b":{field(dtype, "[1,4]", f"[{4 * size},{end}]")},'
                  f'"c":{field(result, "[1]", f"[{end},{end + width}]")}{more}}}')
        return corpus_tensors.safetensors(header, bytes(end + width))
    bytes_of = {"dtype": "U8", "size": 1}
    made = {f"model-{index:03}": bytes([index]) + words() for index in range(0, 100, 7)}
    return made | {
        "empty-file": b"\0", "no-tensors": b"\0" + corpus_tensors.safetensors("{}"),
        "notes": b"\0" + words(notes='{"a_format":"e4m3","b_format":"e2m1"}', **bytes_of),
        "scale-without-scales": b"\0" + words(notes='{"scale":"e8m0","block":"0"}', **bytes_of),
        "block-huge": b"\0" + words(notes='{"block":"99999999999999999999"}', **bytes_of),
        "wide-results": b"\1" + words(result="F16"),
    }


def as_bytes(texts):
    return {name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}


def corpora():
    return {"spelling": as_bytes(SPELLINGS), "option_words": as_bytes(OPTIONS),
            "format_file": as_bytes(FORMAT_FILES), "study": as_bytes(study_files()),
            "dot_words": dot_files()}
