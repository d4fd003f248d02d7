"""CPU, memory, platform, firmware."""
