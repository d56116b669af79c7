"""Files: found, checked, downloaded whole or not at all."""

import errno
import hashlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lear.domains.cogs.corpus import read_rows
from lear.errors import DataError
from lear.storage.data_file import DataFile, numbered_lines
from lear.storage.data_folder import DataFolder
from lear.storage.download import download, source_url

CONTENT = b"A rose .\trose ( x _ 1 )\tcategory\n" * 5_000
FILE = DataFile(
    "cogs/train.tsv",
    hashlib.sha256(CONTENT).hexdigest(),
    len(CONTENT),
    "http://127.0.0.1:9/nobody-listens-here",
)


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that a server on this machine offers as LEAR_MIRROR."""
    folder = tmp_path / "mirror"
    (folder / "cogs").mkdir(parents=True)
    (folder / "cogs/train.tsv").write_bytes(CONTENT)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(folder))  # type: ignore[arg-type]

        def log_message(self, *arguments: object) -> None:
            del arguments

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *arguments: object) -> None:
            del arguments  # a client that hangs up is what one test is about

    with Server(("127.0.0.1", 0), Quiet) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("LEAR_MIRROR", f"http://127.0.0.1:{server.server_port}/")
        yield folder
        server.shutdown()
        thread.join()


def ignore(received: int) -> None:
    del received


def everything_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_download_arrives_whole_and_counts_its_bytes(mirror: Path, tmp_path: Path) -> None:
    received: list[int] = []
    path = download(FILE, tmp_path / "data", received.append)
    assert path.read_bytes() == CONTENT
    assert sum(received) == len(CONTENT)
    assert len(received) > 1
    assert everything_in(tmp_path / "data") == [path]
    assert DataFolder(tmp_path / "data", "test").state(FILE) == "ok"


@pytest.mark.parametrize(
    ("served", "cause"),
    [
        (b"X" + CONTENT[1:], "wrong checksum"),
        (CONTENT[:-7], "ended after"),
        (CONTENT + b"more", "longer than"),
    ],
)
def test_a_wrong_download_leaves_nothing(
    mirror: Path, tmp_path: Path, served: bytes, cause: str
) -> None:
    (mirror / FILE.path).write_bytes(served)
    with pytest.raises(DataError, match=cause):
        download(FILE, tmp_path / "data", ignore)
    assert everything_in(tmp_path / "data") == []


def test_a_failed_download_keeps_the_file_that_was_there(mirror: Path, tmp_path: Path) -> None:
    target = tmp_path / "data" / FILE.path
    target.parent.mkdir(parents=True)
    target.write_text("older")
    (mirror / FILE.path).unlink()
    with pytest.raises(DataError, match="404"):
        download(FILE, tmp_path / "data", ignore)
    assert target.read_text() == "older"


def test_no_network_says_what_to_put_where(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="LEAR_DATA") as caught:
        download(FILE, tmp_path / "data", ignore)
    assert str(tmp_path / "data/cogs/train.tsv") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_full_disk_is_one_line_and_leaves_nothing(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        download(FILE, tmp_path / "data", ignore)
    assert everything_in(tmp_path / "data") == []


def test_an_interrupted_download_leaves_nothing(mirror: Path, tmp_path: Path) -> None:
    def interrupt(received: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(FILE, tmp_path / "data", interrupt)
    assert everything_in(tmp_path / "data") == []


def test_the_authors_address_is_used_without_a_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEAR_MIRROR", raising=False)
    assert source_url(FILE) == FILE.url


def test_the_option_comes_before_the_variable_and_that_before_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAR_DATA", str(tmp_path / "variable"))
    assert DataFolder.choose(str(tmp_path)).root == tmp_path
    assert DataFolder.choose(None).root == tmp_path / "variable"
    monkeypatch.delenv("LEAR_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert DataFolder.choose(None).root == tmp_path / "cache/lear"


def test_a_missing_file_says_where_it_was_looked_for_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="lear data get cogs") as caught:
        DataFolder(tmp_path, "--data").find(FILE)
    assert str(tmp_path / "cogs/train.tsv") in str(caught.value)


def test_a_changed_file_is_seen(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path, "--data")
    assert folder.state(FILE) == "missing"
    path = tmp_path / FILE.path
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    assert folder.state(FILE) == "ok"
    path.write_bytes(CONTENT[:-1] + b"x")  # same size
    assert folder.state(FILE) == "differs"


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"a\tb\tc\na\tb\n", ":2: expected 3 columns"),
        (b"a\tb\tc\td\n", ":1: expected 3 columns"),
        (b"a\tb\tc\n\n", ":2: expected 3 columns"),
        (b"  \tb\tc\n", ":1: the sentence is empty"),
        (b"a\t\tc\n", ":1: the form is empty"),
        (b"a\tb\tc\n\xff\tb\tc\n", ":2: not UTF-8"),
        (b"", ": the file is empty"),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, content: bytes, cause: str) -> None:
    path = tmp_path / "train.tsv"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_rows(path)
    assert f"train.tsv{cause}" in str(caught.value)


def test_a_folder_in_place_of_a_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        list(numbered_lines(tmp_path))
