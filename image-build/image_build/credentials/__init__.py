"""One-time data of a cluster, made on the build host: keys, certificates, tokens. Kept in DIR/auth, put into the ISO.

Nothing in here is ever printed.
"""
