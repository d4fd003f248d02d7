"""The user's nmstate document as the network model of the intent."""
