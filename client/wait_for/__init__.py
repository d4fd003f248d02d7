"""`cluster0 wait-for`: follows an install from outside, by node0's REST API and the Kubernetes API.

`run` is the loop. It observes (`client.observe`), evaluates (`tracker` with `changes`, `goal` and `stall`, all pure),
and shows lines and progress (`screen`). It changes nothing on the cluster.
"""
