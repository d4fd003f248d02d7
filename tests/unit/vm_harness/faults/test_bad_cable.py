"""Which frames a bad cable passes on, and when."""

from __future__ import annotations

from vm_harness.network.bad_cable import MAX_HELD, Cable, Settings

FRAME = bytes(100)


def passed(settings: Settings, count: int = 1000, *, from_host: bool = True, frame: bytes = FRAME) -> int:
    cable = Cable(settings)
    for _ in range(count):
        cable.take(frame, from_host=from_host, now=0)
    return len(cable.due(settings.delay))


def test_a_good_cable_passes_every_frame_in_its_order() -> None:
    cable = Cable(Settings())
    for number in range(5):
        cable.take(bytes([number]) * 60, from_host=number % 2 == 0, now=1)
    assert [(frame[0], from_host) for frame, from_host in cable.due(1)] == [
        (number, number % 2 == 0) for number in range(5)
    ]


def test_loss_is_a_setting_of_each_direction() -> None:
    settings = Settings(loss_from=1)
    assert passed(settings) == 0
    assert passed(settings, from_host=False) == 1000
    assert 600 < passed(Settings(loss_to=0.3), from_host=False) < 800


def test_a_frame_is_held_back_for_the_delay() -> None:
    cable = Cable(Settings(delay=0.5))
    cable.take(FRAME, from_host=True, now=10)
    assert cable.due(10.4) == []
    assert abs((cable.seconds_to_next(10.4) or 0) - 0.1) < 1e-9
    assert cable.due(10.5) == [(FRAME, True)]
    assert cable.seconds_to_next(11) is None


def test_frames_that_are_longer_than_the_limit_and_their_header_are_lost() -> None:
    settings = Settings(longest=1000)
    assert passed(settings, 1, frame=bytes(1014)) == 1
    assert passed(settings, 1, frame=bytes(1015)) == 0


def test_a_cable_holds_a_limited_number_of_frames() -> None:
    assert passed(Settings(delay=1), MAX_HELD + 10) == MAX_HELD
