"""Files are downloaded whole or not at all."""

import errno
import http.server
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lear.errors import DataError
from lear.storage.datasets import DataFolder, download, source_url
from tests.support.published_file import CONTENT, FILE


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
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        monkeypatch.setenv("LEAR_MIRROR", f"http://127.0.0.1:{server.server_port}/")
        yield folder
        server.shutdown()
        thread.join()


def ignore(received: int) -> None:
    del received


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_download_arrives_whole_and_counts_its_bytes(mirror: Path, tmp_path: Path) -> None:
    received: list[int] = []
    path = download(FILE, tmp_path / "data", received.append)
    assert path.read_bytes() == CONTENT
    assert sum(received) == len(CONTENT)
    assert len(received) > 1
    assert files_in(tmp_path / "data") == [path]
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
    assert not (tmp_path / "data").exists()


def test_a_failed_download_keeps_the_file_that_was_there(mirror: Path, tmp_path: Path) -> None:
    target = tmp_path / "data" / FILE.path
    target.parent.mkdir(parents=True)
    target.write_text("older")
    (mirror / FILE.path).unlink()
    with pytest.raises(DataError, match="404"):
        download(FILE, tmp_path / "data", ignore)
    assert target.read_text() == "older"


def test_a_failed_download_keeps_the_folders_that_were_there(mirror: Path, tmp_path: Path) -> None:
    (mirror / FILE.path).unlink()
    (tmp_path / "data").mkdir()
    with pytest.raises(DataError, match="404"):
        download(FILE, tmp_path / "data", ignore)
    assert list((tmp_path / "data").iterdir()) == []
    (tmp_path / "data/cogs").mkdir()
    with pytest.raises(DataError, match="404"):
        download(FILE, tmp_path / "data", ignore)
    assert list((tmp_path / "data").rglob("*")) == [tmp_path / "data/cogs"]


@pytest.mark.parametrize("is_reset", [False, True])
def test_a_connection_that_dies_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_reset: bool
) -> None:
    def answer(server: socket.socket) -> None:
        connection, _ = server.accept()
        with connection:
            connection.recv(4096)
            head = f"HTTP/1.0 200 OK\r\nContent-Length: {FILE.size}\r\n\r\n".encode()
            connection.sendall(head + CONTENT[: FILE.size // 2])
            if is_reset:  # hang up without a word
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)

    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("LEAR_MIRROR", f"http://127.0.0.1:{server.getsockname()[1]}")
        thread = threading.Thread(target=answer, args=(server,))
        thread.start()
        with pytest.raises(DataError, match=r"ended after|no answer"):
            download(FILE, tmp_path / "data", ignore)
        thread.join()
    assert not (tmp_path / "data").exists()


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
    assert not (tmp_path / "data").exists()


def test_an_interrupted_download_leaves_nothing(mirror: Path, tmp_path: Path) -> None:
    def interrupt(received: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(FILE, tmp_path / "data", interrupt)
    assert not (tmp_path / "data").exists()


def test_the_authors_address_is_used_without_a_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LEAR_MIRROR", raising=False)
    assert source_url(FILE) == FILE.url
