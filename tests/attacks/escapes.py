"""Ways out of the sandbox that were tried, as (name, body of a unit, how it may end).

The body has os, socket, sys, ctypes and libc at hand, as an attacker would dig them out of loaded modules. It ends as
one of: the name of an exception inside the code, CodeLimit, CodeGone, or `same:X`, where X is what it returned.
"""

# An attack stays on its line, however long.
# ruff: noqa: E501

PRELUDE = """
from asyncio import base_events as _base
import asyncio, json, time
os, socket, sys = _base.os, _base.socket, _base.sys
ctypes = sys.modules["ctypes"]
signal = sys.modules["signal"]
libc = ctypes.CDLL(None, use_errno=True)

def raw(number, *words):
    if libc.syscall(number, *words) < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return "got through"

def frame(value):
    body = json.dumps(value).encode()
    return len(body).to_bytes(4, "big") + body

def mine():
    return asyncio.current_task().get_coro().cr_frame.f_locals["self"]

async def attack(args, *, services, settings, env):
"""

REFUSED = ("PermissionError", "OSError", "BlockingIOError", "ImportError", "ModuleNotFoundError", "RuntimeError")
LIMIT = ("CodeLimit",)
GONE = ("CodeGone",)


def _raw_calls() -> list[tuple[str, str, tuple[str, ...]]]:
    numbers = {
        "open": (2, '"/etc/passwd".encode()', 0),
        "stat": (4, '"/etc/passwd".encode()', 0),
        "socket": (41, 2, 1, 0),
        "socketpair": (53, 1, 1, 0, 0),
        "connect": (42, 3, 0, 0),
        "sendmsg": (46, 3, 0, 0),
        "recvmsg": (47, 3, 0, 0),
        "clone": (56, 17, 0, 0, 0, 0),
        "fork": (57,),
        "vfork": (58,),
        "execve": (59, '"/python/bin/python3".encode()', 0, 0),
        "kill": (62, 1, 9),
        "tgkill": (234, 1, 1, 9),
        "ptrace": (101, 16, 2, 0, 0),
        "mount": (165, 0, 0, 0, 0, 0),
        "umount": (166, '"/".encode()', 2),
        "pivot_root": (155, '"/".encode()', '"/".encode()'),
        "chroot": (161, '"/".encode()'),
        "unshare": (272, 0x10000000),
        "setns": (308, 3, 0),
        "prctl": (157, 22, 0, 0, 0, 0),
        "seccomp": (317, 0, 0, 0),
        "bpf": (321, 0, 0, 0),
        "perf_event_open": (298, 0, 0, 0, 0, 0),
        "io_uring_setup": (425, 1, 0),
        "userfaultfd": (323, 0),
        "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
        "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
        "pidfd_open": (434, 1, 0),
        "pidfd_getfd": (438, 3, 3, 0),
        "openat2": (437, -100, 0, 0, 0),
        "memfd_create": (319, '"x".encode()', 0),
        "keyctl": (250, 0, 0, 0, 0, 0),
        "shmget": (29, 0, 4096, 0o1600),
        "mq_open": (240, '"/x".encode()', 64, 0o600, 0),
        "prlimit64": (302, 0, 9, 0, 0),
        "setrlimit": (160, 9, 0),
        "setpriority": (141, 0, 0, -20),
        "sched_setaffinity": (203, 0, 8, 0),
        "clone3": (435, 0, 0),
        "dup": (32, 3),
        "fcntl": (72, 3, 3, 0),
        "ioctl": (16, 0, 0x5412, 0),
        "rt_sigaction": (13, 15, 0, 0, 8),
        "timer_create": (222, 0, 0, 0),
        "kexec_load": (246, 0, 0, 0, 0),
        "reboot": (169, 0, 0, 0, 0),
        "sethostname": (170, '"x".encode()', 1),
        "name_to_handle_at": (303, 3, 0, 0, 0, 0),
        "mlockall": (151, 3),
        "mmap executable": (9, 0, 4096, 7, 0x22, -1, 0),
        "x32 open": (0x40000000 + 2, '"/etc/passwd".encode()', 0),
    }
    made = []
    for name, words in numbers.items():
        call = ", ".join(str(word) for word in words)
        made.append((f"system call {name}", f"return raw({call})", GONE if name.startswith("x32") else REFUSED))
    return made


