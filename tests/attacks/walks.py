"""Ways out of the sandbox that begin with what every unit has: its names, its frames, its standard library.

As in escapes.py: (name, body, how it may end). Nothing is dug out beforehand here; the canary that a walk looks for is
"canary-" and eight hexadecimal digits, which stands in the worker's environment, in a file, and in another run's state.
"""

# An attack stays on its line, however long.
# ruff: noqa: E501

from tests.attacks.escapes import GONE, LIMIT, REFUSED

Attack = tuple[str, str, tuple[str, ...]]

BARE = "async def attack(args, *, services, settings, env):\n"
"""What stands before a walk."""

NOTHING = ("same:[]",)
CANARIES = 'rb"canary-" + rb"[0-9a-f]{8}"'

NAMES: list[Attack] = [
    ("__import__", "return __import__('os').environ", REFUSED),
    ("__import__ by eval", "return eval(\"__import__('os').getcwd()\")", REFUSED),
    ("import in a class body", "class X:\n        import os\n    return X.os.getcwd()", REFUSED),
    ("import by exec with names of its own", "exec('import os', {'__builtins__': __builtins__})", REFUSED),
    ("exec without names gets the real built-ins", "g = {}; exec('import posix; r = posix.open(f, 0)', {'f': args['file'], 'g': g})", REFUSED),
    ("the loader of built-in modules", "return [c for c in object.__subclasses__() if c.__name__ == 'BuiltinImporter'][0].load_module('posix').open(args['file'], 0)", REFUSED),
    ("the loader of files", "return [c for c in object.__subclasses__() if c.__name__ == 'FileLoader'][0]('x', args['file']).get_data(args['file']).decode()", (*REFUSED, "IndexError")),
    ("a class that keeps os", "return [c for c in object.__subclasses__() if c.__name__ == '_wrap_close'][0].__init__.__globals__['system']('id')", ("same:-1", "same:32512", *REFUSED)),
    ("Popen among the subclasses", "return [c for c in object.__subclasses__() if c.__name__ == 'Popen'][0](['/python/bin/python3']).pid", (*REFUSED, "IndexError")),
    ("FileIO among the subclasses", "import io; return io.FileIO(args['file']).readall().decode()", REFUSED),
    ("io.open", "import io; return io.open(args['file']).read()", REFUSED),
    ("io.open_code", "import io; return io.open_code(args['file']).read().decode()", REFUSED),
    ("warnings keep the real built-ins", "import warnings; return warnings.catch_warnings()._module.__builtins__['open'](args['file']).read()", REFUSED),
    ("a function's globals", "import contextlib; return str(contextlib.contextmanager.__globals__['os'].environ)[:2000]", ("same:environ(",)),
    ("the modules behind typing", "import typing; return typing.sys.modules['os'].listdir(args['folder'])", REFUSED),
    ("the modules behind re", "import re; return re.enum.sys.modules['posix'].listdir('/')", REFUSED),
    ("the modules behind logging", "import logging; return logging.os.popen('id').read()", REFUSED),
    ("the modules behind uuid", "import uuid; return uuid._popen('/bin/id').stdout.read().decode()", (*REFUSED, "AttributeError")),
    ("the guard's own closure", "return [c.cell_contents for c in __import__.__closure__ if callable(c.cell_contents)][-1]('posix').open(args['file'], 0)", (*REFUSED, "TypeError", "AttributeError")),
    ("the guard replaced", "__builtins__['__import__'] = type(__builtins__)  # noqa\n    import os", (*REFUSED, "TypeError", "ValueError")),
    ("open replaced by the real one", "import asyncio; __builtins__['open'] = asyncio.base_events.__builtins__['open']; return open(args['file']).read()", REFUSED),
    ("a loader left in the names", "return __loader__.load_module('posix').open(args['file'], 0)", ("NameError", *REFUSED)),
    ("a spec left in the names", "return __spec__.loader.load_module('posix').listdir('/')", ("NameError", *REFUSED)),
    ("a terminal", "return input('> ')", REFUSED),
    ("a debugger", "breakpoint()", REFUSED),
    ("a debugger's hook", "import asyncio; asyncio.base_events.sys.breakpointhook(); return 'no debugger'", ("same:no debugger", *REFUSED)),
    ("decorators that call by name", "@exec\n    @input\n    class X: pass", REFUSED),
    ("help and its pager", "help()", ("NameError",)),
    ("unpickling", "import pickle; pickle.loads(b'cos\\nsystem\\n(S\"id\"\\ntR.')", REFUSED),
    ("unpickling by its C part", "import asyncio; return asyncio.base_events.sys.modules['_pickle'].loads(b'cposix\\nsystem\\n(S\"id\"\\ntR.')", ("there is no", "same:-1", *REFUSED)),
    ("unmarshalling code", "import asyncio, types; m = asyncio.base_events.sys.modules['marshal']; c = m.loads(m.dumps(compile('open(f).read()', 'x', 'eval'))); return eval(c, {'f': args['file']})", REFUSED),
    ("copying what reduces to a call", "import copy, logging\n    class E:\n        def __reduce__(self): return (logging.os.system, ('id',))\n    return copy.copy(E())", ("same:-1", "same:32512", *REFUSED)),
    ("copying what reduces to open", "import copy, io\n    class E:\n        def __reduce__(self): return (io.open, (args['file'],))\n    return copy.deepcopy(E()).read()", REFUSED),
    ("a type hint that is evaluated", "import typing\n    def f(x: \"__import__('os')\"): pass\n    return str(typing.get_type_hints(f))", REFUSED),
    ("a data class with code for a name", "import dataclasses; dataclasses.make_dataclass('X', [(\"a=__import__('os')\", int)])", ("TypeError",)),
    ("a named tuple with code for a name", "import collections; collections.namedtuple('X', 'a=__import__(\"os\")')", ("ValueError",)),
]  # fmt: skip

