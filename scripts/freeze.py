"""Record what the program does, and compare two records: the same before and after code is moved.

    python scripts/freeze.py write FOLDER [--quick] [--only PART ...]
    python scripts/freeze.py compare BEFORE AFTER [--only PART ...] [--tolerance 1e-6] [--show N]

It runs the `lear` that this Python finds (PYTHONPATH chooses another source tree) on the files of
LEAR_DATA, by its public face alone: `lear.Parser`, the command line and the HTTP API. What is asked
is in `freeze_cases`. Parts are `answers/MODEL`, `losses`, `commands` and `api`; `--only answers`
means all models. Times, memory, versions and paths are left out of records.
"""

import argparse
import gzip
import hashlib
import json
import os
import pickle
import random
import re
import shlex
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file

import lear
from freeze_compare import compare
from freeze_workshop import DATA, Row, digest, told, workshop

CASES = Path(__file__).parent / "freeze_cases"
SPLITS = ("mcd1", "mcd2_partial", "mcd3_partial", "mcd1_reversed")
GEO = ("geo/funql_880/questions.txt", *(f"geo/query_split/{p}_en.txt" for p in ("dev", "train")))
MODELS = {
    "geo": (*GEO, "geo/query_split/test_en.txt"),
    "geo-query": (*GEO, "geo/query_split/test_en.txt"),
    "cogs": tuple(f"cogs/{part}.tsv" for part in ("dev", "test", "gen", "gen_original")),
    "slog": ("slog/dev.tsv", "slog/test.tsv"),
    "cfq": tuple(f"cfq/{s}/{p}/{p}_encode.txt" for s in SPLITS for p in ("dev", "test")),
}
"""Model that ships -> the sentences of benchmarks that it is asked."""
QUICK_LINES, ODD_LINES, QUICK_ODD_LINES = 150, 250, 20


# What is asked.


def lines_of(name: str, *, quick: bool) -> Iterator[str]:
    """Give the cases of a file, without those marked by `+` where it has to be quick."""
    for line in (CASES / name).read_text().splitlines():
        if line and not line.startswith("#") and not (quick and line.startswith("+ ")):
            yield line.removeprefix("+ ")


def own_sentences(domain: str) -> list[str]:
    """Give our own sentences for a domain, and those for any."""
    found, section = [], ""
    for line in (CASES / "sentences.txt").read_text().splitlines():
        if re.fullmatch(r"\[\w+\]", line):
            section = line[1:-1]
        elif section in ("any", domain):
            found.append(line.encode().decode("unicode_escape"))
    return found


def odd_sentences(texts: Sequence[str], number: int) -> Iterator[str]:
    """Make sentences that are too long, and change others so that few are of the language."""
    yield from ("the " * 501, "x" * 20_001, " and ".join(texts[:12]))
    rng = random.Random(len(texts))
    for _ in range(number):
        words = rng.choice(texts).split()
        for _ in range(rng.randint(1, 3)):
            words = changed(words, rng.choice(texts), rng)
        yield " ".join(words)


def changed(words: list[str], other: str, rng: random.Random) -> list[str]:
    """Change a sentence in one way; `other` is another one."""
    place = rng.randrange(len(words) or 1)
    before, word, after = words[:place], "".join(words[place : place + 1]), words[place + 1 :]
    match rng.randrange(8):
        case 0:
            return [*before, *after]
        case 1:
            return [*before, *after[:1], word, *after[1:]]
        case 2:
            return [*before, word, word, *after]
        case 3:
            return [*before, word, rng.choice(other.split() or [""]), *after]
        case 4:
            return [*before, rng.choice(("blick", "zorped", "Dax", "qqq", "1999")), *after]
        case 5:
            return [*before, word[:1] + word[2:3] + word[1:2] + word[3:], *after]
        case 6:
            return [*before, rng.choice((word.upper(), word.title(), f"{word},")), *after]
    return [*words, ".", *other.split()]


# The parts of a record.


