"""The specification of the policy: one sentence at a time, autograd throughout, no batching."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from lear.model.cells import NONE, Machine, Site
from lear.model.network import Network
from lear.model.tree_lstm import State


@dataclass(frozen=True)
class Trajectory:
    """One complete course of the policy: its decisions, probability and entropy."""

    leaves: tuple[int, ...]
    """The option taken at each token."""
    steps: tuple[tuple[int, int, int], ...]
    """Place, site and option of each merge."""
    final: int
    """The last cell, NONE at a dead end."""
    log_prob: Tensor
    entropy: Tensor


def state_of(network: Network, machine: Machine, node: int) -> State:
    """The state of a node by the paper's equations, computed anew each time."""
    kind, *parts = machine.nodes[node]
    if kind == "symbol":
        return network.composer.symbols(torch.tensor([parts[0]]))  # type: ignore[no-any-return]
    if kind == "word":
        number = network.vocabulary.word_numbers.get(str(parts[0]), 0)
        return network.composer.words(torch.tensor([number]))  # type: ignore[no-any-return]
    left, right = (state_of(network, machine, int(str(part))) for part in parts)
    return network.composer.cell(left, right)  # type: ignore[no-any-return]


def entropy_of(log_p: Tensor) -> Tensor:
    return -(log_p.exp() * log_p).sum()


def outcomes(
    network: Network, machine: Machine, site: Site
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Each option of a site with its log-probability and the entropy of its two decisions."""
    h = state_of(network, machine, site.node).h[0]
    classes = sorted({option.symbol for option in site.options})
    log_class = network.composer.nonterminal(h)[classes].log_softmax(dim=0)
    operations = sorted({o.operation for o in site.options if o.operation != NONE})
    log_operation = network.algebraic.operation(h)[operations].log_softmax(dim=0)
    for number, option in enumerate(site.options):
        log_p = log_class[classes.index(option.symbol)]
        entropy = entropy_of(log_class)
        if option.operation != NONE:
            log_p = log_p + log_operation[operations.index(option.operation)]
            entropy = entropy + entropy_of(log_operation)
        yield number, log_p, entropy


def all_trajectories(
    network: Network, machine: Machine, tokens: tuple[str, ...]
) -> list[Trajectory]:
    """Everything the policy can do with a short sentence."""
    zero = torch.zeros((), dtype=torch.float64)
    rows: list[tuple[tuple[int, ...], list[int], Tensor, Tensor]] = [((), [], zero, zero)]
    for token in tokens:
        site = machine.sites[machine.leaf_site(token)]
        rows = [
            ((*chosen, number), [*cells, site.options[number].cell], total + log_p, entropy + h)
            for chosen, cells, total, entropy in rows
            for number, log_p, h in outcomes(network, machine, site)
        ]
    return [
        Trajectory(chosen, steps, final, log_prob, entropy)
        for chosen, cells, before, entropy_before in rows
        for steps, final, log_prob, entropy in _merge(
            network, machine, cells, (), before, entropy_before
        )
    ]


def _merge(
    network: Network,
    machine: Machine,
    cells: list[int],
    steps: tuple[tuple[int, int, int], ...],
    total: Tensor,
    entropy: Tensor,
) -> Iterator[tuple[tuple[tuple[int, int, int], ...], int, Tensor, Tensor]]:
    if len(cells) == 1:
        yield steps, cells[0], total, entropy
        return
    sites = {
        place: site
        for place in range(len(cells) - 1)
        if (site := machine.pair_site(cells[place], cells[place + 1])) != NONE
    }
    if not sites:
        yield steps, NONE, total, entropy
        return
    scores = torch.stack(
        [
            network.composer.merge(state_of(network, machine, machine.sites[site].node).h)[0, 0]
            for site in sites.values()
        ]
    )
    log_place = scores.log_softmax(dim=0)
    for index, (place, number) in enumerate(sites.items()):
        chosen = machine.sites[number]
        for option, log_p, site_entropy in outcomes(network, machine, chosen):
            yield from _merge(
                network,
                machine,
                [*cells[:place], chosen.options[option].cell, *cells[place + 2 :]],
                (*steps, (place, number, option)),
                total + log_place[index] + log_p,
                entropy + entropy_of(log_place) + site_entropy,
            )
