"""assisted-service's v2 REST API over aiohttp: bound from `agent.api.routes`, one resource a file."""
