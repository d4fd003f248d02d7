"""The words that agent, node0, CLI and lab exchange. Imports nothing else of ours."""
