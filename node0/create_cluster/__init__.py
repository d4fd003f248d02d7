"""The driver: compares the intent with the actual cluster and acts, until every host is installed."""