FILES = [
    ("open by the built-in", "return open(args['file']).read()", REFUSED),
    ("open by io", "return sys.modules['io'].open(args['file']).read()", REFUSED),
    ("open by os", "return os.read(os.open(args['file'], 0), 99).decode()", REFUSED),
    ("read passwords", "return sys.modules['io'].open('/etc/shadow').read()", REFUSED),
    ("read own program's folder", "return sys.modules['io'].open('/box/inside/child.py').read()", REFUSED),
    ("read the standard library's source", "return sys.modules['io'].open(os.__file__).read()", REFUSED),
    ("list the root", "return os.listdir('/')", REFUSED),
    ("walk the folders", "return [str(x) for x in os.scandir('/')]", REFUSED),
    ("climb out", "return sys.modules['io'].open('/../../../..' + args['file']).read()", REFUSED),
    ("stat a file", "return list(os.stat(args['file']))", REFUSED),
    ("ask whether a file is there", "return os.access(args['file'], 0)", ("same:False",)),
    ("read a link", "return os.readlink('/proc/self/exe')", REFUSED),
    ("read /proc/self/environ", "return sys.modules['io'].open('/proc/self/environ').read()", REFUSED),
    ("read the parent's memory", "return sys.modules['io'].open('/proc/1/mem', 'rb').read(9)", REFUSED),
    ("read kernel messages", "return sys.modules['io'].open('/dev/kmsg').read(9)", REFUSED),
    ("write to /tmp", "sys.modules['io'].open('/tmp/x', 'w').write('x')", REFUSED),
    ("write to shared memory", "sys.modules['io'].open('/dev/shm/x', 'w').write('x')", REFUSED),
    ("write into the standard library", "sys.modules['io'].open(os.__file__ + 'x', 'w').write('x')", REFUSED),
    ("write beside the canary", "sys.modules['io'].open(args['folder'] + '/x', 'w').write('x')", REFUSED),
    ("make a folder", "os.mkdir(args['folder'] + '/d')", REFUSED),
    ("remove the canary", "os.remove(args['file'])", REFUSED),
    ("rename the canary", "os.rename(args['file'], args['file'] + 'x')", REFUSED),
    ("link to the canary", "os.symlink(args['file'], '/tmp/l')", REFUSED),
    ("change the mode of the canary", "os.chmod(args['file'], 0o777)", REFUSED),
    ("change the working folder", "os.chdir(args['folder'])", REFUSED),
    ("a temporary file", "import tempfile", REFUSED),
    ("memory file", "os.memfd_create('x')", REFUSED),
    ("import from a folder", "sys.path.insert(0, args['folder']); import canary", REFUSED),
    (
        "import past the guard",
        "return [c.cell_contents for c in __builtins__['__import__'].__closure__ if callable(c.cell_contents)][-1]('sqlite3').__name__",
        REFUSED,
    ),
    ("load a C library", "ctypes.CDLL(args['file'])", REFUSED),
    ("environment", "return args['env'] in os.environ or 'canary' in str(dict(os.environ))", ("same:False",)),
    (
        "environment by C",
        "libc.getenv.restype = ctypes.c_char_p; return str(libc.getenv(args['env'].encode()))",
        ("same:None",),
    ),
    (
        "walk the descriptors",
        """
    got = []
    for fd in range(0, 1024):
        try:
            got.append(len(os.pread(fd, 9, 0)))
        except OSError:
            pass
    return got
""",
        ("same:[]",),
    ),
    (
        "read every descriptor",
        """
    got = []
    for fd in [0, 1, 2, *range(4, 1024)]:
        try:
            got.append(os.read(fd, 9).decode())
        except OSError:
            pass
    return [g for g in got if g]
""",
        ("same:[]", *LIMIT),
    ),
]

