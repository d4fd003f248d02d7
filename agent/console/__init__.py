"""What a user in front of the machine sees: a page on the screen, lines on the serial port. It takes no input."""
