# SPDX-License-Identifier: Apache-2.0
# tests/fuzz/make_corpus.py: writes the initial corpus of the targets: one file for each valid form
# and for each error, named after it.
"""usage: make_corpus.py FOLDER [--check]; --check: exit status 1 if a file differs from
what would be written. Files named found-* come from fuzzers and stay."""

import os
import sys

import corpus_claims
import corpus_runs
import corpus_scales
import corpus_tensors
import corpus_words


def files():
    """Path below the folder -> contents."""
    for part in (corpus_tensors, corpus_words, corpus_scales, corpus_runs,
                 corpus_claims):
        for folder, contents in part.corpora().items():
            for name, data in contents.items():
                yield os.path.join(folder, name), data


def is_current(path, data):
    if not os.path.exists(path):
        return False
    with open(path, "rb") as file:
        return file.read() == data


def strays(root, expected):
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), root)
            if path not in expected and not name.startswith("found-"):
                yield path


def main(arguments):
    if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    root, expected = arguments[1], dict(files())
    stale = [name for name, data in expected.items()
             if not is_current(os.path.join(root, name), data)] + list(strays(root, expected))
    if arguments[2:]:
        print("\n".join(stale) if stale else f"{len(expected)} files are current")
        return 1 if stale else 0
    for name in stale:
        path = os.path.join(root, name)
        if name not in expected:
            os.remove(path)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(expected[name])
    print(f"{len(stale)} of {len(expected)} files written or removed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
