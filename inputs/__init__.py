"""Turns a site's files into the `ClusterIntent`, see README.md. The input files are never changed."""
