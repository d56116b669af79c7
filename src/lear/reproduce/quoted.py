"""Figures of others: the rows of the paper's tables, and later systems, as they were published."""

from lear.reproduce.table import Quoted

PAPER = "the paper"
KIM = "Kim & Linzen 2020"
KEYSERS = "Keysers et al. 2020"
FURRER = "Furrer et al. 2020"
HERZIG = "Herzig & Berant 2020"

COGS = (
    Quoted("Transformer", KIM, {"gen_original_lenient": "35 ± 6"}),
    Quoted("LSTM (Bi)", KIM, {"gen_original_lenient": "16 ± 8"}),
    Quoted("LSTM (Uni)", KIM, {"gen_original_lenient": "32 ± 6"}),
    Quoted("T5 + CSL, not in the paper", "Qiu et al. 2022", {"gen_original_lenient": "99.5"}),
    Quoted("LeAR", PAPER, {"gen_original_lenient": "97.7 ± 0.7"}),
    Quoted("LeAR without abstraction", PAPER, {"gen_original_lenient": "94.5 ± 2.8"}),
    Quoted("LeAR without semantic locality", PAPER, {"gen_original_lenient": "94.0 ± 3.6"}),
    Quoted("LeAR without Tree-LSTM", PAPER, {"gen_original_lenient": "80.7 ± 4.3"}),
)


def _cfq(name: str, source: str, *figures: str) -> Quoted:
    """A row of the paper's CFQ tables: the mean of the three splits, then each of them."""
    keys = ("mean", "mcd1_lenient", "mcd2_lenient", "mcd3")
    return Quoted(name, source, dict(zip(keys, figures, strict=False)))


CFQ = (
    _cfq("LSTM + attention", KEYSERS, "14.9 ± 1.1", "28.9 ± 1.8", "5.0 ± 0.8", "10.8 ± 0.6"),
    _cfq("Transformer", KEYSERS, "17.9 ± 0.9", "34.9 ± 1.1", "8.2 ± 0.3", "10.6 ± 1.1"),
    _cfq("Universal Transformer", KEYSERS, "18.9 ± 1.4", "37.4 ± 2.2", "8.1 ± 1.6", "11.3 ± 0.3"),
    _cfq("Evolved Transformer", FURRER, "20.8 ± 0.7", "42.4 ± 1.0", "9.3 ± 0.8", "10.8 ± 0.2"),
    _cfq("T5-11B", FURRER, "40.9 ± 4.3", "61.4 ± 4.8", "30.1 ± 2.2", "31.2 ± 5.7"),
    _cfq("T5-11B-mod", FURRER, "42.1 ± 9.1", "61.6 ± 12.4", "31.3 ± 12.8", "33.3 ± 2.3"),
    _cfq("Neural Shuffle Exchange", FURRER, "2.8 ± 0.3", "5.1 ± 0.4", "0.9 ± 0.1", "2.3 ± 0.3"),
    _cfq("CGPS", FURRER, "7.1 ± 1.8", "13.2 ± 3.9", "1.6 ± 0.8", "6.6 ± 0.6"),
    _cfq("HPD", "Guo et al. 2020", "67.3 ± 4.1", "72.0 ± 7.5", "66.1 ± 6.4", "63.9 ± 5.7"),
    _cfq("T5-3B + intermediate forms, not in the paper", "Herzig et al. 2021", "83.8"),
    _cfq("least-to-most prompting, not in the paper", "Drozdov et al. 2022", "95.0"),
    _cfq("LeAR", PAPER, "90.9 ± 1.2", "91.7 ± 1.0", "89.2 ± 1.9", "91.7 ± 0.6"),
    _cfq("LeAR without abstraction", PAPER, "85.4 ± 4.5", "88.4 ± 1.6", "80.0 ± 11", "87.9 ± 0.8"),
    _cfq(
        "LeAR without semantic locality",
        PAPER, "87.9 ± 2.7", "89.8 ± 1.7", "87.3 ± 1.8", "86.5 ± 4.6",
    ),
    _cfq(
        "LeAR without primitive-based reward",
        PAPER, "85.3 ± 7.8", "77.0 ± 19", "89.2 ± 2.2", "89.7 ± 2.1",
    ),
    _cfq(
        "LeAR without curriculum",
        PAPER, "71.9 ± 15.4", "59.7 ± 23", "77.2 ± 13.5", "78.8 ± 9.6",
    ),
    _cfq("LeAR without Tree-LSTM", PAPER, "30.4 ± 3.2", "40.1 ± 1.9", "25.6 ± 6.1", "25.4 ± 1.8"),
)  # fmt: skip

GEO = (
    Quoted("Seq2Seq", HERZIG, {"query_lenient": "46.0"}),
    Quoted("BERT2Seq", HERZIG, {"query_lenient": "49.6"}),
    Quoted("GRAMMAR", HERZIG, {"query_lenient": "54.0"}),
    Quoted("PDE", "Guo et al. 2020", {"query_lenient": "81.2"}),
    Quoted("SpanBasedSP", HERZIG, {"query_lenient": "82.2"}),
    Quoted("LeAR", PAPER, {"query_lenient": "84.1"}),
)

RATIOS = (
    _cfq("LeAR, 1 : 1 : 1", PAPER, "87.4 ± 7.1", "91.5 ± 2.1", "89.4 ± 2.3", "81.2 ± 17"),
    _cfq("LeAR, 1 : 0.5 : 0.1", PAPER, "90.9 ± 1.2", "91.7 ± 1.0", "89.2 ± 1.9", "91.7 ± 0.6"),
    _cfq("LeAR, 1 : 0.1 : 0.1", PAPER, "86.7 ± 3.9", "89.4 ± 1.6", "85.8 ± 2.7", "84.9 ± 7.5"),
)

LENGTH = (Quoted("LeAR, mean of MCD1, 2 and 3", PAPER, {"26-30": "86.3"}),)

ERRORS = (
    Quoted("LeAR, MCD1", PAPER, {"composer": "45.70", "interpreter": "54.30"}),
    Quoted("LeAR, MCD2", PAPER, {"composer": "32.05", "interpreter": "67.95"}),
    Quoted("LeAR, MCD3", PAPER, {"composer": "39.83", "interpreter": "60.17"}),
)

_STATISTICS = (
    "train", "dev", "test", "vocabulary", "input_train", "input_test", "output_train",
    "output_test", "input_coverage", "output_coverage",
)  # fmt: skip
_CFQ_DATA = (
    "95,743", "11,968", "11,968", "96", "13.5", "15.1", "27.7", "34.0", "0.022", "0.045",
)  # fmt: skip
_COGS_DATA = (
    "24,155", "3,000", "21,000", "740", "7.5", "9.8", "43.6", "67.6", "0.783", "0.782",
)  # fmt: skip
CFQ_STATISTICS = Quoted("CFQ", PAPER, dict(zip(_STATISTICS, _CFQ_DATA, strict=True)))
COGS_STATISTICS = Quoted("COGS", PAPER, dict(zip(_STATISTICS, _COGS_DATA, strict=True)))

_RAN = "measured on a machine like ours"


def _speed(name: str, training: str, parsing: str) -> Quoted:
    return Quoted(f"{name}, the paper's own code", _RAN, {"train": training, "parse": parsing})


COGS_SPEED = _speed("COGS", "16.4", "77")
CFQ_SPEED = _speed("CFQ", "5.1", "33")
GEO_SPEED = _speed("GEO", "8.5", "62")
