"""`cluster0 gather`: one support archive of an install, whoever still answers.

Three kinds of source (`from_service`, `from_kubernetes`, `from_host`), each on its own: one that does not answer is a
line in the archive's manifest and keeps no other from being there. Everything goes through `archive`, which takes
secrets out and lists what it took.
"""
