"""assisted-service's v2 REST API over aiohttp.

`operations` holds the handlers, one resource a file; `views` turns records into what clients see; `server` binds the
handlers to the table `agent.api.operations`; `metrics` serves Prometheus. `app` puts them together.
"""
