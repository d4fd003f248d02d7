"""Members of the cluster's etcd: a host enters as a learner, so that the others' quorum never waits for it."""