NETWORK = [
    ("TCP to the worker", "socket.create_connection(('127.0.0.1', args['port']), 1)", REFUSED),
    ("TCP out", "socket.create_connection(('1.1.1.1', 53), 1)", REFUSED),
    ("UDP", "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", REFUSED),
    ("raw socket", "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)", REFUSED),
    ("netlink", "socket.socket(16, 3, 0)", REFUSED),
    ("abstract unix socket", "socket.socket(socket.AF_UNIX).connect(chr(0) + args['abstract'])", REFUSED),
    ("vsock", "socket.socket(40, 1)", REFUSED),
    ("name lookup", "return socket.getaddrinfo('example.com', 80)", ("gaierror", *REFUSED)),
    ("asyncio connection", "await asyncio.open_connection('127.0.0.1', args['port'])", REFUSED),
    ("listen", "await asyncio.start_server(lambda r, w: None, '127.0.0.1', 0)", ("same:None", *REFUSED)),
    ("urllib", "import urllib.request; urllib.request.urlopen('http://127.0.0.1/')", ("not permitted", *REFUSED)),
    ("connect the own socket elsewhere", "socket.socket(fileno=3).connect('/tmp/x')", REFUSED),
    ("send descriptors to the worker", "socket.send_fds(socket.socket(1, 1, 0, 3), [b'x'], [0])", (*REFUSED, *GONE)),
]

PROCESSES = [
    ("import os", "import os", REFUSED),
    ("import subprocess", "import subprocess", REFUSED),
    ("import socket", "import socket", REFUSED),
    ("import ctypes", "import ctypes", REFUSED),
    ("import multiprocessing", "import multiprocessing", REFUSED),
    ("import importlib", "import importlib", REFUSED),
    ("os.system", "return os.system('true')", ("same:-1", "same:32512", *REFUSED)),
    ("os.popen", "return os.popen('id').read()", REFUSED),
    ("subprocess.run", "sys.modules['subprocess'].run(['/python/bin/python3', '-c', '1'])", REFUSED),
    ("posix_spawn", "os.posix_spawn('/python/bin/python3', ['x'], {})", REFUSED),
    ("fork bomb", "while True: os.fork()", REFUSED),
    ("fork until it works", "while True:\n        try: os.fork()\n        except OSError: pass", LIMIT),
    ("thread", "sys.modules['threading'].Thread(target=print).start()", REFUSED),
    ("thread bomb", "while True: sys.modules['_thread'].start_new_thread(print, ())", REFUSED),
    ("thread of a loop", "await asyncio.to_thread(print)", REFUSED),
    ("exec", "os.execv('/python/bin/python3', ['python3', '-c', 'print(1)'])", REFUSED),
    ("signal the parent", "os.kill(os.getppid(), 9)", REFUSED),
    ("signal everybody", "os.kill(-1, 9)", REFUSED),
    ("signal itself", "os.kill(os.getpid(), 9)", REFUSED),
    ("ignore signals", "signal.signal(signal.SIGTERM, signal.SIG_IGN)", REFUSED),
    ("alarm", "signal.setitimer(signal.ITIMER_REAL, 0.1)", ("not permitted", *REFUSED)),
    ("raise own limits", "sys.modules['resource'].setrlimit(9, (-1, -1))", (*REFUSED, "ValueError")),
    ("become root", "os.setuid(0)", REFUSED),
    ("a higher priority", "os.nice(-20)", REFUSED),
    ("trace the parent", "raw(101, 16, os.getppid(), 0, 0)", REFUSED),
    ("leave at once", "os._exit(0)", GONE),
    ("leave with an answer", "os.write(3, frame({'op': 'done', 'call': 'x', 'value': 1})); os._exit(0)", GONE),
    ("sys.exit", "sys.exit(3)", ("end the program",)),
    ("abort", "os.abort()", GONE),
    ("null pointer", "ctypes.string_at(0)", GONE),
    ("kill the loop", "asyncio.get_running_loop().stop(); await asyncio.sleep(9)", (*LIMIT, *GONE)),
    ("close the channel", "os.close(3); await asyncio.sleep(9)", (*LIMIT, *GONE)),
    ("close everything", "[c(fd) for c in [lambda f: raw(3, f)] for fd in (3, 0, 1, 2)]", (*REFUSED, *GONE, *LIMIT)),
    ("jump into new machine code", "raw(10, 4096, 4096, 7)", REFUSED),
    ("a C callback", "ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)()", (*REFUSED, *GONE, "MemoryError", *LIMIT)),
]

