"""What agent, node0, client and lab talk about, apart from how it travels."""
