"""From a site's files to the `ClusterIntent`: README.md. The input files are never changed."""
