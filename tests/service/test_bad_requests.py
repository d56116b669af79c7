"""Whatever a client sends: one clear error, and everybody else is answered."""

import json
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest

from tests.support.service_process import SECONDS, HttpAnswer, RunningService

HEAD = b"POST /api/parse HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


@pytest.fixture(autouse=True)
def everybody_else_is_answered(service: RunningService) -> Iterator[None]:
    """After each test."""
    yield
    assert service.forms("cogs", "Emma slept .") == ["sleep . agent ( x _ 1 , Emma )"]


def request(**fields: object) -> bytes:
    return json.dumps({"model": "cogs", "texts": ["Emma slept ."]} | fields).encode()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "bad_json"),
        (b"{", "bad_json"),
        (b"\xff\xfe", "bad_json"),
        (b"[" * 100_000, "bad_field"),
        (b'{"model": ' + b"[" * 100_000, "bad_field"),
        (b"null", "bad_field"),
        (b"[]", "bad_field"),
        (b'{"texts": ["Emma slept ."]}', "bad_field"),
        (request(texts=None), "bad_field"),
        (request(texts=[None]), "bad_field"),
        (request(texts="Emma slept ."), "bad_field"),
        (request(texts=[["Emma"]]), "bad_field"),
        (request(texts=[]), "bad_field"),
        (request(model=None), "bad_field"),
        (request(nbest=0), "bad_field"),
        (request(nbest=1e400), "bad_json"),
        (request(nbest=10**30), "bad_field"),
        (request(nbest="two"), "bad_field"),
        (request(nbest=21), "bad_field"),
        (request(execute="yes"), "bad_field"),
        (request(min_probability=2), "bad_field"),
        (request(unknown_words="guess"), "bad_field"),
        (request(surprise=1), "bad_field"),
        (request(texts=["Emma slept ."] * 51), "too_many_texts"),
        (request(texts=["Emma " * 501]), "too_many_tokens"),
        (request(texts=["Emma?" * 251]), "too_many_tokens"),
        (request(texts=["Emma slept ."] * 40 + ["Emma?" * 251]), "too_many_tokens"),
        (request(model="nosuch"), "unknown_model"),
        (request(model="../../etc/passwd"), "unknown_model"),
        (request(model="cogs\x00"), "unknown_model"),
    ],
)
def test_a_wrong_body_is_one_clear_error(service: RunningService, body: bytes, code: str) -> None:
    answer = service.post(body)
    assert answer.error == code
    assert 400 <= answer.status < 500


def test_tokens_are_counted_as_they_are_parsed(service: RunningService) -> None:
    # Commas are no tokens of COGS, and what it cannot answer is no error.
    for text, form in (
        ("Emma slept" + " ," * 600 + " .", "sleep . agent ( x _ 1 , Emma )"),
        ("Emma?" * 250, None),
    ):
        assert service.forms("cogs", text) == [form]
    answer = service.parse("cogs", *["Emma slept ."] * 20, "Emma?" * 251)
    assert answer.status == 413
    assert answer.json["error"]["message"] == "texts[20] has 502 tokens, more than 500"


@pytest.mark.parametrize(
    ("texts", "code"), [(["a" * 10_000_000], "too_large"), (["a"] * 10_000, "too_many_texts")]
)
def test_what_is_too_large_is_refused(service: RunningService, texts: list[str], code: str) -> None:
    answer = service.post(request(texts=texts))
    assert (answer.status, answer.error) == (413, code)


def test_a_body_without_a_length_is_bounded_too(service: RunningService) -> None:
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"
    with raw(service) as client:
        client.sendall(HEAD + b"transfer-encoding: chunked\r\n\r\n" + 4 * chunk)
        assert answered(client).error == "too_large"


@pytest.mark.parametrize(
    "path",
    [
        "/api/models/nosuch",
        "/api/models/..%2f..%2fetc%2fpasswd",
        "/api/models/../../etc/passwd",
        "/api/models/%2e%2e/lexicon?word=dog",
        "/static/../service/app.py",
        "/static/..%2fservice%2fapp.py",
        "/static/",
        "/docs",
        "/nosuch",
    ],
)
def test_paths_lead_nowhere_else(service: RunningService, path: str) -> None:
    answer = service.get(path)
    assert answer.status == 404
    assert answer.error in ("not_found", "unknown_model")


