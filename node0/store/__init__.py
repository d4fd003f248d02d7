"""What the service must not forget: typed records in SQLite."""
