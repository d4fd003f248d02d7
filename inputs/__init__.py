"""The two YAML files: read with positions, checked by models and rules, all findings at once; then the intent.

Nothing in here writes, and the files are never changed or consumed.
"""
