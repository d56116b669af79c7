"""What the routes of a service share."""

from dataclasses import dataclass, field

from lear.service.api_error import ApiError
from lear.service.api_types import ModelCard, ModelSummary
from lear.service.metrics import Metrics
from lear.service.service_log import ServiceLog
from lear.service.settings import ServiceSettings
from lear.service.worker_pool import WorkerPool


@dataclass
class ServiceState:
    """A running service."""

    settings: ServiceSettings
    pool: WorkerPool
    metrics: Metrics
    log: ServiceLog
    cards: dict[str, ModelCard] = field(default_factory=dict)
    """Of the models, in the order that they were named in; none until they are loaded."""

    @property
    def is_ready(self) -> bool:
        """Whether somebody is there to answer."""
        return bool(self.cards) and self.pool.can_answer

    def card(self, name: str) -> ModelCard:
        """What is known of a model; raises `ApiError`."""
        if not self.cards:
            raise ApiError("not_ready", "the models are being loaded")
        if name not in self.cards:
            known = ", ".join(self.cards)
            raise ApiError("unknown_model", f"there is no such model; there are: {known}")
        return self.cards[name]

    def summaries(self) -> tuple[ModelSummary, ...]:
        """All models for a list."""
        return tuple(
            ModelSummary(card.name, card.domain, card.description, card.can_execute)
            for card in self.cards.values()
        )

    def gauges(self) -> dict[str, float]:
        """What can be measured at any time."""
        return {
            "workers": len(self.pool.workers),
            "requests_waiting": self.pool.num_waiting,
            "ready": float(self.is_ready),
            "log_lines_dropped": self.log.num_dropped,
        }
