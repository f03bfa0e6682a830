"""Each claim of equality with a peer, on rows drawn for it; the table of the page; `verify`."""

import pytest

from metric_commons.evaluation.peers.agreement import compare_with_peer
from metric_commons.evaluation.peers.peers import PEERS, Peer
from tests.conformance.claims import (
    CLAIMS,
    asked,
    claims_of_page,
    installed,
)
from tests.tables import by_table

pytestmark = pytest.mark.filterwarnings("ignore")  # of peers, about rows alone


@pytest.mark.long
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{claim.name}-{claim.peer}")
def test_drawn_rows_agree_with_the_peer(claim):
    if not installed(claim):
        pytest.skip(f"{claim.peer} is not installed")

    assert asked(claim, 50, "tests").unexplained == []


def test_every_peer_of_verify_has_a_claim_and_each_claim_a_line_of_the_page():
    claimed = {(claim.module, claim.peer) for claim in CLAIMS}
    written = claims_of_page()

    assert claimed == {(module, name) for name, peer in PEERS.items() for module in peer.modules}
    assert [(module, peer) for module, peer, _ in written] == [
        (claim.name, PEERS[claim.peer].distribution) for claim in CLAIMS
    ]
    assert {unexplained for *_, unexplained in written} == {"0"}


def compared(module, name, predictions, references, **options):
    pytest.importorskip(PEERS[name].package, reason=f"{name} is not installed")
    return compare_with_peer(module, predictions, references, PEERS[name], options)


@by_table("module, peer, row, options, differ")
def test_rows_that_differ_are_told(module, peer, row, options, differ):
    prediction, reference = row
    agreement = compared(module, peer, [prediction] * 2, [reference] * 2, **options)

    assert [each.row for each in agreement.differences] == differ
    assert agreement.equal == 2 - len(differ)


def test_rows_that_only_together_differ_are_told():
    sides = [["B", "E"], ["M", "E"]], [["B", "E"], ["B", "E"]]
    agreement = compared("span_f1", "seqeval", *sides)

    assert [each.row for each in agreement.differences] == [None]
    assert agreement.equal == 2


def test_what_a_peer_raises_is_its_answer():
    def scores(*columns):
        raise KeyError("b")

    peer = Peer("other", "other", scores, {"qa_em": {}})
    agreement = compare_with_peer("qa_em", ["a"], ["a"], peer)

    assert agreement.theirs == "KeyError: 'b'"
    assert [(each.ours, each.theirs) for each in agreement.differences] == [(1.0, "KeyError: 'b'")]