def test_wrong_methods_and_media_types_are_refused(service: RunningService) -> None:
    for method, path, allowed in (
        ("GET", "/api/parse", {"POST"}),
        ("POST", "/api/models", {"GET", "HEAD"}),
        ("DELETE", "/", {"GET", "HEAD"}),
        ("OPTIONS", "/api/models/cogs/lexicon", {"GET", "HEAD"}),
    ):
        answer = service.ask(method, path)
        assert (answer.status, answer.error) == (405, "wrong_method")
        assert set(answer.headers["allow"].split(", ")) == allowed
    assert service.ask("POST", "/api/parse", request()).error == "wrong_media_type"
    plain = service.ask("POST", "/api/parse", request(), content_type="text/plain")
    assert plain.error == "wrong_media_type"


def test_a_name_that_leads_here_by_somebody_elses_doing_is_refused(service: RunningService) -> None:
    assert service.get("/api/models", host="evil.example").error == "bad_host"
    assert service.get("/api/models", host=f"evil.example:{service.port}").error == "bad_host"
    for host in ("localhost", f"localhost:{service.port}", "127.0.0.1", "[::1]:80"):
        assert service.get("/api/models", host=host).status == 200


def test_a_script_in_a_sentence_is_text(service: RunningService) -> None:
    script = "<script>alert(1)</script>"
    answer = service.parse("cogs", script)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.json["results"][0]["text"] == script


def test_odd_characters_come_back_as_they_were(service: RunningService) -> None:
    for text in ("\x00", "\u202e Emma", "é" * 100, "🙂 slept .", "a" * 19_000):
        result = service.parse("cogs", text).json["results"][0]
        assert result["text"] == text
        assert (result["form"] is None) == bool(result["reason"])


def raw(service: RunningService) -> socket.socket:
    """A client that speaks no HTTP of its own."""
    return socket.create_connection((service.host, service.port), timeout=SECONDS)


def answered(client: socket.socket) -> HttpAnswer:
    """All that comes until the service closes the connection."""
    content = b""
    while part := client.recv(65_536):
        content += part
        head, _, body = content.partition(b"\r\n\r\n")
        length = [line for line in head.lower().split(b"\r\n") if b"content-length" in line]
        if length and len(body) >= int(length[0].split(b":")[1]):
            break
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:])
    return HttpAnswer(int(lines[0].split()[1]), body, headers)


def test_what_is_not_http_is_refused(service: RunningService) -> None:
    with raw(service) as client:
        client.sendall(b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n")
        assert answered(client).status == 400


def test_endless_headers_are_refused(service: RunningService) -> None:
    with raw(service) as client, suppress(ConnectionError):
        client.sendall(b"GET / HTTP/1.1\r\nx: ")
        for _ in range(2_000):  # more than systems keep for a service
            client.sendall(b"a" * 10_000)
        pytest.fail("the service takes headers without end")


def test_large_headers_are_refused(service: RunningService) -> None:
    answer = service.get("/healthz", x="a" * 40_000)
    assert (answer.status, answer.error) == (431, "headers_too_large")


def test_slow_clients_are_sent_away(service: RunningService) -> None:
    with raw(service) as client:
        client.sendall(HEAD + b'content-length: 99\r\n\r\n{"model": ')
        assert service.get("/healthz").status == 200  # meanwhile
        answer = answered(client)
        assert (answer.status, answer.error) == (408, "slow_client")
        assert client.recv(1) == b""


@pytest.mark.parametrize("protocol", ["WebSocket", "h2c"])
def test_other_protocols_are_ignored(service: RunningService, protocol: str) -> None:
    connection = "keep-alive, Upgrade"
    assert service.get("/", connection=connection, upgrade=protocol).status == 200
    answer = service.post(request(), connection=connection, upgrade=protocol)
    assert answer.status == 200


def test_many_idle_clients_hold_up_nobody(service: RunningService) -> None:
    clients = [raw(service) for _ in range(200)]
    try:
        assert service.forms("cogs", "Emma slept .") == ["sleep . agent ( x _ 1 , Emma )"]
    finally:
        for client in clients:
            client.close()


def test_clients_that_go_half_way_are_forgotten(service: RunningService) -> None:
    body = request()
    head = HEAD + f"content-length: {len(body)}\r\n\r\n".encode()
    for sent in (head, head + body[:10], head + body):
        with raw(service) as client:
            client.sendall(sent)


def test_no_log_line_has_a_sentence(service: RunningService) -> None:
    service.parse("cogs", "Emma slept unmistakably .")
    service.get("/api/models/cogs/lexicon?word=unmistakably")
    service.get("/unmistakably")
    assert "unmistakably" not in service.log
    assert all(json.loads(line)["event"] for line in service.log.splitlines())
