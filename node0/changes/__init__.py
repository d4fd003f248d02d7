"""What callers can change, one file a change; each is given to `node0.reconcile.state_manager.StateManager.apply`."""
