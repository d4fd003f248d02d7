"""assisted-service's v2 REST API over aiohttp: bound from `agent.api.operations`, one resource a file."""
