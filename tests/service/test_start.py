"""How a service is started: what is said, what is refused, and what is kept from others."""

import socket

import pytest

from lear.__main__ import main
from lear.service.models import named_models
from tests.support.service_process import RunningService


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "cogs", "--port", str(port)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert str(port) in line


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (["nosuch"], "nosuch"),
        (["./nosuch"], "./nosuch"),
        (["cogs", "cogs"], "cogs"),
        (["a/b=cogs"], "a/b"),
        (["--port", "70000"], "70000"),
        (["--workers", "0"], "0"),
        (["--max-seconds", "never"], "never"),
        (["--token", ""], "token"),
    ],
)
def test_wrong_arguments_are_one_line(
    arguments: list[str], cause: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert cause in line


def test_an_address_of_another_machine_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "cogs", "--host", "192.0.2.1", "--port", "0"]) == 1
    assert "192.0.2.1" in capsys.readouterr().err


def test_a_damaged_model_is_one_line_and_nothing_is_left(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path_factory.mktemp("models") / "model.safetensors"
    file.write_bytes(b"nothing of the kind")
    assert main(["serve", str(file), "--port", "0"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert str(file) in line


def test_models_have_names() -> None:
    assert [m.name for m in named_models(())] == ["cfq", "cogs", "geo", "geo-query", "slog"]
    assert [m.name for m in named_models(("geo", "runs/home", "b=runs/home"))] == [
        "geo",
        "home",
        "b",
    ]


@pytest.mark.slow
def test_a_token_and_text_in_logs_where_they_are_asked_for() -> None:
    service = RunningService("cogs", "--log-text", environment={"LEAR_TOKEN": "open sesame"})
    try:
        for path in ("/api/models", "/metrics", "/api/openapi.json"):
            assert (service.get(path).status, service.get(path).error) == (401, "unauthorized")
            wrong = service.get(path, authorization="Bearer open")
            assert wrong.error == "unauthorized"
            assert service.get(path, authorization="Bearer open sesame").status == 200
        assert service.parse("cogs", "Emma slept .").error == "unauthorized"
        for path in ("/", "/healthz", "/readyz"):
            assert service.get(path).status == 200
        body = b'{"model": "cogs", "texts": ["Emma slept unmistakably ."]}'
        assert service.post(body, authorization="Bearer open sesame").status == 200
        assert "sesame" not in service.greeting
    finally:
        service.process.terminate()
        service.process.wait(60)
        log = service.log
        assert service.stop() == 0
    assert "unmistakably" in log
    assert "sesame" not in log
