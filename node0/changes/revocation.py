"""Revocation of a token."""

from __future__ import annotations

import msgspec

from node0.reconcile.transaction import Change, Transaction
from node0.refusals import BadRequest
from node0.trust.tokens import Claims


def revoke(claims: Claims) -> Change:
    def change(transaction: Transaction) -> None:
        if not claims.jti:
            raise BadRequest(code="token-nameless", title="This token has no id by which it could be revoked.")
        revoked = transaction.records.revoked | {claims.jti}
        transaction.records = msgspec.structs.replace(transaction.records, revoked=revoked)
        transaction.add_event("token_revoked", f"A token of role {claims.role} was revoked")

    return change
