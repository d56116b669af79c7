"""Data files and models: where they are looked for, and how they are downloaded."""

import errno
import hashlib
import http.server
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lear.errors import DataError, UsageError
from lear.storage.datasets import (
    MODEL_FILE,
    DataFile,
    DataFolder,
    download,
    find_model,
    numbered_lines,
    paired_lines,
    shipped_models,
)

CONTENT = b"A rose .\trose ( x _ 1 )\tcategory\n" * 5_000
FILE = DataFile(
    "cogs/train.tsv",
    hashlib.sha256(CONTENT).hexdigest(),
    len(CONTENT),
    "http://127.0.0.1:9/nobody-listens-here",
)


def test_a_folder_in_place_of_a_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        list(numbered_lines(tmp_path))


def test_line_ends_and_the_mark_at_the_beginning_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n\nfour")
    assert list(numbered_lines(path)) == [(1, "one"), (2, "two"), (3, ""), (4, "four")]


def test_lines_of_two_files_belong_together(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("a\nb\n")
    second.write_text("c\nd\n")
    assert list(paired_lines(first, second)) == [(1, "a", "c"), (2, "b", "d")]
    second.write_text("c\n")
    for one, other in ((first, second), (second, first)):
        with pytest.raises(DataError, match=r"second: has fewer lines than .*first"):
            list(paired_lines(one, other))
    first.write_text("")
    second.write_text("")
    with pytest.raises(DataError, match="first: the file is empty"):
        list(paired_lines(first, second))


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


@pytest.mark.parametrize("before", ["data", "data/cogs", f"data/{FILE.path}"])
def test_a_failed_download_keeps_what_was_there(mirror: Path, tmp_path: Path, before: str) -> None:
    path = tmp_path / before
    (mirror / FILE.path).unlink()
    (path.parent if path.suffix else path).mkdir(parents=True)
    if path.suffix:
        path.write_text("older")
    found = set(tmp_path.rglob("*"))
    with pytest.raises(DataError, match="404"):
        download(FILE, tmp_path / "data", ignore)
    assert set(tmp_path.rglob("*")) == found
    assert not path.suffix or path.read_text() == "older"


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


def test_a_full_disk_or_an_interrupt_leaves_nothing(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def interrupt(received: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(FILE, tmp_path / "data", interrupt)
    assert not (tmp_path / "data").exists()
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        download(FILE, tmp_path / "data", ignore)
    assert not (tmp_path / "data").exists()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_models_of_all_benchmarks_ship() -> None:
    models = shipped_models()
    assert set(models) >= {"cogs", "slog", "cfq", "geo", "geo-query"}
    assert all(path.is_file() for path in models.values())


@pytest.mark.parametrize("inner", ["", "model-best"])
def test_a_name_that_ships_wins_over_what_lies_here(here: Path, inner: str) -> None:
    folder = here / "cogs" / inner
    folder.mkdir(parents=True)
    (folder / MODEL_FILE).touch()
    assert find_model("cogs") == shipped_models()["cogs"]
    for path in ("./cogs", str(here / "cogs")):
        assert find_model(path).resolve() == folder / MODEL_FILE


def test_data_of_the_same_name_are_in_nobodys_way(here: Path) -> None:
    (here / "cogs").mkdir()
    (here / "geo").write_text("a file")
    for name in ("cogs", "geo"):
        assert find_model(name) == shipped_models()[name]
    with pytest.raises(DataError, match=rf"./cogs: holds no {MODEL_FILE}"):
        find_model("./cogs")


def test_a_run_a_model_folder_and_a_file_are_found(here: Path) -> None:
    for folder in ("run/model-best", "run/model-last"):
        (here / folder).mkdir(parents=True)
        (here / folder / MODEL_FILE).touch()
    best = Path("run/model-best") / MODEL_FILE
    assert find_model("run") == find_model("run/model-best") == find_model(str(best)) == best


def test_what_is_not_there_is_said(here: Path) -> None:
    with pytest.raises(UsageError, match="unknown model 'cog'; did you mean 'cogs'"):
        find_model("cog")
    with pytest.raises(UsageError, match="runs/cog: no such file or folder"):
        find_model("runs/cog")
