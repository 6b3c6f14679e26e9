"""Which addresses pages may reach. Pure: names are resolved elsewhere, the answers judged here.

Invariant: an address passes only when it is public, or when the user allow-listed the very host
that was asked for; Leadline's own ports and the browsers' debugging ports never pass. What an IPv6
address carries inside (mapped, 6to4, Teredo, NAT64) is judged like the address itself.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from leadline.errors import EgressRefused

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_V4_REFUSED = tuple(
    ipaddress.ip_network(net)
    for net in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT, and Alibaba's metadata service in it
        "168.63.129.16/32",  # Azure's host agent: public by number, private by nature
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",
        "224.0.0.0/4",
        "240.0.0.0/4",
    )
)
_V6_REFUSED = tuple(
    ipaddress.ip_network(net)
    for net in (
        "64:ff9b:1::/48",  # NAT64 for local use: it can lead anywhere inside
        "100::/64",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    )
)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_V4_COMPATIBLE = ipaddress.ip_network("::/96")
_ISATAP = re.compile(r"0000:5efe$|0200:5efe$")

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?", re.ASCII)
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x20\x7f\\]")

# Where Chromium and Edge call home however they are started. No page needs them to be read.
_MAKERS_HOSTS = frozenset(
    ("update.googleapis.com", "clients1.google.com", "clients2.google.com", "clients4.google.com",
     "clients2.googleusercontent.com", "edgedl.me.gvt1.com", "redirector.gvt1.com",
     "optimizationguide-pa.googleapis.com", "safebrowsing.googleapis.com", "sb-ssl.google.com",
     "content-autofill.googleapis.com", "android.clients.google.com", "mtalk.google.com",
     "edge.microsoft.com", "config.edge.skype.com", "nav-edge.smartscreen.microsoft.com")
)  # fmt: skip

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads: scheme, host in lower case without brackets, port."""

    scheme: str
    host: str
    port: int


class AddressRules:
    """The rules of one run.

    ``allow_private_hosts`` holds ``host``, ``host:port``, ``*.domain`` or ``*.domain:port``; the
    wildcard stands for any number of labels. ``denied_ports`` are closed on this machine whatever
    is allow-listed; ``own_addresses`` are this machine's addresses beside loopback.
    """

    def __init__(
        self,
        allow_private_hosts: Iterable[str] = (),
        *,
        denied_ports: Iterable[int] = (),
        own_addresses: Iterable[str] = (),
    ) -> None:
        self._allowed = tuple(_Pattern.parse(entry) for entry in allow_private_hosts)
        self._denied_ports = set(denied_ports)
        self._own = {_unwrapped(ipaddress.ip_address(a.split("%")[0])) for a in own_addresses}

    def deny_port(self, port: int) -> None:
        """Close a port of this machine to pages; used for each browser's debugging port."""
        self._denied_ports.add(port)

    def permit_port(self, port: int) -> None:
        """Undo :meth:`deny_port`: the browser is gone and the number may be used again."""
        self._denied_ports.discard(port)

    def add_own_addresses(self, addresses: Iterable[str]) -> None:
        """Name further addresses of this machine."""
        self._own |= {_unwrapped(ipaddress.ip_address(a.split("%")[0])) for a in addresses}

    def is_allow_listed(self, host: str, port: int) -> bool:
        """Whether the user named this host (and port, if the entry has one)."""
        return any(pattern.matches(host, port) for pattern in self._allowed)

    def check_url(self, url: str) -> Target:
        """Judge a URL by its text alone; raises :class:`EgressRefused`.

        Only http and https, no user info, a host that is a plain name or a plainly written
        address. A private address that is written out is refused here already.
        """
        try:
            parts = urlsplit(url.strip())
            port = parts.port
        except ValueError:
            raise EgressRefused("That is not a web address; pages start with http(s)://.") from None
        scheme = parts.scheme.lower()
        if scheme not in DEFAULT_PORTS:
            raise EgressRefused(
                f"Only http and https pages are read, not {scheme or 'relative'!s} addresses."
            )
        if _CONTROL.search(url.strip()):
            raise EgressRefused("The address holds blanks, backslashes or control characters.")
        if parts.username is not None or parts.password is not None or "@" in parts.netloc:
            raise EgressRefused("Addresses with a user name or password in them are not opened.")
        host = self.check_host(_host_of(parts))
        port = DEFAULT_PORTS[scheme] if port is None else port
        if port == 0:
            raise EgressRefused("Port 0 cannot be reached.")
        address = parse_ip(host)
        if address is not None:
            self.check_address(host, port, address)
        elif is_local_name(host):
            self.check_address(host, port, ipaddress.IPv4Address("127.0.0.1"))
        return Target(scheme, host, port)

    def check_host(self, host: str) -> str:
        """Return the host in its plain form, or raise :class:`EgressRefused`.

        Numbers that some programs take for addresses (``127.1``, ``0x7f000001``, ``017700000001``,
        ``2130706433``) are refused, whatever they would mean.
        """
        if ":" in host:
            address = parse_ip(host)
            if address is None:
                raise EgressRefused("The host is not a valid IPv6 address.")
            return str(address)
        plain = _ascii_host(host)
        if plain in _MAKERS_HOSTS:
            raise EgressRefused(f"{plain} serves the browser's maker; no page is read there.")
        if parse_ip(plain) is None and _ENDS_IN_NUMBER.fullmatch(plain):
            raise EgressRefused(
                "Addresses in octal, hexadecimal, decimal or short form are refused."
            )
        return plain

    def check_address(self, host: str, port: int, address: IPAddress | str) -> None:
        """Judge the address that ``host`` stands for; raises :class:`EgressRefused`.

        Call it with the very address that is then connected to.
        """
        ip = ipaddress.ip_address(address) if isinstance(address, str) else address
        inner = _unwrapped(ip)
        if port in self._denied_ports and (_is_this_machine(inner) or inner in self._own):
            raise EgressRefused(f"Pages may not reach port {port} of this machine.")
        if self.is_allow_listed(host, port):
            return
        reason = _reason(ip) or (_reason(inner) if inner != ip else "")
        if not reason and inner in self._own:
            reason = "this machine"
        if reason:
            raise EgressRefused(
                f"{host} is {reason}, which pages may not reach; "
                "allow-list the host if you want it read."
            )


