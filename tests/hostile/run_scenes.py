# SPDX-License-Identifier: Apache-2.0
"""run_scenes.py: commands on studies, and on the folders that runs, claims and sweeps leave."""
import os
import shutil

import study_texts
from attacked_command import Attacked

RESULTS = ("metrics.csv", "metrics.jsonl", "hashes.csv", "report.html")


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def make(path, call):
    write_text(path("study.toml"), study_texts.STUDY)
    write_text(path("claims.toml"), study_texts.CLAIMS)
    write_text(path("sweep.toml"), study_texts.SWEEP)
    call("train", "study.toml", "-o", "done")
    shutil.copytree(path("done"), path("begun"))
    os.remove(path("begun", "checkpoints", "finished"))
    for name in RESULTS:
        os.remove(path("begun", name))
    call("repro", "claims.toml", "-o", "claims")
    call("repro", "claims.toml", "-o", "part1", "--shard", "1/2")
    call("repro", "claims.toml", "-o", "part2", "--shard", "2/2")
    call("sweep", "sweep.toml", "-o", "swept")
    call("sweep", "sweep.toml", "-o", "rows1", "--shard", "1/2")
    call("sweep", "sweep.toml", "-o", "rows2", "--shard", "2/2")


def train(chance):
    """A new run, or one that is refused for what stands in its folder."""
    words = ["train", "study.toml", "-o", chance.choice(("new", "new", "done", "begun"))]
    words += chance.choice(([], [], ["--resume"], ["--force"], ["--threads", "1"],
                            ["grpo.steps=1"]))
    return Attacked(words, ["study.toml"], [words[3]], kept=True, speaks=True)


def resume(chance):
    reads = ["begun/checkpoints/fp32.safetensors", "begun/checkpoints/mxfp4.safetensors",
             "begun/checkpoints/warm-up.safetensors", "begun/checkpoints/frozen-x1-mxfp4.json",
             "begun/checkpoints/frozen-x1-rollout.json", "begun/study.toml", "begun/run.lock",
             "begun/tensorboard/fp32/events.out.tfevents.000000.mxprism"]
    words = ["train", "study.toml", "-o", "begun", "--resume"]
    words += chance.choice(([], ["--threads", "1"]))
    return Attacked(words, reads, ["begun"], ["study.toml"], kept=True, speaks=True)


def look_at_a_finished_run(_chance):
    reads = ["done/checkpoints/finished", "done/metrics.jsonl", "done/study.toml", "done/run.lock"]
    return Attacked(["train", "study.toml", "-o", "done"], reads, ["done"], kept=True, speaks=True)


def report(chance):
    words = ["report", "done", *chance.choice(([], ["-o", "."]))]
    return Attacked(words, ["done/metrics.jsonl", "done/study.toml"],
                    ["done/report.html", "report.html"])


def report_seeds(_chance):
    reads = [f"claims/seed-{seed}/{name}" for seed in (101, 102)
             for name in ("metrics.jsonl", "study.toml", "hashes.csv")]
    return Attacked(["report", "claims", "-o", "."], reads, ["report.html"],
                    blamed=[*reads, "claims/seed-101", "claims/seed-102", "claims", "report.html"])


def export_checkpoint(_chance):
    return Attacked(["export", "done/checkpoints/mxfp4.safetensors", "-o", "copy"],
                    ["done/checkpoints/mxfp4.safetensors", "done/study.toml"], ["copy"])


def repro(chance):
    """A folder whose seeds are finished, or some of them."""
    reads = ["claims.toml", "study.toml"]
    if chance.random() < 0.6:
        reads += ["claims/repro.json", "claims/seed-101/metrics.jsonl",
                  "claims/seed-101/study.toml", "claims/seed-102/hashes.csv",
                  "claims/seed-102/checkpoints/finished"]
    return Attacked(["repro", "claims.toml", "-o", "claims"], reads, ["claims"], ["study.toml"],
                    kept=True, speaks=True)


def verify_seed(_chance):
    words = ["repro", "claims.toml", "-o", "again", "--verify-seed", "101", "--against",
             "claims/hashes.csv"]
    return Attacked(words, ["claims/hashes.csv", "claims.toml", "study.toml"], ["again"], kept=True,
                    speaks=True)


def merge_seeds(_chance):
    reads = ["part1/repro.json", "part1/seed-101/metrics.jsonl", "part1/seed-101/hashes.csv",
             "part2/seed-102/metrics.csv", "part2/seed-102/study.toml",
             "part2/seed-102/checkpoints/finished"]
    words = ["repro", "claims.toml", "-o", "all", "--merge", "part1", "part2"]
    return Attacked(words, reads, ["all"], ["study.toml"], kept=True, speaks=True)


def sweep(chance):
    output = chance.choice(("new", "swept"))
    reads = ["sweep.toml"] + (["swept/rows-1-of-1.jsonl"] * 2 if output == "swept" else [])
    return Attacked(["sweep", "sweep.toml", "-o", output], reads, [output], kept=True, speaks=True)


def merge_rows(_chance):
    words = ["sweep", "sweep.toml", "-o", "all", "--merge", "rows1", "rows2"]
    reads = ["sweep.toml", "rows1/rows-1-of-2.jsonl", "rows2/rows-2-of-2.jsonl"]
    return Attacked(words, reads, ["all"], kept=True, speaks=True)


def cost(_chance):
    words = ["cost", "study.toml", "--threads", "1"]
    return Attacked(words, ["study.toml"], speaks=True, seconds=90)


COMMANDS = (train, train, resume, resume, resume, look_at_a_finished_run, report, report,
            report_seeds, export_checkpoint, repro, repro, verify_seed, merge_seeds, sweep, sweep,
            merge_rows)
# A study that is right after all takes it a quarter of a minute.
LONG_COMMANDS = (cost,)
