"""The sample that exact training learns from."""

from collections import Counter

from lear.forest.oracle import Oracle
from lear.grammar.reading import CategoryLeaf, Skeleton
from lear.learning.exact import MIN_SENTENCES, choose, make_problems
from tests.support.toy_rows import TRAIN

COMMON = [Skeleton(("did", None, "x"), (CategoryLeaf(1, 2, 0),))] * 500
RARE = [Skeleton(("did", None, "y"), (CategoryLeaf(1, 2, 0),))] * 3


def test_what_is_rare_is_never_left_out() -> None:
    for seed in range(20):
        chosen = choose([*COMMON, *RARE], MIN_SENTENCES + 30, seed)
        assert {500, 501, 502} <= set(chosen)
        assert len(chosen) == len(set(chosen)) == MIN_SENTENCES + 30


def test_all_are_taken_where_there_are_few() -> None:
    assert choose(RARE, 3, seed=1) == [0, 1, 2]


def test_the_seed_decides_between_equals() -> None:
    assert choose(COMMON, 50, seed=1) == choose(COMMON, 50, seed=1) != choose(COMMON, 50, seed=2)


def test_a_limit_means_so_many_skeletons_with_one_row_each(toy_oracle: Oracle) -> None:
    skeletons = Counter(toy_oracle.reader.read(row.tokens).skeleton for row in TRAIN)
    limit = len(skeletons) // 2
    data = make_problems(toy_oracle.reader, TRAIN, limit=limit, seed=1)
    assert data.num_rows == len(data.problems) == limit
    assert len({problem.reading.skeleton for problem in data.problems}) == limit
    assert all(problem.count == 1 for problem in data.problems)
