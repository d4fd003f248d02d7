"""A token is not accepted any more."""

from __future__ import annotations

import msgspec

from node0.reconcile.state_manager import Change, Draft
from node0.refusals import BadRequest
from node0.trust.tokens import Claims


def revoke(claims: Claims) -> Change:
    def change(draft: Draft) -> None:
        if not claims.jti:
            raise BadRequest(code="token-nameless", title="This token carries no id by which it could be revoked.")
        revoked = draft.records.revoked | {claims.jti}
        draft.records = msgspec.structs.replace(draft.records, revoked=revoked)
        draft.tell("token_revoked", f"A token of role {claims.role} was revoked")

    return change
