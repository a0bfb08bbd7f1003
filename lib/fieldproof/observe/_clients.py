"""Services of other nodes: their clients, and the answers that come in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

_SPIN_S = 0.05


class Clients:
    """The service clients of one node, each made once."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(node)
        self._clients: dict[str, Any] = {}

    def client(self, service: type, name: str) -> Any:
        """The client of a service, whether anybody offers it or not."""
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = self._node.create_client(service, name)
        return client

    def take(self, clients: Iterable[Any]) -> None:
        """Take what has been answered to these clients by now, without an executor's round."""
        for client in clients:
            while True:
                with client.handle:
                    taken = client.handle.take_response(client.srv_type.Response)
                if taken is None or taken[0] is None:
                    break
                header, answer = taken
                try:
                    future = client.get_pending_request(header.request_id.sequence_number)
                except KeyError:
                    continue  # nobody waits for it any more
                future.set_result(answer)

    def until(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Take answers until a condition holds; whether it did in time."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._executor.spin_once(timeout_sec=min(left, _SPIN_S))
        return True
