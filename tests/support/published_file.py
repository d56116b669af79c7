"""A file as its authors might publish it."""

import hashlib

from lear.storage.datasets import DataFile

CONTENT = b"A rose .\trose ( x _ 1 )\tcategory\n" * 5_000
FILE = DataFile(
    "cogs/train.tsv",
    hashlib.sha256(CONTENT).hexdigest(),
    len(CONTENT),
    "http://127.0.0.1:9/nobody-listens-here",
)