FRAMES: list[Attack] = [
    ("a generator's frame", "g = (g.gi_frame.f_back.f_back for _ in [1]); f = [x for x in g][0]\n    while f.f_back: f = f.f_back\n    return f.f_builtins['open'](args['file']).read()", (*REFUSED, "AttributeError")),
    ("a coroutine's frame", "import asyncio; return asyncio.current_task().get_coro().cr_frame.f_globals['os'].open(args['file'], 0)", REFUSED),
    ("an asynchronous generator's frame", "async def g(): yield 1\n    a = g(); await a.__anext__(); return a.ag_frame.f_builtins['__import__']('posix').open(args['file'], 0)", REFUSED),
    ("a traceback's frame", "try: 1 / 0\n    except ZeroDivisionError as e: f = e.__traceback__.tb_frame\n    while f.f_back: f = f.f_back\n    return f.f_builtins['open'](args['file']).read()", REFUSED),
    ("an error from inside a service", "try: await services.http.get('https://x.example/', json=object())\n    except TypeError as e: t = e.__traceback__\n    while t.tb_next: t = t.tb_next\n    return t.tb_frame.f_globals['builtins'].open(args['file']).read()", (*REFUSED, "there is no")),
    ("the frames of other tasks", "import asyncio; return [str(t.get_coro().cr_frame.f_locals.get('frame'))[:200] for t in asyncio.all_tasks() if t is not asyncio.current_task()]", NOTHING),
    ("machine code of its own making", "f = lambda: 0\n    f.__code__ = f.__code__.replace(co_code=bytes([1, 255]) * 64, co_stacksize=1); return f()", (*GONE, *LIMIT, "SystemError", "TypeError", "ValueError", "stopped", "same:")),
    ("constants that are not there", "f = lambda: 'x'\n    f.__code__ = f.__code__.replace(co_consts=()); return str(f())[:9]", (*GONE, *LIMIT, "SystemError", "stopped", "same:")),
    ("a list that is its own memory", "import asyncio; c = asyncio.base_events.sys.modules['ctypes']; c.memmove(id(args), b'x' * 64, 64); return args", (*GONE, *LIMIT, "stopped", "same:")),
    ("the object's table of a type", "import gc", REFUSED),
]  # fmt: skip

