"""The driver: compares what was asked for with what there is, and does the next thing until all is installed."""