BOMBS = [
    ("busy loop", "while True: pass", LIMIT),
    (
        "busy loop that catches",
        "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
        LIMIT,
    ),
    ("busy loop in C", "return sum(range(10**12))", LIMIT),
    ("regular expression", "import re; re.match('(a+)+$', 'a' * 40 + 'b')", LIMIT),
    ("power", "return len(str(10 ** 10 ** 9))", LIMIT),
    ("sleep", "time.sleep(60)", LIMIT),
    ("sleep in the loop", "await asyncio.sleep(60)", LIMIT),
    ("wait for ever", "await asyncio.Event().wait()", LIMIT),
    (
        "refuse to be cancelled",
        "while True:\n        try: await asyncio.sleep(60)\n        except BaseException: pass",
        LIMIT,
    ),
    ("memory", "return len(bytearray(1 << 30))", LIMIT),
    ("memory by and by", "x = []\n    while True: x.append(bytearray(1 << 20))", LIMIT),
    ("memory by text", "x = 'x'\n    while True: x += x", LIMIT),
    ("memory by numbers", "return 1 << (1 << 40)", (*LIMIT, "OverflowError")),
    ("memory by zlib", "import zlib; return len(zlib.decompress(zlib.compress(bytes(10**8)) , bufsize=1<<30))", LIMIT),
    (
        "XML laughs",
        "import xml.etree.ElementTree as E; E.fromstring('<!DOCTYPE x [<!ENTITY a \"' + 'a'*9999 + '\">' + ''.join(f'<!ENTITY a{i} \"' + f'&a{i-1 if i else \"\"};'*20 + '\">' for i in range(9)) + ']><x>&a8;</x>')",
        (*LIMIT, "ParseError"),
    ),
    ("recursion", "def f(): return f()\n    f()", ("calls itself without end",)),
    (
        "recursion without its guard",
        "sys.setrecursionlimit(10**9)\n    def f(): return f() + 1\n    f()",
        (*LIMIT, *GONE),
    ),
    ("nested brackets", "return eval('(' * 90000 + ')' * 90000)", ("not Python", "MemoryError", *LIMIT, *GONE)),
    ("nested result", "x = []\n    for _ in range(100000): x = [x]\n    return x", ("nested more than",)),
    ("result in a circle", "x = []; x.append(x)\n    return x", ("nested more than",)),
    ("huge result", "return 'x' * (2 << 20)", LIMIT),
    ("huge number", "return 7 ** 9999", ("ValueError", "digits")),
    ("huge number without its guard", "sys.set_int_max_str_digits(0); return 7 ** 9999", (*GONE, "digits")),
    ("huge error", "raise ValueError('x' * (4 << 20))", ("ValueError",)),
    (
        "error whose text fails",
        "class E(Exception):\n        def __str__(self): return 1 / 0\n    raise E",
        ("stopped",),
    ),
    (
        "flood of prints",
        "for _ in range(10**5): sys.modules['sys'].__stdout__.write('x' * 10**4)",
        ("same:None", *LIMIT, *REFUSED),
    ),
    ("flood on standard error", "for _ in range(10**4): os.write(2, b'x' * 10**5)", ("same:None", *LIMIT)),
    ("flood of requests", "while True: await services.http.get('https://x.example/')", LIMIT),
    (
        "flood of requests at once",
        "await asyncio.gather(*[services.http.get('https://x.example/') for _ in range(99)])",
        LIMIT,
    ),
    (
        "flood of large requests",
        "await asyncio.gather(*[services.http.post('https://x.example/', text='x' * 7000000) for _ in range(9)])",
        ("same:None", *LIMIT),
    ),
    (
        "request larger than may be",
        "await services.http.post('https://x.example/', text='x' * (9 << 20))",
        ("too large", "8 MB", *GONE),
    ),
    ("task bomb", "while True: asyncio.create_task(asyncio.sleep(9))", LIMIT),
]

