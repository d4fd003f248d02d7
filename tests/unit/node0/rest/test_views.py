"""A host in the REST API: its reports are JSON in strings, empty until the host has sent them."""

from __future__ import annotations

import json

from agent.api.checks import ConnectivityReport, RemoteHost, Resolution
from agent.api.timestamps import UNSET_TIME
from agent.model.states import Stage
from node0.rest.views.hosts import host_view
from node0.rest.views.parts import timestamp
from node0.store.records import DiskSpeed
from tests.fakes.node0.records import NOW, PREPARED, at_stage, cluster, host

REPORT = ConnectivityReport(remote_hosts=(RemoteHost(host_id="b"),))


def test_unreported_results_are_empty() -> None:
    shown = host_view(host(), cluster(), with_connectivity=True)
    assert (shown.connectivity, shown.images_status, shown.domain_name_resolutions, shown.disks_info) == ("",) * 4
    assert (shown.checked_in_at, shown.stage_started_at, shown.media_status) == (UNSET_TIME, UNSET_TIME, "connected")


def test_reported_results_are_json() -> None:
    resolutions = (Resolution(domain_name="api.demo.example.test", ipv4_addresses=("192.0.2.9",)),)
    reported = host(connectivity=REPORT, resolutions=resolutions, media_connected=False, **PREPARED)
    shown = host_view(reported, cluster(), checked_in_at=NOW, with_connectivity=True)
    assert json.loads(shown.connectivity)["remote_hosts"][0]["host_id"] == "b"
    assert [image["result"] for image in json.loads(shown.images_status)] == ["success"]
    (resolved,) = json.loads(shown.domain_name_resolutions)["resolutions"]
    assert resolved["ipv4_addresses"] == ["192.0.2.9"]
    speed = json.loads(shown.disks_info)["/dev/vda"]["disk_speed"]
    assert speed == {"tested": True, "exit_code": 0, "speed_ms": 2}
    assert (shown.checked_in_at, shown.media_status) == (timestamp(NOW), "disconnected")


def test_a_disk_that_could_not_be_measured_has_an_exit_code() -> None:
    shown = host_view(host(disk_speed=DiskSpeed(path="/dev/vda", error="EIO")), cluster())
    assert json.loads(shown.disks_info)["/dev/vda"]["disk_speed"]["exit_code"] == 1


def test_stage_times_are_in_the_fields_of_older_clients() -> None:
    shown = host_view(host(stage=at_stage(Stage.INSTALLING)), cluster())
    assert shown.stage_started_at == shown.progress.stage_started_at == timestamp(NOW)


def test_connectivity_is_included_on_request() -> None:
    assert host_view(host(connectivity=REPORT), cluster()).connectivity == ""
