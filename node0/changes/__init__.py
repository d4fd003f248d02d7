"""The changes that clients can make, one file each; `node0.reconcile.state_manager.StateManager.apply` makes them."""
