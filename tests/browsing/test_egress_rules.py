"""Which addresses pages may reach (safety 17, 19, 20, 21)."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leadline.browsing.egress_rules import AddressRules
from leadline.errors import EgressRefused

PUBLIC = ["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "64:ff9b::808:808"]

PRIVATE = [
    "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "100.64.0.1", "100.100.100.200", "169.254.169.254", "169.254.0.1",
    "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "::10.0.0.1",
    "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:a00:1::1",
    "2001:db8::1", "100::1", "2001:0:a00:1::", "fe80::5efe:a00:1",
]  # fmt: skip

ODD = [
    "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0x7f.0.0.1/",
    "http://017700000001/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.1/",
    "http://10.1/", "http://0/", "http://1.2.3.4.5/", "http://example.0x1/", "http://①②⑦.1/",
    "http://127。0。0。1/", "http://[::ffff:7f00:1]/", "http://[0:0:0:0:0:ffff:127.0.0.1]/",
    "http://[::1%25lo]/", "http://127.0.0.1./", "http://LOCALHOST/", "http://localhost./",
    "http://a.b.localhost/", "http://%31%32%37.0.0.1/",
]  # fmt: skip

BAD_URLS = [
    "file:///etc/passwd", "chrome://settings", "view-source:http://example.org/", "about:config",
    "data:text/html,hi", "blob:http://example.org/x", "javascript:alert(1)", "ftp://example.org/",
    "ws://example.org/", "http://user:pw@example.org/", "http://user@example.org/",
    "http://@example.org/", "http:///path", "http://", "//example.org/", "example.org", "",
    "http://example.org\\@127.0.0.1/", "http://exa mple.org/", "http://example.org:99999/",
    "http://example.org:0/", "http://-/", "http://a..b/", "http://\x00/", "http://[::zz]/",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    AddressRules().check_address("site.example", 443, address)


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused_however_wrapped(address: str) -> None:
    """safety 17, W3-10"""
    with pytest.raises(EgressRefused):
        AddressRules().check_address("site.example", 80, address)


@pytest.mark.parametrize("url", ODD)
def test_odd_spellings_are_refused(url: str) -> None:
    """safety 17: octal, hexadecimal, decimal, short, full-width, mapped, with a final dot."""
    with pytest.raises(EgressRefused):
        AddressRules().check_url(url)


@pytest.mark.parametrize("url", BAD_URLS)
def test_only_plain_web_addresses_pass(url: str) -> None:
    """safety 19"""
    with pytest.raises(EgressRefused):
        AddressRules().check_url(url)


def test_names_pass_and_are_written_plainly() -> None:
    rules = AddressRules()
    assert rules.check_url("HTTPS://Exämple.ORG./x").host == "xn--exmple-cua.org"
    assert rules.check_url("http://example.org").port == 80
    assert rules.check_url("https://[2606:4700:4700::1111]:8443/").port == 8443


def test_allow_listed_hosts_pass_on_their_port_alone() -> None:
    """safety 20: an allowance is for the host that was named, and for nothing beside it."""
    rules = AddressRules(["*.localhost:7789", "wiki.corp", "10.0.0.5:8080", "[::1]:9000"])
    rules.check_url("http://demo.localhost:7789/")
    rules.check_address("wiki.corp", 443, "10.9.9.9")
    rules.check_url("http://10.0.0.5:8080/")
    rules.check_url("http://[::1]:9000/")
    for url in (
        "http://demo.localhost:7790/",
        "http://localhost:7789/",
        "http://10.0.0.5/",
        "http://127.0.0.1:7789/",
        "http://xlocalhost.10.0.0.1/",
    ):
        with pytest.raises(EgressRefused):
            rules.check_url(url)
    with pytest.raises(EgressRefused):
        rules.check_address("other.corp", 443, "10.9.9.9")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.9", "::1", "0.0.0.0", "203.0.113.9"])
def test_own_ports_are_closed_whatever_is_allow_listed(address: str) -> None:
    """safety 21: Leadline's own port and debugging ports, on every address of this machine."""
    rules = AddressRules(["*.localhost", "me.example"], own_addresses=["203.0.113.9"])
    rules.deny_port(7788)
    with pytest.raises(EgressRefused, match="port 7788"):
        rules.check_address("me.example", 7788, address)
    rules.check_address("me.example", 7789, address)
    rules.permit_port(7788)
    rules.check_address("me.example", 7788, address)


def test_this_machines_public_address_is_refused() -> None:
    rules = AddressRules(own_addresses=["8.8.4.4"])
    with pytest.raises(EgressRefused, match="this machine"):
        rules.check_address("me.example", 80, "8.8.4.4")


@given(st.integers(min_value=0, max_value=2**32 - 1))
def test_an_ipv4_address_is_judged_alike_inside_ipv6(number: int) -> None:
    inner = ipaddress.IPv4Address(number)
    wrapped = [
        ipaddress.IPv6Address(0xFFFF << 32 | number),
        ipaddress.IPv6Address(int(ipaddress.IPv6Address("64:ff9b::")) | number),
        ipaddress.IPv6Address(0x2002 << 112 | number << 80),
    ]
    if _refused(inner):
        assert all(_refused(address) for address in wrapped)


@given(st.text(max_size=60))
def test_any_text_is_judged_or_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"http://{text}/x"):
        try:
            target = AddressRules().check_url(url)
        except EgressRefused as refused:
            assert str(refused)
        else:
            assert target.scheme in ("http", "https")
            assert target.host.isascii()


def _refused(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    try:
        AddressRules().check_address("x.example", 80, address)
    except EgressRefused:
        return True
    return False
