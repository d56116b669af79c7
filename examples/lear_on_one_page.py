"""The method of LeAR on one page: Composer, Interpreter, REINFORCE, and the exact objective.

Read it from top to bottom. It imports nothing from `lear`; the library does the same for any
language, faster. `python examples/lear_on_one_page.py` trains two parsers on short sentences of a
toy language, and scores them on longer ones. Sections and equations are those of the paper.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

# 1. The language: pairs of a sentence and its meaning. A meaning is a name with its arguments, such
# as ("like", ("ann",), ("mother", ("bob",))).

NAMES, RELATIONS = ["ann", "bob", "carl", "dora"], ["mother", "friend", "boss"]
VERBS = {"like": ("likes", "is liked by"), "help": ("helps", "is helped by")}
Meaning = tuple[Any, ...]
Pair = tuple[list[str], Meaning]
Table = dict[str, list[str]]


def random_phrase(rng: random.Random, depth: int, width: int) -> tuple[str, Meaning]:
    """Draw at most `width` noun phrases, joined by `and`, each with at most `depth` relations."""
    if width > 1:
        drawn = [random_phrase(rng, depth, 1) for _ in range(rng.randint(1, width))]
        words, meanings = zip(*drawn, strict=True)
        return " and ".join(words), meanings[0] if len(drawn) == 1 else ("list", *meanings)
    if depth == 0 or rng.random() < 0.3:
        name = rng.choice(NAMES)
        return name, (name,)
    relation = rng.choice(RELATIONS)
    phrase, meaning = random_phrase(rng, depth - 1, 1)
    return f"the {relation} of {phrase}", (relation, meaning)


def random_pair(rng: random.Random, depth: int, width: int) -> Pair:
    """Draw a sentence and its meaning: the verb, its agent, and its theme."""
    (left, first), (right, second) = (random_phrase(rng, depth, width) for _ in range(2))
    verb, (active, passive) = rng.choice(list(VERBS.items()))
    words, roles = rng.choice([(active, (first, second)), (passive, (second, first))])
    return f"{left} {words} {right}".split(), (verb, *roles)


# 2. The algebra (section 2): typed primitives, and typed operations on two neighbours. Signatures
# say which operations are legal; where several are, the right one has to be learned.

PRIMITIVES = dict.fromkeys(NAMES, "Entity") | dict.fromkeys(RELATIONS, "Relation")
PRIMITIVES |= dict.fromkeys(VERBS, "Verb")
TYPES = {"Entity", "List", "Relation", "Verb", "Phrase", "Sentence"}
ENTITIES = {"Entity", "List"}
Typed = tuple[str, Meaning]  # a type and a meaning


class Operation(NamedTuple):
    """A function of two meanings, with its signature."""

    left: set[str]
    right: set[str]
    result: str
    apply: Callable[[Meaning, Meaning], Meaning]


def elements(meaning: Meaning) -> Meaning:
    """Return the elements of a list, or a single meaning as the only one."""
    return meaning[1:] if meaning[0] == "list" else (meaning,)


OPERATIONS = [
    # mother + ann => mother(ann); ann + bob => list(ann, bob)
    Operation({"Relation"}, ENTITIES, "Entity", lambda relation, entity: (*relation, entity)),
    Operation(ENTITIES, ENTITIES, "List", lambda a, b: ("list", *elements(a), *elements(b))),
    # like + ann => like(ann); then bob + like(ann) => like(bob, ann), or the other way round
    Operation({"Verb"}, ENTITIES, "Phrase", lambda verb, entity: (*verb, entity)),
    Operation(ENTITIES, {"Phrase"}, "Sentence", lambda e, phrase: (phrase[0], e, *phrase[1:])),
    Operation(ENTITIES, {"Phrase"}, "Sentence", lambda entity, phrase: (*phrase, entity)),
]


def legal(left: Typed, right: Typed) -> list[tuple[int, Typed]]:
    """Return the numbers of the legal operations, with their results."""
    return [
        (number, (operation.result, operation.apply(left[1], right[1])))
        for number, operation in enumerate(OPERATIONS)
        if left[0] in operation.left and right[0] in operation.right
    ]


def parts(meaning: Meaning) -> list[Meaning]:
    """Return a meaning and all meanings inside it."""
    return [meaning, *(part for argument in meaning[1:] for part in parts(argument))]


# 3. The phrase table (section 4.2): a word may stand for what occurs in the meaning of every row
# that has the word. Words for which nothing is left are function words.


def phrase_table(pairs: list[Pair]) -> Table:
    """Return the primitives that each content word may stand for."""
    common: dict[str, set[str]] = {}
    for words, meaning in pairs:
        said = {part[0] for part in parts(meaning)} & PRIMITIVES.keys()
        common |= {word: common.get(word, said) & said for word in words}
    return {word: sorted(candidates) for word, candidates in common.items() if candidates}


class Reading:
    """A sentence as units, which stand for something, and the function words between them."""

    def __init__(self, words: list[str], table: Table) -> None:
        self.words = words
        self.units = [place for place, word in enumerate(words) if word in table]
        self.candidates = [table[words[place]] for place in self.units]
        borders = zip(self.units, self.units[1:], strict=False)
        self.gaps = [tuple(words[begin + 1 : end]) for begin, end in borders]


# 4. The network (section 3). A node sees the types of its two constituents and the words between
# them, but not the words inside: this is abstraction (Eq. 6), and why a node deep inside a long
# sentence is scored like one of a short sentence. A Tree-LSTM encodes what the node sees. From its
# state the Composer scores the merge, and the Interpreter the operations (semantic locality).


class Network(nn.Module):
    """Composer and Interpreter."""

    def __init__(self, symbols: list[str], size: int = 24) -> None:
        super().__init__()
        self.number = {symbol: number for number, symbol in enumerate(symbols)}
        self.embed = nn.Embedding(len(symbols), size)
        self.gates = nn.Linear(2 * size, 4 * size)  # the cell of the Tree-LSTM
        self.scores = nn.Linear(size, 1 + len(OPERATIONS))
        self.context = nn.LSTM(size, size // 2, bidirectional=True)
        self.cache: dict[tuple[str, ...], Tensor] = {}  # emptied when the weights change

    def vectors(self, symbols: Sequence[str]) -> Tensor:
        """Embed words, types or primitives, (symbols, size)."""
        return self.embed.weight[[self.number[symbol] for symbol in symbols]]

    def node(self, *seen: str) -> tuple[Tensor, Tensor]:
        """Score a node by what it sees: its merge, and each operation, (operations,)."""
        if seen not in self.cache:
            first, *others = self.vectors(seen)
            h, c = first, torch.zeros_like(first)
            for x in others:
                i, f, o, u = self.gates(torch.cat([h, x])).chunk(4)
                c = f.sigmoid() * c + i.sigmoid() * u.tanh()
                h = o.sigmoid() * c.tanh()
            self.cache[seen] = self.scores(h)
        return self.cache[seen][0], self.cache[seen][1:]

    def lexical(self, reading: Reading) -> list[Tensor]:
        """Return log-probabilities of the candidates of each unit, by a Bi-LSTM."""
        states, _ = self.context(self.vectors(reading.words))
        pairs = zip(reading.candidates, reading.units, strict=True)
        return [(self.vectors(names) @ states[place]).log_softmax(0) for names, place in pairs]


# 5. REINFORCE (section 4). A rollout chooses a primitive for each unit, and merges neighbours until
# one constituent is left. It never sees gold: its answer is rewarded afterwards.


Rollout = tuple[Meaning, Tensor, Tensor]  # an answer, its log-probability, the mean entropy


def rollout(network: Network, reading: Reading, *, is_greedy: bool = False) -> Rollout:
    """Sample an answer, or take the likeliest steps."""
    log_probs, entropies = [], []

    def choose(scores: Tensor) -> int:
        log_p = scores.log_softmax(0)
        choice = int(log_p.argmax() if is_greedy else torch.multinomial(log_p.exp(), 1))
        log_probs.append(log_p[choice])
        entropies.append(-(log_p.exp() * log_p).sum())
        return choice

    pairs = zip(reading.candidates, network.lexical(reading), strict=True)
    names = [candidates[choose(scores)] for candidates, scores in pairs]
    row: list[Typed] = [(PRIMITIVES[name], (name,)) for name in names]
    gaps = list(reading.gaps)
    while len(row) > 1:
        places = [i for i in range(len(gaps)) if legal(row[i], row[i + 1])]
        if not places:  # a dead end, without an answer
            break
        nodes = [network.node(row[i][0], *gaps[i], row[i + 1][0]) for i in places]
        merge = choose(torch.stack([score for score, _ in nodes]))
        i, (_, scores) = places[merge], nodes[merge]
        results = legal(row[i], row[i + 1])
        row[i : i + 2] = [results[choose(scores[[number for number, _ in results]])][1]]
        del gaps[i]
    answer = row[0][1] if len(row) == 1 else ()
    return answer, torch.stack(log_probs).sum(), torch.stack(entropies).mean()


def reinforce_loss(network: Network, reading: Reading, gold: Meaning) -> Tensor:
    """Return -mean((reward - mean reward) * log-probability), less a little for the entropy."""
    answers, log_probs, entropies = zip(*(rollout(network, reading) for _ in range(6)), strict=True)
    wanted = set(parts(gold))
    found = [set(parts(answer)) if answer else set() for answer in answers]
    rewards = torch.tensor([len(f & wanted) / len(f | wanted) for f in found])  # Jaccard
    loss = -((rewards - rewards.mean()) * torch.stack(log_probs)).mean()
    return loss - 0.1 * torch.stack(entropies).mean()


# 6. The exact objective. Since a node is scored by what it sees, sums over all derivations are sums
# over a chart. Its items are spans with what is known of a constituent: only the type, for the sum
# over all legal derivations; the meaning too, for the sum over those of gold.

Show = Callable[[Typed], Typed | None]
log_sum = partial(torch.logsumexp, dim=0)


def inside(
    network: Network, reading: Reading, show: Show, plus: Callable[[Tensor], Tensor] = log_sum
) -> dict[Typed, Tensor]:
    """Sum the scores of all derivations of each item over the whole sentence, in a semiring."""
    lexical = network.lexical(reading)
    chart: dict[tuple[int, int], dict[Typed, Tensor]] = {}
    spans = combinations(range(len(lexical) + 1), 2)
    for begin, end in sorted(spans, key=lambda span: span[1] - span[0]):
        ways: dict[Typed | None, list[Tensor]] = defaultdict(list)
        if end == begin + 1:
            for name, score in zip(reading.candidates[begin], lexical[begin], strict=True):
                ways[show((PRIMITIVES[name], (name,)))].append(score)
        for middle in range(begin + 1, end):
            lefts, rights = chart[begin, middle], chart[middle, end]
            for left, right in product(lefts, rights):
                for number, result in legal(left, right):
                    merge, scores = network.node(left[0], *reading.gaps[middle - 1], right[0])
                    score = lefts[left] + rights[right] + merge + scores[number]
                    ways[show(result)].append(score)
        chart[begin, end] = {i: plus(torch.stack(s)) for i, s in ways.items() if i is not None}
    return chart[0, len(lexical)]


def exact_loss(network: Network, reading: Reading, gold: Meaning) -> Tensor:
    """Return log Z(legal) - log Z(gold)."""
    wanted: set[Meaning] = set()  # what can be a part of a derivation of gold
    for part in parts(gold):
        wanted |= {part, part[:1], *((part[0], argument) for argument in part[1:])}
        wanted |= {("list", *part[i:j]) for j in range(len(part) + 1) for i in range(1, j - 1)}
    legal_sums = inside(network, reading, lambda item: (item[0], ("x",)))
    gold_sums = inside(network, reading, lambda i: i if i[1] in wanted else None)
    return log_sum(torch.stack(list(legal_sums.values()))) - gold_sums["Sentence", gold]


def best(network: Network, reading: Reading) -> Meaning:
    """Return the meaning of the best derivation: the same chart with maxima for sums."""
    found = inside(network, reading, lambda item: item, partial(torch.amax, dim=0))
    return max(found, key=lambda item: found[item].item())[1] if found else ()


# 7. Training: short sentences first, which is the curriculum (section 4.3).

Loss = Callable[[Network, Reading, Meaning], Tensor]


def train(loss: Loss, pairs: list[Pair], table: Table, steps: int) -> Network:
    """Train a new network by a loss."""
    torch.manual_seed(1)
    rng = random.Random(1)
    words = {word for sentence, _ in pairs for word in sentence}
    network = Network(sorted(words | PRIMITIVES.keys() | TYPES))
    optimizer = torch.optim.Adam(network.parameters())
    pairs = sorted(pairs, key=lambda pair: len(pair[0]))
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.02 * (1 - step / steps)
        lesson = pairs[: max(20, 2 * len(pairs) * (step + 1) // steps)]
        losses = [loss(network, Reading(s, table), gold) for s, gold in rng.sample(lesson, 8)]
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        network.cache.clear()
    return network


def main() -> None:
    """Train both ways on short sentences, and score both on longer ones."""
    torch.set_num_threads(1)
    rng = random.Random(0)
    train_pairs = [random_pair(rng, depth=1, width=2) for _ in range(200)]
    test_pairs = [random_pair(rng, depth=3, width=3) for _ in range(50)]
    table = phrase_table(train_pairs)
    by_sampling = train(reinforce_loss, train_pairs, table, steps=70)
    by_sums = train(exact_loss, train_pairs, table, steps=40)
    with torch.no_grad():
        readings = [(Reading(words, table), gold) for words, gold in test_pairs]
        greedy = sum(rollout(by_sampling, r, is_greedy=True)[0] == gold for r, gold in readings)
        exact = sum(best(by_sums, reading) == gold for reading, gold in readings)
        print(" ".join(test_pairs[0][0]), "=>", best(by_sums, readings[0][0]))
    print(f"of {len(readings)} longer sentences: REINFORCE {greedy}, exact objective {exact} right")


if __name__ == "__main__":
    main()
