"""Ways to write an address that must not be called. {port} is where the test's own listener waits."""

LOOPBACK_HOSTS = [
    # plain names, and names that other programs fold into them
    "localhost", "LOCALHOST", "localhost.", "LocalHost", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "loc\u00adalhost",
    "𝐥𝐨𝐜𝐚𝐥𝐡𝐨𝐬𝐭",
    # the four numbers
    "127.0.0.1", "127.0.0.1.", "127.0.0.2", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.1.2.3",
    # numbers that the C library reads as an address
    "127.1", "127.0.1", "127", "0", "0.0", "2130706433", "017700000001", "0177.0.0.1", "0177.0.0.01", "0x7f.1",
    "0x7f.0.0.1", "0x7f000001", "0X7F000001", "0x7F.0x0.0x0.0x1", "127.0.0.0x1", "00127.0.0.1", "127.000.000.001",
    "4294967297", "127.0.0.1.0", "1.0x", "3232235521", "0300.0250.0.1", "2852039166", "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518", "0xA9.0xFE.0xA9.0xFE",
    # other digits and dots
    "①②⑦.⓪.⓪.①", "１２７.０.０.１", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "𝟏𝟐𝟕.𝟎.𝟎.𝟏", "١٢٧.0.0.1",
    # escaped
    "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "%6c%6f%63%61%6c%68%6f%73%74", "127.0.0.1%00", "127.0.0.1%20",
    # IPv6, and IPv4 inside it
    "[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::]", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::7f00:1]", "[64:ff9b:1::8.8.8.8]",
    "[2002:7f00:1::]", "[2002:7f00:0001::1]", "[2002:c0a8:101::]", "[2001:0:7f00:1::]", "[2001::80ff:fffe]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "[::1%25lo]",
    "[::1%lo]",
    "[fe80::1%25eth0]", "[::1", "::1", "[127.0.0.1]", "[v1.127.0.0.1]", "[]", "[::1]]", "[[::1]]",
]  # fmt: skip

SPECIAL_HOSTS = [
    "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255", "168.63.129.16", "169.254.0.1",
    "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.0.170", "192.0.0.192",
    "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255", "[100::1]", "[2001:2::1]", "[2001:10::1]", "[2001:20::1]", "[2001:db8::1]",
    "[2620:4f:8000::1]",
    "[3fff::1]", "[5f00::1]", "[fc00::1]", "[fd00::1]", "[fd00:ec2::254]", "[fe80::1]", "[febf::1]", "[fec0::1]",
    "[ff02::1]", "[4000::1]", "[1::1]", "[fd12:3456:789a::1]",
]  # fmt: skip

WHOLE_URLS = [
    # a name before the host, and what is host to one program and path to another
    "http://example.com@127.0.0.1:{port}/", "http://example.com:80@127.0.0.1:{port}/", "http://@127.0.0.1:{port}/",
    "http://:@127.0.0.1:{port}/", "http://user:pass@127.0.0.1:{port}/", "http://127.0.0.1:{port}@example.com/",
    "http://example.com\\@127.0.0.1:{port}/", "http://127.0.0.1:{port}\\@example.com/", "http:\\\\127.0.0.1:{port}\\",
    "http://example.com%40127.0.0.1:{port}/", "http://127.0.0.1:{port}#@example.com/",
    "http://127.0.0.1:{port}?@example.com/",
    "http://127.0.0.1:{port}/@example.com", "http://[::ffff:127.0.0.1]@example.com:{port}/",
    "http://127.0.0.1 @example.com/",
    # slashes, schemes
    "http:127.0.0.1:{port}", "http:/127.0.0.1:{port}/", "http:///127.0.0.1:{port}/", "http:////127.0.0.1:{port}/",
    "//127.0.0.1:{port}/", "127.0.0.1:{port}", "localhost:{port}", "HTTP://127.0.0.1:{port}/",
    "hTTp://LOCALHOST:{port}/",
    "file:///etc/passwd", "file://127.0.0.1/etc/passwd", "ftp://127.0.0.1:{port}/", "gopher://127.0.0.1:{port}/_GET",
    "dict://127.0.0.1:{port}/", "ldap://127.0.0.1:{port}/", "ws://127.0.0.1:{port}/", "wss://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock", "http+unix://%2Fvar%2Frun%2Fdocker.sock/x", "data:text/plain,x",
    "javascript:alert(1)",
    "jar:http://127.0.0.1:{port}!/", "netdoc:///etc/passwd", "view-source:http://127.0.0.1:{port}/",
    "url:http://127.0.0.1/",
    "", " ", "http://", "http://:{port}/", "http:///", "https://?x", "https://#x", "http://./", "http://../",
    "http://.:{port}/",
    # white space and control characters
    " http://127.0.0.1:{port}/", "http://127.0.0.1:{port}/ x", "http://127.0.0.1:{port}/\r\nX: y",
    "http://127.0.0.1\t:{port}/",
    "ht\ntp://127.0.0.1:{port}/", "http://127.0.0.1\x00.example.com:{port}/", "http://127.0.0.1:{port}/\x7f",
    "\x01http://127.0.0.1:{port}/", "http://127.0.0.1:{port}/\ud800",
    # ports
    "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:-1/", "http://127.0.0.1:8o/",
    "http://127.0.0.1:+80/",
    "http://127.0.0.1:{port}:80/", "http://127.0.0.1:%38%30/", "http://example.com:22/", "http://example.com:6379/",
    "https://example.com:8443/", "http://example.com:25/", "http://example.com:２２/",
    # hosts that are no names
    "http://exa mple.com/", "http://-x.example/", "http://x-.example/", "http://a..b/", "http://<script>/",
    "http://a,b/",
    "http://a;b/", "http://{{host}}/", "http://$(x)/", "http://a|b/", "http://*.example.com/", "http://a^b/",
    "http://a`b/",
    "http://xn--\u00ff/", "http://\u2024/", "http://a\u2044b/", "http://a\uff0fb/", "http://127.0.0.1\u3002/:{port}",
]  # fmt: skip

NAMES = {
    # Public names that are pointed inside, as anybody may do with a name of their own.
    "127.0.0.1.nip.io": ["127.0.0.1"],
    "localtest.me": ["::1", "127.0.0.1"],
    "metadata.google.internal": ["169.254.169.254"],
    "mixed.example": ["93.184.216.34", "127.0.0.1"],
    "mixed6.example": ["2606:2800:220:1:248:1893:25c8:1946", "::1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "teredo.example": ["2001:0:7f00:1::"],
    "azure.example": ["168.63.129.16"],
    "scoped.example": ["fe80::1%eth0"],
    "odd.example": ["not an address"],
    "localhost": ["127.0.0.1", "::1"],
    "intranet": ["10.1.2.3"],
    "broadcast.example": ["255.255.255.255"],
    "zero.example": ["0.0.0.0"],
}
