"""The users of the Hub in these tests, and the repo that they push to."""

from __future__ import annotations

from pipeline.hub.loopback import PROPOSE, READ, WRITE, Account

OWNER, READER, STRANGER = "hf_ownerSecret1", "hf_readerSecret2", "hf_strangerSecret3"
SCOPED, PROPOSER, MEMBER = "hf_scopedSecret4", "hf_proposerSecret5", "hf_memberSecret6"
ACCOUNTS = {
    OWNER: Account("me"),
    READER: Account("me", "read"),
    STRANGER: Account("eve"),
    SCOPED: Account("me", "fineGrained", scopes={"me/other": (WRITE,), "me": (READ,)}),
    MEMBER: Account("me", orgs=("team",)),
    PROPOSER: Account("me", "fineGrained", scopes={"me": (READ, PROPOSE)}),
}
REPO = "me/data"