FORMATS: list[Attack] = [
    ("format walks to the globals", "return '{0.__init__.__globals__}'.format(services)[:5000]", ("same:",)),
    ("format walks to os.environ", "import logging; return '{0.os.environ}'.format(logging)", ("same:environ(",)),
    ("format walks to the modules", "import logging; return '{0.sys.modules[os].environ}'.format(logging)", ("same:environ(",)),
    ("a formatter of one's own", "import string; return str(string.Formatter().get_field('0._ask.__self__.code', (services,), {}))[:5000]", ("same:",)),
    ("a log's format", "import logging; return logging.Formatter('{args[0].os.environ}', style='{').format(logging.makeLogRecord({'args': (logging,), 'msg': '%s'}))", ("same:environ(",)),
    ("percent with a lookup that runs", "class D(dict):\n        def __missing__(self, k): return eval(k)\n    return \"%(__import__('os'))s\" % D()", REFUSED),
    ("a template that runs", "import string\n    class T(string.Template): idpattern = '.+'\n    class D(dict):\n        def __missing__(self, k): return str(eval(k))\n    return T('${open(\"/etc/passwd\").read()}').substitute(D())", (*REFUSED, "ValueError")),
    ("a secret by its text", "return [str(env.CANARY_KEY), f'{env.CANARY_KEY:>90}', repr(env.CANARY_KEY)]", ("same:['{{env:CANARY_KEY:",)),
    ("a secret by its parts", "return [str(vars(env)), env.CANARY_KEY._mark, env.CANARY_KEY.name, str(env.get('CANARY_KEY'))]", ("same:",)),
    ("a secret that was not declared", "return str(env.OTHER_KEY)", ("not declared",)),
    ("a secret under a forged name", "return await services.sign(type(env.CANARY_KEY)('SECRET_KEY', 'x'), b'x')", ("same:", "stopped")),
]  # fmt: skip

