"""How long requests take: the only metric that is not computed from the records."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable

from aiohttp import web

from node0.rest.metrics.prometheus import Histogram

Endpoint = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Latencies:
    """`seconds`: by operation, method and status. A refused request counts under the status of its answer."""

    def __init__(self, status_of: Callable[[Exception], int]) -> None:
        self.seconds: defaultdict[tuple[str, str, int], Histogram] = defaultdict(Histogram)
        self._status_of = status_of

    def measured(self, operation: str, endpoint: Endpoint) -> Endpoint:
        """`endpoint` with every call measured, including those that raise."""

        async def measured(request: web.Request) -> web.StreamResponse:
            started = time.monotonic()
            try:
                response = await endpoint(request)
            except Exception as error:
                self._observe(operation, request.method, self._status_of(error), started)
                raise
            self._observe(operation, request.method, response.status, started)
            return response

        return measured

    def _observe(self, operation: str, method: str, status: int, started: float) -> None:
        self.seconds[operation, method, status].observe(time.monotonic() - started)
