"""TLS connections of the service: accepted on a port, each a transport of asyncio."""
