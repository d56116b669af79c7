"""Models and checkpoints that are damaged, or crafted and signed: one line, never a traceback.

What is damaged is refused: nothing loads in silence that is not what was written.
"""

import json
import random
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors.numpy
from safetensors import safe_open

from lear.errors import LearError
from lear.learning.run_folder import RunFolder
from lear.model.model_file import signed
from lear.parser import Parser
from lear.storage.datasets import find_model
from tests.stress.damage import changed_json, damaged
from tests.stress.forks import in_child
from tests.stress.killed_runs import go_on
from tests.stress.results import Sizes, StageResult, scratch_folder
from tests.support.pairs_model import PAIRS_SENTENCES, train_on_pairs
from tests.support.shipped import SENTENCES
from tests.support.toy_model import TOY_SENTENCES

CHUNK = 250
"""Files that one process looks at."""
TIME_LIMIT = 900.0
Verdict = Literal["refused", "taken", "traceback"]


def stress(sizes: Sizes) -> StageResult:
    """Read so many files that are not what was written."""
    result = StageResult("files", {"files": 0, "tracebacks": 0, "damage that loads in silence": 0})
    with scratch_folder() as root:
        go_on(root / "run")
        train_on_pairs(root / "pairs")
        for begin in range(0, sizes.files, CHUNK):
            number = min(CHUNK, sizes.files - begin)
            rng = random.Random(f"{sizes.seed} {begin}")
            ended = in_child(lambda n=number, r=rng: _look(root, n, r), TIME_LIMIT)  # type: ignore[misc]
            if ended.value is None:
                result.count("tracebacks")
                result.breach(f"files {begin} to {begin + number}: {ended.error or ended}")
                continue
            for name, count in ended.value["counts"].items():
                result.count(name, count)
            for failure in ended.value["failures"]:
                result.breach(failure)
    return result


def _look(root: Path, number: int, rng: random.Random) -> dict[str, Any]:
    """Read so many files; tell how many of each kind there were, and what was wrong."""
    run = RunFolder(root / "run")
    models = {
        run.model("best"): TOY_SENTENCES,
        run.model("last"): TOY_SENTENCES,
        RunFolder(root / "pairs").model("best"): PAIRS_SENTENCES,
        **{find_model(name): sentences for name, sentences in SENTENCES.items()},
    }
    counts: Counter[str] = Counter(files=number)
    failures = []
    for _ in range(number):
        is_model, is_damage = rng.random() < 0.7, rng.random() < 0.6
        source = rng.choice(list(models)) if is_model else run.checkpoint
        content = damaged(source.read_bytes(), rng) if is_damage else crafted(source, rng)
        verdict, reason = (
            use_model(root, content, models[source]) if is_model else _use_checkpoint(run, content)
        )
        counts[f"{'damaged' if is_damage else 'crafted'}, {verdict}"] += 1
        if verdict == "traceback":
            counts["tracebacks"] += 1
            failures.append(f"{source}: {reason}")
        elif verdict == "taken" and is_damage:
            counts["damage that loads in silence"] += 1
            failures.append(f"{source}: taken, though it is damaged")
    return {"counts": counts, "failures": failures}


def use_model(root: Path, content: bytes, sentences: Sequence[str]) -> tuple[Verdict, str]:
    """Load a model and parse with it; what refuses to load it must name it."""
    path = root / "model.safetensors"
    path.write_bytes(content)

    loaded: list[Parser] = []

    def use() -> None:
        loaded.append(Parser.from_pretrained(path, unknown_words="overlook"))
        for parse in loaded[0].parse_batch(sentences):
            parse.to_json()

    verdict, reason = _verdict(use)
    if verdict == "refused" and not loaded and str(path) not in reason:
        return "traceback", f"no file is named: {reason}"
    return verdict, reason


def _use_checkpoint(run: RunFolder, content: bytes) -> tuple[Verdict, str]:
    """Go on with a run from a checkpoint."""
    good = run.checkpoint.read_bytes()
    run.checkpoint.write_bytes(content)
    try:
        return _verdict(lambda: go_on(run.root))
    finally:
        run.checkpoint.write_bytes(good)


def _verdict(use: Callable[[], None]) -> tuple[Verdict, str]:
    try:
        use()
    except LearError as error:
        reason = str(error)
        return ("refused", reason) if "\n" not in reason else ("traceback", f"two lines: {reason}")
    except Exception as error:  # noqa: BLE001
        place = traceback.extract_tb(error.__traceback__)[-1]
        return "traceback", f"{type(error).__name__}: {error} [{place.filename}:{place.lineno}]"
    return "taken", ""


def crafted(source: Path, rng: random.Random) -> bytes:
    """A file with something odd in it, and a checksum that fits."""
    with safe_open(str(source), framework="numpy") as file:
        metadata = dict(file.metadata())
        tensors = {name: file.get_tensor(name) for name in list(file.keys())}
    name = rng.choice(list(tensors))
    kind = rng.randrange(8)
    if kind == 0:
        odd = rng.choice((np.nan, np.inf, -np.inf, 1e30, 0.0))
        tensors[name] = np.full_like(tensors[name], odd)
    elif kind == 1:
        kinds = (np.float16, np.float64, np.int64, np.uint8, np.bool_)
        tensors[name] = tensors[name].astype(rng.choice(kinds))
    elif kind == 2:
        other = rng.choice((tensors[name].T.copy(), np.zeros(0, np.float32), tensors[name][None]))
        tensors[rng.choice((name, f"{name}x"))] = other
    elif kind == 3:
        del tensors[name]
    else:
        texts = {key for key, text in metadata.items() if text.startswith("{")}
        key = rng.choice(sorted(texts))
        metadata[key] = json.dumps(changed_json(json.loads(metadata[key]), rng))
    return safetensors.numpy.save(tensors, signed(metadata, tensors))