LIBRARY: list[Attack] = [
    ("an outer entity in XML", "import xml.etree.ElementTree as E; return E.fromstring(f'<!DOCTYPE x [<!ENTITY a SYSTEM \"file://{args[\"file\"]}\">]><x>&a;</x>').text", ("ParseError",)),
    ("an outer entity by expat", "import xml.etree.ElementTree as E; p = E.XMLParser(); p.parser.ExternalEntityRefHandler = lambda c, b, s, q: len(open(s.removeprefix('file://')).read()); p.feed(f'<!DOCTYPE x [<!ENTITY a SYSTEM \"file://{args[\"file\"]}\">]><x>&a;</x>'); return p.close().text", ("AttributeError", "ParseError", *REFUSED)),
    ("parsing a file of XML", "import xml.etree.ElementTree as E; return E.parse(args['file'])", REFUSED),
    ("a time zone above the zones", "import zoneinfo; return str(zoneinfo.ZoneInfo('../../../etc/passwd'))", ("ZoneInfoNotFoundError", "ValueError")),
    ("a time zone at a place of one's own", "import zoneinfo; zoneinfo.reset_tzpath([args['folder']]); return str(zoneinfo.ZoneInfo('canary.py'))", ("there is no time zone", "ValueError")),
    ("a log file", "import logging; logging.FileHandler(args['folder'] + '/x').emit(logging.makeLogRecord({}))", REFUSED),
    ("a log over the network", "import logging.handlers; logging.handlers.SocketHandler('127.0.0.1', args['port']).createSocket()", REFUSED),
    ("logging set up from words", "import logging.config; logging.config.dictConfig({'version': 1, 'handlers': {'x': {'()': 'os.system', 'command': 'id'}}, 'root': {'handlers': ['x']}})", REFUSED),
    ("a program by asyncio", "import asyncio; await asyncio.create_subprocess_exec('/python/bin/python3')", (*REFUSED, "LookupError")),
    ("a shell by asyncio", "import asyncio; await asyncio.create_subprocess_shell('id')", (*REFUSED, "LookupError")),
    ("a pipe by asyncio", "import asyncio; await asyncio.open_unix_connection(args['folder'] + '/s')", REFUSED),
    ("a datagram by asyncio", "import asyncio; await asyncio.get_running_loop().create_datagram_endpoint(asyncio.DatagramProtocol, remote_addr=('127.0.0.1', args['port']))", REFUSED),
    ("a file by asyncio's executor", "import asyncio, io; return await asyncio.get_running_loop().run_in_executor(None, lambda: io.open(args['file']).read())", REFUSED),
    ("another loop", "import asyncio; asyncio.new_event_loop().run_until_complete(asyncio.sleep(9))", REFUSED),
    ("the machine's address", "import uuid; return uuid.getnode() > 0", ("same:True", *REFUSED)),
    ("a web request", "import urllib.request; return urllib.request.urlopen('http://127.0.0.1/').read().decode()", ("not permitted", *REFUSED)),
    ("a web page's file", "import urllib.request; return urllib.request.urlopen('file://' + args['file']).read().decode()", ("not permitted", *REFUSED, "URLError")),
    ("hashing a file", "import hashlib; return hashlib.file_digest(open(args['file'], 'rb'), 'sha256').hexdigest()", REFUSED),
    ("a mail's policy that imports", "import email.mime.application", REFUSED),
    ("a module that is not loaded", "import xml.dom.minidom", REFUSED),
    ("a map of a file in memory", "import mmap", REFUSED),
    ("a map of a file by asyncio's neighbours", "import asyncio; return asyncio.base_events.sys.modules['mmap'].mmap(-1, 1 << 33)", ("there is no", *REFUSED, *LIMIT)),
    ("a program's search for C libraries", "import asyncio; return asyncio.base_events.sys.modules['ctypes'].util.find_library('c')", (*REFUSED, "AttributeError", "same:None")),
    ("a queue of processes", "import concurrent.futures; concurrent.futures.ProcessPoolExecutor().submit(print)", REFUSED),
]  # fmt: skip

