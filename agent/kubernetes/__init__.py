"""A little of the Kubernetes API over aiohttp: enough for a host to follow Nodes and leave a ConfigMap.

Not the official client: importing that takes ten seconds on a slow CPU and 60 MB of memory, for a handful of calls.
"""

# By itself kubectl keeps its cache below $HOME; a service has none, and it would be the working directory.
KUBECTL_CACHE = "/run/cluster0/kubectl"