FRAMES = [
    ("garbage on the channel", "os.write(3, b'x' * 99); await asyncio.sleep(9)", GONE),
    ("flood on the channel", "while True: os.write(3, b'\\0' * 65536)", GONE),
    ("a frame of 4 GB", "os.write(3, b'\\xff' * 4); await asyncio.sleep(9)", GONE),
    ("half a frame and a flood", "os.write(3, b'\\0\\x7f\\xff\\xff')\n    while True: os.write(3, b'a' * 65536)", GONE),
    ("a frame that is no object", "os.write(3, frame([1])); await asyncio.sleep(9)", GONE),
    (
        "a frame nested deep",
        "os.write(3, frame({'op': 'x'})[:0] + (lambda b: len(b).to_bytes(4, 'big') + b)(b'[' * 99999)); await asyncio.sleep(9)",
        GONE,
    ),
    (
        "another call's answer",
        "os.write(3, frame({'op': 'done', 'call': 'f' * 32, 'value': 1})); await asyncio.sleep(9)",
        GONE,
    ),
    (
        "two answers",
        "os.write(3, frame({'op': 'done', 'call': mine().call, 'value': {'a': 1}}) * 2); await asyncio.sleep(9)",
        ("same:{'a': 1}",),
    ),
    (
        "an answer ahead of the next call",
        "os.write(3, frame({'op': 'done', 'call': mine().call, 'value': 1}) + frame({'op': 'done', 'call': '0', 'value': 'forged'})); await asyncio.sleep(9)",
        ("same:1",),
    ),
    (
        "NaN in a frame",
        "os.write(3, frame({'op': 'done', 'call': mine().call, 'value': float('nan')})); await asyncio.sleep(9)",
        GONE,
    ),
    (
        "half a character in a frame",
        "os.write(3, frame({'op': 'done', 'call': mine().call, 'value': chr(0xd800)})); await asyncio.sleep(9)",
        GONE,
    ),
    ("a service that is none", "await mine().ask('os.system', {'x': 1})", GONE),
    (
        "a request without its parts",
        "os.write(3, frame({'op': 'service', 'call': mine().call})); await asyncio.sleep(9)",
        GONE,
    ),
    (
        "a request twice",
        "f = frame({'op': 'service', 'call': mine().call, 'id': 1, 'name': 'sign', 'args': {}}); os.write(3, f + f); await asyncio.sleep(9)",
        GONE,
    ),
    (
        "a request by a number that is a list",
        "os.write(3, frame({'op': 'service', 'call': mine().call, 'id': [], 'name': 'sign', 'args': {}})); await asyncio.sleep(9)",
        GONE,
    ),
    (
        "a request by a name that is a list",
        "os.write(3, frame({'op': 'service', 'call': mine().call, 'id': 1, 'name': [], 'args': {}})); await asyncio.sleep(9)",
        GONE,
    ),
    ("steal the next frame", "os.read(3, 9); await asyncio.sleep(9)", (*LIMIT, *GONE)),
    (
        "patch the frame loop",
        "type(mine()).on_frame = lambda self, f: self.link.send({'op': 'done', 'call': f['id'], 'value': 'forged'}); return 1",
        ("same:1",),
    ),
    ("patch json", "json.dumps = lambda *a, **k: '{}'; return 1", (*GONE, *LIMIT)),
    (
        "patch the result",
        "type(mine()).result = lambda *a: ({'op': 'done', 'value': 'x' * (3 << 20)}, {}); return 1",
        LIMIT,
    ),
    (
        "stay behind as a task",
        "async def stay():\n        while True:\n            try: await asyncio.sleep(0.01)\n            except BaseException: pass\n    asyncio.create_task(stay()); return 1",
        ("same:1", *LIMIT),
    ),
    (
        "stay behind and answer",
        "c = mine()\n    async def stay():\n        try: await asyncio.sleep(9)\n        except BaseException: os.write(3, frame({'op': 'done', 'call': c.call, 'value': 'late'}))\n    asyncio.create_task(stay()); await asyncio.sleep(0); return 1",
        ("same:1", "same:late"),
    ),
    ("stop the loop's reading", "asyncio.get_running_loop().remove_reader(3); return 1", ("same:1",)),
    (
        "answer with another type",
        "type(mine()).result = lambda *a: ({'op': 'done', 'value': 1, 'more': 1}, {}); return 1",
        GONE,
    ),
]

ATTACKS = [*FILES, *NETWORK, *PROCESSES, *BOMBS, *FRAMES]
RAW_CALLS = _raw_calls()
