# SPDX-License-Identifier: Apache-2.0
"""Columns of IP addresses and UUIDs, against Python's `ipaddress` and `uuid`."""

import ipaddress
import uuid

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kinds import check_as_column, each
from texts import same

import atoll as ak

pytestmark = pytest.mark.usefixtures("two_sessions")

NETWORKS = {4: ["10.0.0.0/8", "192.168.4.0/22", "0.0.0.0/0"], 6: ["fe80::/10", "2001:db8::/33", "::/0"]}
some = st.sampled_from(
    ["127.0.0.1", "10.1.2.3", "224.0.0.1", "169.254.9.9", "0.0.0.0", "192.168.5.1", "8.8.8.8", "255.255.255.255"]
)
fours = st.lists(st.none() | some.map(ipaddress.ip_address) | st.ip_addresses(v=4), min_size=1, max_size=12)
zeros = st.lists(st.sampled_from([0, 0, 1, 0xAB, 0xFFFF]), min_size=8, max_size=8).map(
    lambda groups: ipaddress.IPv6Address(sum(group << (16 * i) for i, group in enumerate(groups)))
)
sixes = st.lists(
    st.none() | zeros.filter(lambda address: address.ipv4_mapped is None) | st.ip_addresses(v=6),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("version", [4, 6])
@given(st.data())
def test_addresses(version, data):
    values = data.draw(fours if version == 4 else sixes)
    like = ipaddress.ip_address("1.2.3.4" if version == 4 else "1::2")
    if all(value is None for value in values):
        values = [*values, like]
    column = check_as_column(ak.ip_address, values, like)
    assert column.version == version
    same(column.astype(str), each(values, str))
    same(ak.ip_address(each(values, str)), values)
    same(ak.ip_address(ak.strings(each(values, str))), values)
    same(column.astype(int), each(values, int))
    for name in ("is_private", "is_loopback", "is_multicast", "is_link_local", "is_unspecified"):
        same(getattr(column, name), each(values, lambda v, name=name: getattr(v, name)))
    for network in NETWORKS[version]:
        same(column.in_network(network), each(values, lambda v, net=network: v in ipaddress.ip_network(net)))
    low, high = min(v for v in values if v is not None), max(v for v in values if v is not None)
    if int(high) + 5 < 2 ** (32 if version == 4 else 128):
        same(column + 5, each(values, lambda v: v + 5))
    if int(low) >= 7:
        same(column - 7, each(values, lambda v: v - 7))
    arrow = column.to_arrow()
    arrow.validate(full=True)
    expected = int if version == 4 else (lambda v: v.packed)
    assert arrow.to_pylist() == each(values, expected)


@given(st.lists(st.none() | st.uuids(), min_size=1, max_size=12))
def test_uuids(values):
    like = uuid.UUID(int=2**127 + 5)
    values = [like] if all(value is None for value in values) else values
    column = check_as_column(ak.uuids, values, like)
    same(column.astype(str), each(values, str))
    same(column.astype(int), each(values, int))
    same(ak.uuids(each(values, str)), values)
    same(ak.uuids(ak.strings(each(values, str))), values)
    same(ak.uuids(each(values, lambda v: v.bytes)), values)
    same(column.version, each(values, lambda v: (v.int >> 76) & 15))
    same(ak.uuids(column.to_arrow()), values)
    same(ak.array(column.to_arrow()), values)
    same(ak.array(values), values)


def test_made():
    same(ak.ip_address(np.array([1, 2**32 - 1])), [ipaddress.ip_address(1), ipaddress.ip_address(2**32 - 1)])
    same(ak.IPv4(ak.array([256])), [ipaddress.ip_address("0.0.1.0")])
    same(ak.IPv6([1, "::2", None]), [ipaddress.ip_address("::1"), ipaddress.ip_address("::2"), None])
    same(ak.array([ipaddress.ip_address("::1"), None]), [ipaddress.ip_address("::1"), None])
    same(ak.ip_address(pa.array(["9.9.9.9", None])), [ipaddress.ip_address("9.9.9.9"), None])
    assert repr(ak.ip_address(["9.9.9.9", None])) == "addresses(['9.9.9.9', None], version=4)"
    assert repr(ak.uuids([None])) == "uuids([None])"


def test_refusals():
    four, six = ak.ip_address(["1.2.3.4"]), ak.ip_address(["::1"])
    with pytest.raises(ValueError, match="'x' does not appear to be an IPv4 or IPv6 address"):
        ak.ip_address(["x"])
    with pytest.raises(TypeError, match="do not go into one column"):
        ak.ip_address(["1.2.3.4", "::1"])
    with pytest.raises(TypeError, match="not of the same version"):
        four < six  # noqa: B015
    with pytest.raises(TypeError, match="no network of version 4"):
        four.in_network("::/0")
    with pytest.raises(ValueError, match="would leave those of version 4"):
        four + 2**32
    with pytest.raises(TypeError, match="move by whole numbers"):
        four + 1.5
    with pytest.raises(ValueError, match="numbers from 0 to"):
        ak.IPv4(np.array([-1]))
    with pytest.raises(TypeError, match="ipv4 has no sum"):
        four.sum()
    with pytest.raises(ValueError, match="badly formed"):
        ak.uuids(["x"])
    with pytest.raises(ValueError, match="a UUID has 16 bytes, not 2"):
        ak.uuids([b"ab"])
