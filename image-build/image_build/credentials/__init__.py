"""One-time data of a cluster, generated on the build host: keys, certificates, tokens. Kept in DIR/auth and in the ISO.

None of it is ever printed.
"""
