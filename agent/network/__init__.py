"""Which host this is, by MAC, and its network: files for NetworkManager before it starts, a look over D-Bus after."""
