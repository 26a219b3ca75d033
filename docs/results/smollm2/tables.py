# SPDX-License-Identifier: Apache-2.0
# docs/results/smollm2/tables.py: prints the tables of docs/results/smollm2.md, from figures.csv and from the
# default study's seeds in docs/results/claims/main.tar.xz.

import csv
import io
import os
import statistics
import tarfile

HERE = os.path.dirname(os.path.abspath(__file__))
PASSES = ("forward", "dgrad", "wgrad", "all")
OPERANDS = {"w_forward": "W", "x": "X", "dy_dgrad": "dY of dgrad", "x_wgrad": "X of wgrad",
            "dy_wgrad": "dY of wgrad"}


def model_figures():
    """(arm, passes, metric): value and standard error, over the texts."""
    with open(os.path.join(HERE, "figures.csv"), encoding="utf-8", newline="") as file:
        return {(row["arm"], row["passes"], row["metric"]):
                (float(row["value"]), float(row["standard_error"] or 0))
                for row in csv.DictReader(file)}


def study_figures():
    """(arm, passes, metric): means over seeds, at frozen weights without outlier channels."""
    found = {}
    with tarfile.open(os.path.join(HERE, "../claims/main.tar.xz")) as archive:
        for member in archive.getmembers():
            if not member.name.endswith("/metrics.csv"):
                continue
            text = io.TextIOWrapper(archive.extractfile(member), "utf-8")
            for row in csv.DictReader(text):
                if (row["phase"] == "frozen" and row["outliers"] == "1"
                        and row["layer"] in ("", "all")
                        and row["metric"] in ("kl", "gradient_cosine")):
                    key = row["arm"], row["passes"], row["metric"]
                    found.setdefault(key, []).append(float(row["value"]))
    return {key: statistics.mean(values) for key, values in found.items()}


def three_digits(value):
    return f"{value:.3g}" if abs(value) < 0.995 else f"{value:.3f}"


def rank_correlation(first, second):
    """Spearman's, of values without ties."""
    ranks = [[sorted(values).index(value) for value in values] for values in (first, second)]
    squares = sum((a - b) ** 2 for a, b in zip(*ranks))
    return 1 - 6 * squares / (len(first) * (len(first) ** 2 - 1))


def arms_of(figures):
    return [arm for arm, passes, metric in figures if metric == "kl" and arm != "fp32"]


def table_of_arms(model, study):
    yield ("| arm | KL, nats a token | greedy agreement | gradient cosine: forward | dgrad | wgrad "
           "| all | default study: KL | gradient cosine, all |")
    yield "|" + "---|" * 9
    for arm in arms_of(model):
        kl, error = model[arm, "", "kl"]
        cells = [f"`{arm}`", f"{three_digits(kl)} ± {error:.1g}",
                 three_digits(model[arm, "", "greedy_agreement"][0])]
        cells += [three_digits(model[arm, p, "gradient_cosine"][0]) for p in PASSES]
        cells += [three_digits(study[arm, "", "kl"]),
                  three_digits(study[arm, "all", "gradient_cosine"])]
        yield f"| {' | '.join(cells)} |"


def table_of_energies(model):
    yield ("| operand under `mxfp4` | scale | deadzone | grid | cosine of scale and grid | dead elements "
           "| SQNR, dB |")
    yield "|" + "---|" * 7
    for operand, name in OPERANDS.items():
        cells = [model["mxfp4", "", f"energy.{operand}.{metric}"][0] for metric in
                 ("scale", "deadzone", "grid", "cosine_scale_grid", "dead_fraction", "sqnr_db")]
        yield f"| {name} | {' | '.join(map(three_digits, cells))} |"


def table_of_ranks(model, study):
    yield "| figure | rank correlation of the arms with the default study |"
    yield "|---|---|"
    arms = arms_of(model)
    pairs = {"KL": ("", "kl"), **{f"gradient cosine, {p}": (p, "gradient_cosine") for p in PASSES}}
    for name, (passes, metric) in pairs.items():
        of_model = [model[arm, passes, metric][0] for arm in arms]
        of_study = [study[arm, passes, metric] for arm in arms]
        yield f"| {name} | {rank_correlation(of_model, of_study):.2f} |"


def tables():
    model, study = model_figures(), study_figures()
    return ["\n".join(rows) for rows in (table_of_arms(model, study), table_of_energies(model),
                                         table_of_ranks(model, study))]


if __name__ == "__main__":
    print("\n\n".join(tables()))
