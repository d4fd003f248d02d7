"""`cluster0 gather`: one support archive of an install, from every source that still answers.

There are three kinds of source (`from_service`, `from_kubernetes`, `from_host`). They are independent: the archive's
manifest names a source that does not answer. All content passes through `archive`, which removes and lists secrets.
"""