@dataclass(frozen=True, slots=True)
class _Pattern:
    host: str
    suffix: bool
    port: int | None

    @classmethod
    def parse(cls, entry: str) -> _Pattern:
        text = entry.strip().lower()
        parts = urlsplit(f"//{text}" if "//" not in text else text)
        try:
            host, port = parts.hostname or "", parts.port
        except ValueError:
            host, port = "", None
        if text.count(":") > 1 and not text.startswith("["):  # a bare IPv6 address
            host, port = text, None
        address = parse_ip(host)
        if address is not None:
            return cls(str(address), False, port)
        host = host.rstrip(".")
        if host.startswith("*."):
            return cls(host[1:], True, port)
        return cls(host, False, port)

    def matches(self, host: str, port: int) -> bool:
        if not self.host or (self.port is not None and self.port != port):
            return False
        return host.endswith(self.host) if self.suffix else host == self.host


def parse_ip(host: str) -> IPAddress | None:
    """The address that is plainly written, or None. No octal, no short forms, no zone ids."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_local_name(host: str) -> bool:
    """``localhost`` and its subdomains: this machine by RFC 6761, never asked of a resolver."""
    return host == "localhost" or host.endswith(".localhost")


def _host_of(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if not host:
        raise EgressRefused("The address names no host.")
    if "%" in host:
        raise EgressRefused("Hosts with percent signs are not opened.")
    return host


def _ascii_host(host: str) -> str:
    text = host.lower().rstrip(".")
    if not text.isascii():
        try:
            text = text.encode("idna").decode("ascii").rstrip(".")
        except UnicodeError:
            raise EgressRefused("The host name cannot be written in a valid form.") from None
    if not _HOST.fullmatch(text) or ".." in text:
        raise EgressRefused("The host name is not a valid one.")
    return text


def _unwrapped(ip: IPAddress) -> IPAddress:
    """The IPv4 address inside an IPv6 one, if it carries one."""
    if not isinstance(ip, ipaddress.IPv6Address):
        return ip
    if ip.ipv4_mapped is not None:
        return ip.ipv4_mapped
    if ip.sixtofour is not None:
        return ip.sixtofour
    if ip.teredo is not None:
        return ip.teredo[1]
    last32 = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
    if ip in _NAT64 or (ip in _V4_COMPATIBLE and int(ip) > 1):
        return last32
    if _ISATAP.search(ip.exploded[20:29]):
        return last32
    return ip


def _is_this_machine(ip: IPAddress) -> bool:
    return ip.is_loopback or ip.is_unspecified


def _reason(ip: IPAddress) -> str:
    """Why the address is refused, as the end of "host is …"; empty when it is public."""
    checks = (
        (ip.is_unspecified, "an unspecified address"),
        (ip.is_loopback, "this machine"),
        (ip.is_link_local, "a link-local or metadata address"),
        (ip.is_multicast, "a multicast address"),
        (ip.is_private, "a private address"),
        (ip.is_reserved and not _is_nat64(ip), "a reserved address"),
        (any(ip in net for net in _V4_REFUSED + _V6_REFUSED if net.version == ip.version),
         "a private or reserved address"),
    )  # fmt: skip
    return next((reason for refused, reason in checks if refused), "")


def _is_nat64(ip: IPAddress) -> bool:
    return isinstance(ip, ipaddress.IPv6Address) and ip in _NAT64