OTHERS: list[Attack] = [
    (
        "everything that Python knows in this process",
        f"""
    import asyncio, re
    gc = asyncio.base_events.sys.modules["gc"]
    gc.unfreeze()
    want, found = re.compile({CANARIES}), set()
    for thing in gc.get_objects():
        if isinstance(thing, (dict, list, tuple)):
            for each in (thing.values() if isinstance(thing, dict) else thing):
                if isinstance(each, str): found |= set(want.findall(each.encode("utf-8", "replace")))
                elif isinstance(each, bytes): found |= set(want.findall(each))
    return [each.decode() for each in found]
""",
        NOTHING,
    ),
    (
        "the memory around an object",
        f"""
    import asyncio, re
    ctypes = asyncio.base_events.sys.modules["ctypes"]
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.argtypes = [ctypes.c_long] + [ctypes.c_void_p] * 4
    want, found, read = re.compile({CANARIES}), set(), 0
    for start in {{id(object()), id(args), id("x" * 9000), id(asyncio)}}:
        for page in range((start & ~4095) - (8 << 20), start + (8 << 20), 4096):
            # A mask of signals that is read from there: a page that is none answers EFAULT, and nothing crashes.
            libc.syscall(args["masks"], 99, page, 0, 8)
            if ctypes.get_errno() == 22:
                read += 1
                found |= set(want.findall(ctypes.string_at(page, 4096)))
    return [each.decode() for each in found] if read else "read nothing"
""",
        NOTHING,
    ),
    ("what another run of this flow left", "import asyncio; return [k for k in asyncio.base_events.sys.modules if 'left' in k] + list(getattr(asyncio, 'left', []))", NOTHING),
    ("the installation's keys", "import asyncio; e = asyncio.base_events.os.environ; return sorted(k for k in e if 'KEY' in k or 'URL' in k or 'SECRET' in k)", NOTHING),
    ("the words of the command that started it", "import asyncio; return [a for a in asyncio.base_events.sys.argv if '@' in a or 'key' in a.lower()]", NOTHING),
    ("the machine's name", "import asyncio; return asyncio.base_events.os.uname().nodename", (*REFUSED, "same:sandbox")),
    ("who runs it", "import asyncio; return asyncio.base_events.os.getuid()", (*REFUSED, "same:-1", "same:65534")),
    ("the processes that run", "import asyncio; return asyncio.base_events.os.listdir('/proc')", REFUSED),
    ("the open files", "import asyncio; return asyncio.base_events.os.listdir('/proc/self/fd')", REFUSED),
    ("the map of memory", "import io; return io.open('/proc/self/maps').read()", REFUSED),
    ("the first process's environment", "import io; return io.open('/proc/1/environ').read()", REFUSED),
    ("the root of the first process", "import asyncio; return asyncio.base_events.os.listdir('/proc/1/root')", REFUSED),
    ("the devices", "import io; return io.open('/dev/mem', 'rb').read(9).hex()", REFUSED),
    ("its own channel as a file", "import io; return io.open('/dev/fd/3', 'rb').read(9).hex()", REFUSED),
    ("shared memory by name", "import asyncio; c = asyncio.base_events.sys.modules['ctypes'].CDLL(None); return c.shm_open(b'/x', 66, 384)", ("same:-1", "AttributeError")),
    ("shared memory by number", "import asyncio; c = asyncio.base_events.sys.modules['ctypes'].CDLL(None); return c.shmget(0, 4096, 0o1600)", ("same:-1",)),
    ("a semaphore by name", "import asyncio; c = asyncio.base_events.sys.modules['ctypes'].CDLL(None); c.sem_open.restype = asyncio.base_events.sys.modules['ctypes'].c_void_p; return c.sem_open(b'/x', 64, 384, 1)", ("same:None", "AttributeError")),
    ("a name server by C", "import asyncio; ct = asyncio.base_events.sys.modules['ctypes']; c = ct.CDLL(None); c.gethostbyname.restype = ct.c_void_p; return c.gethostbyname(b'example.com')", ("same:None",)),
    ("a shell by C", "import asyncio; return asyncio.base_events.sys.modules['ctypes'].CDLL(None).system(b'id')", ("same:-1", "same:32512")),
    ("a pipe to a program by C", "import asyncio; ct = asyncio.base_events.sys.modules['ctypes']; c = ct.CDLL(None); c.popen.restype = ct.c_void_p; return c.popen(b'id', b'r')", ("same:None",)),
]  # fmt: skip

