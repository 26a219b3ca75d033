# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/corpus_claims.py: claims files, right and wrong: one for every rule and every refusal.

HEAD = ('name = "c"\nstudy = "s.toml"\noverrides = ["grpo.steps=2"]\ntrained = ["fp32", "mxfp4"]\n'
        "first_seed = 101\nseeds = 3\n")
DEEP = '[studies.deep]\nstudy = "s.toml"\ntrained = []\nfirst_seed = 1\nseeds = 2\n'
LOSS = '[metrics.loss]\nphase = "train"\nmetric = "reward"\nstep = 2\nfactor = -1.0\ndiverged = 0.0\n'
KL = '[metrics.kl]\nphase = "frozen"\nmetric = "kl"\noutliers = 4\n'
EIGHT = '[meanings]\ninjection = [' + ", ".join(['"fp32"'] * 7 + ['"mxfp4"']) + "]\n"


def claim(rule, rest="", contrasts='["mxfp4 - fp32"]', metric="loss"):
    return (f'[[claim]]\nname = "{rule}"\nrule = "{rule}"\nmetric = "{metric}"\n'
            f"contrasts = {contrasts}\n{rest}")


def of(*parts, head=HEAD):
    return head + "".join(parts)


def right_files():
    rules = "".join((
        claim("positive", 'margin = "0.2 mxfp4 - 0.2 fp32"\npaper_effect = 0.5\npilot = "few"\n'),
        claim("equivalent", "margin = 0.5\nexpected = 1\n"), claim("at most", "expected = 0.1\n"),
        claim("spread", "within = [0.7, 2.8]\n"), claim("zero"),
        claim("estimate", contrasts='[{ of = "mxfp4", row = "entropy", metric = "kl" }]')))
    deep = '[metrics.deep]\nstudy = "deep"\nphase = "frozen"\nmetric = "kl"\n'
    return {
        "every-rule": of(LOSS, KL, rules),
        "two-studies": of(DEEP, deep, claim("positive", metric="deep")),
        "shapley": of(EIGHT, KL, claim("positive", contrasts='["shapley.S - 2 shapley.G"]', metric="kl")),
    }


def wrong_files():
    zero = claim("zero")
    return {
        "empty": "", "no-claim": of(LOSS), "no-study": of(LOSS, zero, head="seeds = 3\n"),
        "seeds-1": of(LOSS, zero, head=HEAD.replace("seeds = 3", "seeds = 1")),
        "seed-beyond-64-bits": of(LOSS, zero, head=HEAD.replace("101", "9" * 20)),
        "seed-largest": of(LOSS, zero, head=HEAD.replace("101", str(2 ** 63 - 1))),
        "override-unknown": of(LOSS, zero, head=HEAD.replace("steps", "stebs")),
        "arm-unknown": of(LOSS, claim("zero", contrasts='["mbs"]')),
        "trained-unknown": of(LOSS, zero, head=HEAD.replace('["fp32"', '["fp23"')),
        "not-trained": of(LOSS, zero, head=HEAD.replace('["fp32", "mxfp4"]', "[]")),
        "metric-unknown": of(LOSS, claim("zero", metric="kl")),
        "metric-study-unknown": of('[metrics.m]\nstudy = "x"\nphase = "frozen"\nmetric = "kl"\n', zero),
        "step-of-frozen": of(KL + "step = 1\n", zero), "outliers-of-train": of(LOSS + "outliers = 4\n", zero),
        "step-beyond-the-last": of(LOSS.replace("step = 2", "step = 3"), zero),
        "outliers-not-measured": of(KL.replace("4", "2"), zero),
        "margin-of-zero": of(LOSS, claim("zero", "margin = 0.1\n")),
        "expected-of-zero": of(LOSS, claim("zero", "expected = 0.1\n")),
        "within-of-positive": of(LOSS, claim("positive", "within = [1, 2]\n")),
        "within-reversed": of(LOSS, claim("spread", "within = [2, 1]\n")),
        "within-nan": of(LOSS, claim("spread", "within = [nan, 1]\n")),
        "no-bound": of(LOSS, claim("at most")), "no-margin": of(LOSS, claim("equivalent")),
        "shapley-without-meanings": of(LOSS, claim("zero", contrasts='["shapley.S"]')),
        "meaning-short": of('[meanings]\nm = ["fp32"]\n', LOSS, zero),
        "contrast-of-signs": of(LOSS, claim("zero", contrasts='["- - +"]')),
        "contrast-weight-huge": of(LOSS, claim("zero", contrasts='["1e999 fp32"]')),
        "contrasts-nested": of(LOSS, claim("zero", contrasts="[" * 300)),
        "claim-twice": of(LOSS, zero, zero), "claim-a-table": of(LOSS, "[claim]\nname = 1\n"),
        "study-named-main": of(DEEP.replace("deep", "main"), LOSS, zero),
        "study-named-as-a-seed": of(DEEP.replace("deep", "seed-1"), LOSS, zero),
        "study-leaves-the-folder": of(DEEP.replace("deep", '"../deep"'), LOSS, zero),
        "studies-a-number": of("studies = 1\n", LOSS, zero),
        "level-0": of("level = 0\n", LOSS, zero), "not-utf8": b'name = "\xff"\n', "no-toml": "[studies\n",
    }


def corpora():
    return {"claims": {name: text if isinstance(text, bytes) else text.encode()
                       for name, text in (right_files() | wrong_files()).items()}}
