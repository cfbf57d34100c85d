"""Devices by name."""

from __future__ import annotations

import pytest

from saccade.runtime.device import Device, Devices


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("cpu", "cpu"),
        ("CPU", "cpu"),
        ("cpu:0", "cpu"),
        (" null ", "null"),
        ("Null:CUDA", "null:cuda"),
        ("cuda", "cuda:0"),
        ("CUDA:03", "cuda:3"),
        ("interpreter", "interpreter"),
    ],
)
def test_names_have_one_spelling(name: str, canonical: str) -> None:
    assert Device.canonical(name) == canonical
    assert Device.canonical(canonical) == canonical


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tpu", "use one of auto, cpu, interpreter, null, cuda"),
        ("", "unknown device ''"),
        ("cuda:x", "write it as cuda:0"),
        ("cpu:1", "only one cpu"),
        ("cuda:-1", "write it as cuda:0"),
    ],
)
def test_unknown_names_say_what_is_known(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Device.canonical(name)
    with pytest.raises(ValueError, match=message):
        Device[name]


def test_usable_devices_compute() -> None:
    assert Device.usable("CPU:0") == "cpu"
    with pytest.raises(ValueError, match="computes no values"):
        Device.usable("null")
    with pytest.raises(ValueError, match="cuda:77"):
        Device.usable("cuda:77")


def test_there_is_one_instance_per_name() -> None:
    assert Device["cpu"] is Device["CPU:0"]
    assert Device["cpu"].name == "cpu"
    assert Device["cpu"].host_memory


def test_the_default_can_be_set_to_a_device_that_works() -> None:
    devices = Devices()
    assert devices.default in ("cpu", Device.default)
    devices.default = "cpu:0"
    assert devices.default == "cpu"
    assert devices[None].name == "cpu"
    with pytest.raises(ValueError, match="tpu"):
        devices.default = "tpu"
    assert devices.default == "cpu"


def test_auto_is_a_gpu_that_works_or_the_cpu() -> None:
    usable = {status.name for status in Device.list() if status.usable}
    assert Device.canonical("auto") == ("cuda:0" if "cuda:0" in usable else "cpu")


def test_the_list_says_what_is_missing() -> None:
    listed = {status.name: status for status in Device.list()}
    assert set(listed) >= {"cpu", "interpreter", "null", "cuda:0"}
    assert listed["cpu"].usable
    assert all(status.missing for status in listed.values() if not status.usable)