HEAVY: list[Attack] = [
    ("a number made into text", "return len(str(7 ** (10 ** 8)))", (*LIMIT, "digits")),
    ("text made into a number", "import asyncio; asyncio.base_events.sys.set_int_max_str_digits(0); return int('9' * 10**7)", LIMIT),
    ("a format of great width", "return len('{:>9999999999}'.format(1))", (*LIMIT, "ValueError", "OverflowError")),
    ("percent of great width", "return len('%9999999999d' % 1)", (*LIMIT, "ValueError", "OverflowError")),
    ("a factorial", "import math; return math.factorial(10**8) > 1", LIMIT),
    ("a decimal's power", "import decimal; decimal.getcontext().prec = 10**8; return str(decimal.Decimal(7) ** 10**9)[:9]", (*LIMIT, "ValueError", "Overflow")),
    ("a fraction of long numbers", "import fractions; f = fractions.Fraction(3, 7)\n    while True: f = f * f + f", LIMIT),
    ("a list of much", "return len([0] * 10**10)", LIMIT),
    ("a product without end", "import itertools; return sum(1 for _ in itertools.product(range(999), repeat=9))", LIMIT),
    ("replacing that grows", "x = 'ab'\n    while True: x = x.replace('a', 'aab' * 99)", LIMIT),
    ("comparing long texts", "import difflib; return difflib.SequenceMatcher(None, 'ab' * 9999, 'ba' * 9999, autojunk=False).ratio()", LIMIT),
    ("a page of open tags", "import html.parser; p = html.parser.HTMLParser(); p.feed('<a ' * 10**6); return 1", (*LIMIT, "same:1")),
    ("JSON nested deep", "import json; return json.loads('[' * 10**6)", ("calls itself without end", "stopped", *LIMIT)),
    ("a copy of what is nested deep", "import copy\n    x = []\n    for _ in range(10**5): x = [x]\n    copy.deepcopy(x)", ("calls itself without end", *LIMIT, *GONE)),
    ("unpacking that grows", "import zlib; d = zlib.decompressobj(); return len(b''.join(d.decompress(zlib.compress(bytes(10**7))) for _ in range(999)))", (*LIMIT, "same:")),
    ("sleeping by C", "import asyncio; asyncio.base_events.sys.modules['ctypes'].CDLL(None).sleep(60)", LIMIT),
    ("sleeping until the end of time", "import asyncio; await asyncio.sleep(float('inf'))", (*LIMIT, "stopped")),
    ("a lock that nobody opens", "import asyncio; l = asyncio.Lock(); await l.acquire(); await l.acquire()", LIMIT),
    ("a wait in C that never ends", "import asyncio; asyncio.base_events.sys.modules['select'].poll().poll()", LIMIT),
    ("signals blocked and busy", "import asyncio; s = asyncio.base_events.sys.modules['signal']; s.pthread_sigmask(s.SIG_BLOCK, range(1, 65))\n    while True: pass", LIMIT),
    ("a finaliser that never ends", "class F:\n        def __del__(self):\n            while True: pass\n    F(); return 1", LIMIT),
    ("a finaliser in the answer's way", "class F(str):\n        def __len__(self):\n            while True: pass\n    return F('x')", ("same:x", *LIMIT)),
    ("a finaliser that writes late", "import asyncio, json\n    write = asyncio.base_events.os.write\n    class F:\n        def __del__(self): write(3, b'late')\n    asyncio.late = F(); return 1", ("same:1",)),
    ("an answer that grows as JSON", "return chr(1) * 400_000", LIMIT),
    ("a name that is too long", "return {'x' * (2 << 20): 1}", LIMIT),
    ("an answer that lies about itself", "class D(dict):\n        def items(self): return [('a', object())]\n    return D(a=1)", ("same:", "stopped", "kept")),
    ("a number that lies about itself", "class I(int):\n        def __repr__(self): return '1, \"call\": \"forged\"'\n    return [I(1)]", ("same:[1]",)),
    ("a crowd of errors", "raise ExceptionGroup('x' * 9999, [ValueError('y' * 9999)] * 10**5)", ("ExceptionGroup",)),
    ("an error with control characters", "raise ValueError('\\x1b[2J\\x00\\u202e{{env:CANARY_KEY}}')", ("ValueError",)),
    ("an error whose class has a long name", "raise type('E' * 10**6, (Exception,), {})('x')", ("stopped",)),
    ("a flood of signatures", "while True: await services.sign(env.CANARY_KEY, b'x')", LIMIT),
    ("a flood of log lines", "import logging\n    while True: logging.getLogger('x').error('x' * 10**4)", LIMIT),
    ("a flood of tasks that ask", "import asyncio\n    while True:\n        asyncio.ensure_future(services.http.get('https://x.example/')); await asyncio.sleep(0)", LIMIT),
]  # fmt: skip

WALKS = {
    "names": NAMES,
    "frames of Python": FRAMES,
    "formats and secrets": FORMATS,
    "the standard library": LIBRARY,
    "other processes": OTHERS,
    "time and memory": HEAVY,
}
