"""Running a service: its socket, its processes, its end."""

import socket

from lear.errors import DataError
from lear.service.model_names import named_models
from lear.service.nursery_client import Nursery
from lear.service.settings import ServiceSettings
from lear.storage.model_files import find_model


def serve(settings: ServiceSettings) -> None:
    """Serve until somebody asks for an end; then answer what is under way, and return."""
    models = named_models(settings.models)
    for model in models:
        find_model(model.source)  # what does not exist is said at once
    with bound_socket(settings.host, settings.port) as listener:
        nursery = Nursery(models, settings.limits.tokens, settings.domain_file)
        nursery.launch()
        try:
            # Imported while the models are being loaded by the other process.
            from lear.service.running_service import run

            run(settings, nursery, listener)
        finally:
            nursery.close()


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens nowhere yet; raises `DataError` if the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    except OSError as error:
        raise DataError(f"{host}: no such address: {error.strerror}") from None
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise DataError(f"cannot listen on {host}, port {port}: {error.strerror}") from None
    return listener
