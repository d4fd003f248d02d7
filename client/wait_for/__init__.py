"""`cluster0 wait-for`: follows an install from outside, by node0's REST API and the Kubernetes API.

Looking (`service`, `kubernetes`) is apart from judging (`situation`, `changes`, `verdict`), which is pure, and from
showing (`screen`, `bar`). Nothing in here changes anything on the cluster.
"""
