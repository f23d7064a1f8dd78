"""A Hub on loopback: what the real clients need of huggingface.co, in memory, for tests and rehearsals.

It answers for datasets only and offers no Xet storage (`LoopbackHub.environment` tells the clients so).
`routes` is the table of all that it answers; anything else is a 404 and stands in the request log.

    with LoopbackHub() as hub:
        api = HfApi(endpoint=hub.endpoint, token=hub.token)
        api.create_repo("me/demo", repo_type="dataset")
        hub.faults.add(Drop(after_effect=True), method="POST", path="/commit/")
        ...  # the next commit lands, and its answer is lost
        subprocess.run(consumer, env={**os.environ, **hub.environment(tmp_path)})
        assert hub.requests[-1].status == 200
"""

from pipeline.hub.loopback.accounts import PROPOSE, READ, WRITE, Account
from pipeline.hub.loopback.faults import Delay, Drop, Fail, Fault, Meanwhile, Truncate
from pipeline.hub.loopback.journal import Exchange
from pipeline.hub.loopback.server import LoopbackHub

__all__ = [
    "PROPOSE",
    "READ",
    "WRITE",
    "Account",
    "Delay",
    "Drop",
    "Exchange",
    "Fail",
    "Fault",
    "LoopbackHub",
    "Meanwhile",
    "Truncate",
]
