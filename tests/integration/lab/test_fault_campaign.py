"""A campaign's processes: one for each install."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.base_iso import own_base_iso
from tests.faults.campaign import Campaign
from tests.faults.case import Case, Verdict

pytestmark = pytest.mark.integration


def test_an_install_whose_process_fails_has_no_results_and_is_tried_again(tmp_path: Path) -> None:
    """By the real processes: they do not know these cases."""
    unknown = [Case(fault="meteor", stage="init"), Case(fault="meteor", stage="discovery")]
    campaign = Campaign(tmp_path, tmp_path, tmp_path / "no.iso", "abc", jobs=2)
    came = [each for results in campaign.run(unknown, seed=1, deadline=float("inf")) for each in results]
    tries = Counter(each.case.stage for each in came)
    assert tries == {"init": 3, "discovery": 3}  # twice together, then each alone
    assert all(each.verdict is Verdict.NOT_BEGUN and "exit code" in each.detail for each in came)


def test_a_campaign_keeps_its_base_iso_when_the_cache_forgets_it(tmp_path: Path) -> None:
    cached, labs = tmp_path / "cached.iso", tmp_path / "labs"
    cached.write_text("ISO")
    labs.mkdir()
    own = own_base_iso(cached, labs)
    cached.unlink()
    assert own.read_text() == "ISO"
