"""Which addresses may be called: how a URL is read, and which IP addresses nobody outside may reach through us.

Everything here is our own table and our own reading. `ipaddress.is_global` calls 64:ff9b::7f00:1, 192.0.0.8,
224.0.0.1 and 168.63.129.16 global, and the C library reads 127.1, 0177.0.0.1 and 2130706433 as 127.0.0.1.
"""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote

import idna

log = logging.getLogger(__name__)

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
PORTS = {"http": 80, "https": 443}
LONGEST_URL = 8_000


class AddressRefused(Exception):
    """The call was not made. `code` names the reason, `message` tells a person which address, why, and what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Address:
    """A URL as it will be called. host is lower-case ASCII or an IP without brackets; target is path and query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def netloc(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """The address as a sentence may show it: without path and query, which may hold secrets."""
        return f"{self.scheme}://{self.netloc}"

    @property
    def url(self) -> str:
        return self.origin + self.target


_THIS = "it is this machine"
_INSIDE = "it is inside a private network"
_LINK = "it is reserved for the machine's own network and cloud credentials"
_CLOUD = "it is the cloud provider's own service"
_GROUP = "it reaches many machines at once"
_RESERVED = "it is reserved and belongs to no public server"
_HIDDEN = "it can hide another address"

# (network, why, whether a host the operator allowed by name may have such an address)
_TABLE: list[tuple[str, str, bool]] = [
    ("0.0.0.0/8", _THIS, False),
    ("10.0.0.0/8", _INSIDE, True),
    ("100.64.0.0/10", _INSIDE, True),
    ("127.0.0.0/8", _THIS, True),
    ("168.63.129.16/32", _CLOUD, False),
    ("169.254.0.0/16", _LINK, False),
    ("172.16.0.0/12", _INSIDE, True),
    ("192.0.0.0/24", _RESERVED, False),
    ("192.0.2.0/24", _RESERVED, False),
    ("192.31.196.0/24", _RESERVED, False),
    ("192.52.193.0/24", _RESERVED, False),
    ("192.88.99.0/24", _RESERVED, False),
    ("192.168.0.0/16", _INSIDE, True),
    ("192.175.48.0/24", _RESERVED, False),
    ("198.18.0.0/15", _RESERVED, False),
    ("198.51.100.0/24", _RESERVED, False),
    ("203.0.113.0/24", _RESERVED, False),
    ("224.0.0.0/4", _GROUP, False),
    ("240.0.0.0/4", _RESERVED, False),
    ("::/128", _THIS, False),
    ("::1/128", _THIS, True),
    ("::/96", _HIDDEN, False),
    ("::ffff:0:0/96", _HIDDEN, False),
    ("::ffff:0:0:0/96", _HIDDEN, False),
    ("64:ff9b:1::/48", _HIDDEN, False),
    ("100::/64", _RESERVED, False),
    ("2001::/32", _HIDDEN, False),
    ("2001::/23", _RESERVED, False),
    ("2001:db8::/32", _RESERVED, False),
    ("2002::/16", _HIDDEN, False),
    ("2620:4f:8000::/48", _RESERVED, False),
    ("3fff::/20", _RESERVED, False),
    ("5f00::/16", _RESERVED, False),
    ("fc00::/7", _INSIDE, True),
    ("fd00:ec2::/32", _CLOUD, False),
    ("fe80::/10", _LINK, False),
    ("fec0::/10", _INSIDE, False),
    ("ff00::/8", _GROUP, False),
]
DENIED = [(ipaddress.ip_network(network), why, private) for network, why, private in _TABLE]
DENIED.sort(key=lambda row: -row[0].prefixlen)
_PUBLIC_6 = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def judge(ip: IPAddress) -> tuple[str, bool] | None:
    """None when the address is public; else (why it is refused, whether an allowed host may have it)."""
    if isinstance(ip, ipaddress.IPv6Address) and ip in _NAT64:
        # Where only IPv6 is spoken, the network's name server writes every IPv4 host this way.
        found = judge(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
        return (found[0], False) if found else None
    for network, why, private in DENIED:
        if ip.version == network.version and ip in network:
            return why, private
    if isinstance(ip, ipaddress.IPv6Address) and ip not in _PUBLIC_6:
        return _RESERVED, False
    return None


_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_TARGET_SAFE = "/?:@!$&'()*+,;=-._~%[]"


def parse(url: str, shown: str | None = None) -> Address:
    """The one reading of a URL: what is judged is exactly what is connected to. Raises AddressRefused.

    shown: what a refusal repeats instead, where the URL itself has secrets filled in.

    Refused: other schemes than http and https, names and passwords in the address, white space, backslashes and
    control characters, numbers that only some programs read as an IP address, and hosts that are no name at all.
    """
    shown = _shown(url if shown is None else shown)
    if not url or len(url) > LONGEST_URL:
        raise _form(shown, f"an address has 1 to {LONGEST_URL:,} characters")
    if any(ord(char) <= 32 or ord(char) == 127 or char == "\\" or 0xD800 <= ord(char) <= 0xDFFF for char in url):
        raise _form(shown, "it contains a space, a backslash or a control character")
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):(//)?", url)
    if match is None:
        raise _form(shown, "it must start with https:// or http://")
    scheme = match[1].lower()
    if scheme not in PORTS or match[2] is None:
        raise AddressRefused(
            "ADDRESS_SCHEME", f'The address "{shown}" was not called: only https:// and http:// addresses can be.'
        )
    rest = url[match.end() :]
    end = next((at for at, char in enumerate(rest) if char in "/?#"), len(rest))
    authority, target = rest[:end], rest[end:].partition("#")[0]
    if "@" in authority:
        raise AddressRefused(
            "ADDRESS_USERINFO",
            "An address with a name or password before the host was not called. "
            "Put the password into a secret and send it in a header.",
        )
    host, port = _authority(authority, scheme, shown)
    if not target.startswith("/"):
        target = "/" + target
    return Address(scheme, host, port, quote(target, safe=_TARGET_SAFE))


def _authority(authority: str, scheme: str, shown: str) -> tuple[str, int]:
    if authority.startswith("["):
        inside, bracket, after = authority[1:].partition("]")
        try:
            if not bracket or "%" in inside:
                raise ValueError
            host = str(ipaddress.IPv6Address(inside))
        except ValueError:
            raise _form(shown, "what stands in the brackets is no IPv6 address") from None
    else:
        name, colon, digits = authority.partition(":")
        host, after = read_host(name, shown), colon + digits
    if after in ("", ":"):
        return host, PORTS[scheme]
    if not re.fullmatch(r":[0-9]{1,5}", after) or not 0 < int(after[1:]) < 65536:
        raise _form(shown, "its port is no number from 1 to 65535")
    return host, int(after[1:])


def read_host(name: str, shown: str | None = None) -> str:
    """A host name or IPv4 address as lower-case ASCII without a closing dot. Raises AddressRefused."""
    shown = name if shown is None else shown
    if not name.isascii():
        try:
            name = idna.encode(name, uts46=True, std3_rules=True).decode()
        except (idna.IDNAError, UnicodeError):
            raise _form(shown, "its host is no name that the internet knows") from None
    host = name.lower().removesuffix(".")
    labels = host.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        # Programs disagree about 127.1, 0x7f.1, 0177.0.0.1 and 2130706433; only four plain numbers mean one thing.
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise _form(shown, "a numeric host is written as four numbers, such as 192.0.2.7") from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise _form(shown, "its host is no name that the internet knows")
    return host


class Allowed:
    """The "host:port" entries an operator allowed for a deployment. They alone may use other ports or be private."""

    def __init__(self, entries: Iterable[str] = (), ports: Iterable[int] = PORTS.values()) -> None:
        self.ports = frozenset(ports)
        self.entries: set[tuple[str, int]] = set()
        for entry in entries:
            try:
                self.entries.add(entry_of(entry))
            except AddressRefused as refused:
                log.warning("An allowed address is ignored. %s", refused.message)

    def __contains__(self, place: tuple[str, int]) -> bool:
        return place in self.entries

    def check_port(self, address: Address) -> None:
        """Raises AddressRefused for a port that is neither open to all (80 and 443) nor allowed with this host."""
        if address.port in self.ports or (address.host, address.port) in self.entries:
            return
        raise AddressRefused(
            "ADDRESS_PORT",
            f"{address.origin} was not called: only ports {' and '.join(map(str, sorted(self.ports)))} "
            f"are open to flows. "
            f"{_how(address.host, address.port)}",
        )

    def check(self, host: str, port: int, answers: Iterable[str]) -> list[str]:
        """The answers for the host, all of them fit to be connected to. Raises AddressRefused if any one is not."""
        listed = (host, port) in self.entries
        fit: list[str] = []
        for answer in answers:
            try:
                ip = ipaddress.ip_address(answer)
            except ValueError:
                raise AddressRefused(
                    "ADDRESS_REFUSED", f"{host} was not called: its name stands for an address that cannot be read."
                ) from None
            found = judge(ip)
            # A name may be pointed anywhere by whoever runs it; what the operator wrote as a number is meant.
            if found and not (listed and (found[1] or str(ip) == host)):
                stands = "" if str(ip) == host else f" stands for {ip}, and"
                how = _how(host, port) if found[1] or not stands else "No setting allows this by name."
                raise AddressRefused("ADDRESS_REFUSED", f"{host}{stands} was not called: {found[0]}. {how}")
            if str(ip) not in fit:
                fit.append(str(ip))
        return fit


def entry_of(text: object) -> tuple[str, int]:
    """One allowed_hosts entry as (host, port). Raises AddressRefused with a sentence when it is not "host:port"."""
    wrong = AddressRefused(
        "ALLOWED_HOST", f'"{text}" is not a host with a port, such as shop.internal:8000, 10.0.0.7:80 or [fd00::7]:443.'
    )
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/@\[\]]+):([0-9]{1,5})", text if isinstance(text, str) else "")
    if match is None or not 0 < int(match[2]) < 65536:
        raise wrong
    if match[1].startswith("["):
        try:
            return str(ipaddress.IPv6Address(match[1][1:-1])), int(match[2])
        except ValueError:
            raise wrong from None
    try:
        return read_host(match[1]), int(match[2])
    except AddressRefused:
        raise wrong from None


def _how(host: str, port: int) -> str:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return f"If it is meant, an operator can add {place} to the agent's allowed addresses."


def _form(shown: str, why: str) -> AddressRefused:
    return AddressRefused("ADDRESS_FORM", f'The address "{shown}" was not called: {why}.')


def _shown(url: str) -> str:
    """As much of the address as a sentence may repeat: no name or password, no query, no control characters."""
    plain = "".join(char if char.isprintable() else "�" for char in re.split(r"[?#]", url, maxsplit=1)[0])
    head, at, tail = plain.rpartition("@")
    plain = f"…@{tail}" if at and head else plain
    return plain if len(plain) <= 120 else plain[:117] + "…"
