"""The service's database: typed records in SQLite."""
