"""Converts NMState documents to the network model of the intent."""