def answers(model: str, *, quick: bool) -> Iterator[Row]:
    """Ask a model that ships all sentences of its benchmarks, and odd ones."""
    parser = lear.Parser.from_pretrained(model)
    texts: list[str] = []
    for file in MODELS[model]:
        lines = (DATA / file).read_text().rstrip("\n").split("\n")
        numbered = [(number, line.split("\t")[0]) for number, line in enumerate(lines, start=1)]
        numbered = numbered[:: max(1, len(numbered) // QUICK_LINES) if quick else 1]
        texts += (text for _, text in numbered)
        parses = parser.pipe(text for _, text in numbered)
        for (number, text), parse in zip(numbered, parses, strict=True):
            yield {
                "id": f"{file}:{number}",
                "text": text,
                "form": parse.form,
                "reason": parse.reason,
                "probability": parse.probability,
            }
    number = QUICK_ODD_LINES if quick else ODD_LINES
    odd = [*own_sentences(model.split("-")[0]), *odd_sentences(texts, number)]
    for policy in ("refuse", "overlook"):
        parser = lear.Parser.from_pretrained(model, unknown_words=policy)
        for number, row in enumerate(whole_answers(parser, odd), start=1):
            yield {"id": f"{policy}:{number}", **row}
    with workshop() as shop:
        names = {"lear": lear, "pickle": pickle, "name": model, "texts": texts}
        names |= {"parser": lear.Parser.from_pretrained(model), "folder": str(shop.folder / "new")}
        for line in lines_of("calls.txt", quick=quick):
            yield {"id": line, "value": shop.plain(value_of(line, names).encode())}


def value_of(expression: str, names: dict[str, object]) -> str:
    """Work out an expression of Python; tell its value or what was raised."""
    try:
        return repr(eval(expression, dict(names)))
    except Exception as error:  # noqa: BLE001 - whatever it is, it has to stay
        return f"{type(error).__name__}: {error}"


def whole_answers(parser: "lear.Parser", texts: Sequence[str]) -> Iterator[Row]:
    """Ask a parser for everything that it can tell."""
    nbest = 3 if "chart" in repr(parser) else 1  # greedy decoders have one answer only
    for parse in parser.pipe(texts, nbest):
        drawn = f"{parse}\n{parse.to_svg()}\n{parse.to_latex()}"
        row: Row = json.loads(parse.to_json(execute=True, explained=True))
        row |= {"notes": parse.notes, "marks": parse.marks, "drawn": digest(drawn.encode())}
        yield row


def losses(*, quick: bool) -> Iterator[Row]:
    """Train by each recipe for some twenty steps, and ask what came of it."""
    for line in lines_of("trainings.txt", quick=quick):
        with workshop() as shop:
            row = shop.run(f"train {line} --dev_every 0.05 --output run")
            for which in ("best", "last"):
                if (file := shop.folder / "run" / f"model-{which}" / "model.safetensors").is_file():
                    row[which] = model_contents(file)
            if "best" in row:
                parser = lear.Parser.from_pretrained(shop.folder / "run", unknown_words="overlook")
                domain = re.split("[/ ]", line)[0]
                row["answers"] = [*whole_answers(parser, own_sentences(domain))]
        yield {**row, "id": line}


def model_contents(file: Path) -> Row:
    """Read the texts of a model, and how large its weights are."""
    with file.open("rb") as stream:
        (length,) = struct.unpack("<Q", stream.read(8))
        texts = json.loads(stream.read(length))["__metadata__"]
    weights = {name: float(abs(w.astype("float64")).sum()) for name, w in load_file(file).items()}
    known = {name: told(text) for name, text in texts.items() if name != "sha256"}
    return {"texts": known, "weights": weights}


def commands(*, quick: bool) -> Iterator[Row]:
    """Run the command line, one command after the other in the same folder."""
    with workshop() as shop:
        for line in lines_of("commands.txt", quick=quick):
            if line.startswith("file "):
                _, name, text = shlex.split(line)
                file = shop.folder / name
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(text.encode().decode("unicode_escape").encode("latin-1"))
                shop.new_files()
            else:
                yield {**shop.run(line), "id": f"lear {line}"}


def api(*, quick: bool) -> Iterator[Row]:
    """Ask services over HTTP."""
    blocks: list[list[str]] = []
    for line in lines_of("requests.txt", quick=quick):
        if line.startswith("service "):
            blocks.append([])
        blocks[-1].append(line)
    for service, *requests in blocks:
        with workshop() as shop:
            yield from shop.serve(service, requests)


PARTS: dict[str, Callable[..., Iterator[Row]]] = {
    **{f"answers/{model}": partial(answers, model) for model in MODELS},
    "losses": losses,
    "commands": commands,
    "api": api,
}


# Writing and comparing records.


def write(folder: Path, parts: Sequence[str], *, quick: bool) -> None:
    """Write the record of each part, and a summary with a digest of the forms of each file."""
    (folder / "answers").mkdir(parents=True, exist_ok=True)
    summary_file = folder / "summary.json"
    summary = json.loads(summary_file.read_text()) if summary_file.is_file() else {}
    for part in parts:
        began, count, forms = time.perf_counter(), 0, dict[str, Any]()
        with gzip.open(folder / f"{part}.jsonl.gz", "wt") as stream:
            for row in PARTS[part](quick=quick):
                count += 1
                stream.write(json.dumps(row) + "\n")
                if "form" in row:
                    source = row["id"].rpartition(":")[0]
                    text = f"{row['form'] or row['reason']}\n"
                    forms.setdefault(source, hashlib.sha256()).update(text.encode())
        seconds = time.perf_counter() - began
        digests = {source: of_forms.hexdigest() for source, of_forms in forms.items()}
        summary[part] = {"rows": count, "quick": quick, "package": lear.__file__} | digests
        summary_file.write_text(json.dumps(summary, indent=1) + "\n")
        sys.stdout.write(f"{part}: {count} rows, {seconds:.0f} s\n")
        sys.stdout.flush()


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Record what lear does, and compare two records.")
    tasks = parser.add_subparsers(dest="task", required=True)
    writing = tasks.add_parser("write", help="ask for everything, and record what comes")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--quick", action="store_true", help="ask for a part of it")
    comparing = tasks.add_parser(
        "compare", help="print what differs; the exit code is 1 if it does"
    )
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--tolerance", type=float, default=1e-6, help="of fractions (1e-6)")
    comparing.add_argument("--show", type=int, default=3, metavar="N", help="rows of a part (3)")
    for task in (writing, comparing):
        task.add_argument("--only", nargs="+", metavar="PART", default=[""], help=", ".join(PARTS))
    options = parser.parse_args()
    parts = [part for part in PARTS if part.startswith(tuple(options.only))]
    if not parts:
        parser.error(f"there is no such part; there are {', '.join(PARTS)}")
    if options.task == "compare":
        folders = options.before, options.after
        return 0 if compare(*folders, parts, options.tolerance, options.show) else 1
    if not DATA.is_dir():
        parser.error("LEAR_DATA has to name the folder with the files of the benchmarks")
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets decides how sums are rounded
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
    write(options.folder, parts, quick=options.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
