"""The COGS files: where to get them, and how to read their rows (sentence, form, group)."""

from collections.abc import Callable
from pathlib import Path

from lear.domain.example import Benchmark, Example
from lear.errors import DataError
from lear.storage.data_file import DataFile, numbered_lines, refuse_empty

UPSTREAM = "https://raw.githubusercontent.com/najoungkim/COGS"
BEFORE_CORRECTION = "86c9be5929c3b86b510afdfe56a4df9d5d341ab9"


def _file(name: str, sha256: str, size: int, url: str = "") -> DataFile:
    return DataFile(f"cogs/{name}", sha256, size, url or f"{UPSTREAM}/main/data/{name}")


TRAIN = _file(
    "train.tsv", "220b3804b562c0156ee986eff1bdd15c27e52142549362a64f57baf86e304c78", 4_146_574
)
DEV = _file("dev.tsv", "ab66388a309c7ac1ad210c781a6a0ce12281a9ef24619a12422a752cef61bc21", 522_121)
TEST = _file(
    "test.tsv", "68f8e51e9f6d9cd22d64efe68dd21d7ea5ba327e9a2359481030161aea757035", 521_111
)
GEN = _file(
    "gen.tsv", "d013d9eee0bafc153f8decc85f42814ac97260f84964d980e1e2b84577b82361", 5_532_102
)
GEN_ORIGINAL = _file(
    "gen_original.tsv",
    "410369d993e7cf3af9bb75835a77b1a332b56e60985a8bf1e7d75c30e91d4828",
    5_532_102,
    url=f"{UPSTREAM}/{BEFORE_CORRECTION}/data/gen.tsv",
)

BENCHMARKS = (
    Benchmark(
        "cogs/gen",
        "generalisation set, corrected 2022-09-13",
        {"train": (TRAIN,), "dev": (DEV,), "test": (GEN,)},
    ),
    Benchmark(
        "cogs/gen_original",
        "generalisation set as the 2021 papers used it: 51 other forms",
        {"train": (TRAIN,), "dev": (DEV,), "test": (GEN_ORIGINAL,)},
    ),
    Benchmark(
        "cogs/test",
        "test set from the distribution of train",
        {"train": (TRAIN,), "dev": (DEV,), "test": (TEST,)},
    ),
)

GROUP_TITLES = {
    "subj_to_obj_common": "3.1.1 subject to object, common noun",
    "subj_to_obj_proper": "3.1.2 subject to object, proper noun",
    "obj_to_subj_common": "3.1.3 object to subject, common noun",
    "obj_to_subj_proper": "3.1.4 object to subject, proper noun",
    "prim_to_subj_common": "3.1.5 lone word to subject, common noun",
    "prim_to_subj_proper": "3.1.6 lone word to subject, proper noun",
    "prim_to_obj_common": "3.1.7 lone word to object, common noun",
    "prim_to_obj_proper": "3.1.8 lone word to object, proper noun",
    "prim_to_inf_arg": "3.1.9 lone word to infinitive",
    "obj_pp_to_subj_pp": "3.2.1 object modifier to subject modifier",
    "cp_recursion": "3.3.1 deeper sentential complements",
    "pp_recursion": "3.3.2 deeper prepositional phrases",
    "active_to_passive": "3.4.1 active to passive",
    "passive_to_active": "3.4.2 passive to active",
    "obj_omitted_transitive_to_transitive": "3.4.3 object omitted to transitive",
    "unacc_to_transitive": "3.4.4 unaccusative to transitive",
    "do_dative_to_pp_dative": "3.4.5 double object to prepositional dative",
    "pp_dative_to_do_dative": "3.4.6 prepositional dative to double object",
    "only_seen_as_transitive_subj_as_unacc_subj": "3.5.1 agent noun with unaccusative verb",
    "only_seen_as_unacc_subj_as_obj_omitted_transitive_subj": "3.5.2 theme noun, object omitted",
    "only_seen_as_unacc_subj_as_unerg_subj": "3.5.3 theme noun with unergative verb",
}
"""Group of rows -> section of Kim & Linzen (2020), where it is called a category."""
STRUCTURAL_GROUPS = frozenset({"obj_pp_to_subj_pp", "cp_recursion", "pp_recursion"})
"""Groups that need new structures; the others use known words in new positions."""


def load(benchmark: Benchmark, part: str, find: Callable[[DataFile], Path]) -> list[Example]:
    """The rows of one part of a benchmark."""
    (file,) = benchmark.files[part]
    return read_rows(find(file))


def read_rows(path: Path) -> list[Example]:
    """The rows of a COGS file; a row without three filled columns is an error."""
    examples = []
    for number, line in numbered_lines(path):
        columns = line.split("\t")
        if len(columns) != 3:
            raise DataError(
                f"{path}:{number}: expected 3 columns (sentence, form, category) "
                f"separated by tabs, found {len(columns)}"
            )
        sentence, form, group = columns
        source, tokens = f"{path}:{number}", tuple(sentence.split())
        refuse_empty(tokens, "sentence", source)
        refuse_empty(form.strip(), "form", source)
        examples.append(Example(tokens, form, group, source))
    if not examples:
        raise DataError(f"{path}: the file is empty")
    return examples
