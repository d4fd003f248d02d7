"""The data that agent, node0, client and lab exchange; `agent.api` is how it travels."""
