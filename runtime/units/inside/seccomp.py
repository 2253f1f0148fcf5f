"""The system calls of a unit's process, as a BPF program: memory, time, and the frames on its own socket.

No file, socket, process, thread or signal call is on the list. A refused call gives EPERM, so that code meets an
ordinary OSError; a call of another architecture ends the process.
"""

import ctypes
import platform
import struct

_LD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _EPERM, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_NR, _ARCH, _ARG2_LOW = 0, 4, 32
_PROT_EXEC = 4
_X32_BIT = 0x40000000

# name: (x86_64, aarch64); None where the architecture has no such call.
CALLS = {
    "read": (0, 63),
    "write": (1, 64),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "futex": (202, 98),
    "brk": (12, 214),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "gettimeofday": (96, 169),
    "nanosleep": (35, 101),
    "getrandom": (318, 278),
    "poll": (7, None),
    "ppoll": (271, 73),
    "close": (3, 57),
    "epoll_ctl": (233, 21),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "sched_yield": (24, 124),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
# Allowed without PROT_EXEC only: nothing is mapped as new machine code.
MAPPING = {"mmap": (9, 222), "mprotect": (10, 226)}
ARCHES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


class NoFilter(Exception):
    """This machine's architecture has no list of system calls here."""


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)


def program() -> bytes:
    """The filter's instructions for this machine. Raises NoFilter."""
    arch = ARCHES.get(platform.machine())
    if arch is None:
        raise NoFilter(f"There is no system call list for the processor type {platform.machine()}.")
    column, audit = arch
    ops = [_op(_LD, _ARCH), _op(_JEQ, audit, 1, 0), _op(_RET, _KILL), _op(_LD, _NR)]
    if column == 0:
        ops += [_op(_JGE, _X32_BIT, 0, 1), _op(_RET, _KILL)]
    for numbers in CALLS.values():
        if numbers[column] is not None:
            ops += [_op(_JEQ, numbers[column], 0, 1), _op(_RET, _ALLOW)]
    for numbers in MAPPING.values():
        ops += [_op(_JEQ, numbers[column], 0, 4), _op(_LD, _ARG2_LOW)]
        ops += [_op(_JSET, _PROT_EXEC, 0, 1), _op(_RET, _EPERM), _op(_RET, _ALLOW)]
    ops.append(_op(_RET, _EPERM))
    return b"".join(ops)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("ops", ctypes.c_void_p)]


class Filter:
    """Built once in the zygote, so that a child only makes the two calls that install it."""

    def __init__(self) -> None:
        ops = program()
        self._ops = ctypes.create_string_buffer(ops, len(ops))
        self._program = _Program(len(ops) // 8, ctypes.addressof(self._ops))
        self._prctl = ctypes.CDLL(None, use_errno=True).prctl
        self._prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong]

    def prctl(self, option: int, value: int, more: int = 0) -> None:
        """Raises OSError where the kernel refuses."""
        if self._prctl(option, value, more, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), f"prctl {option} was refused")

    def install(self) -> None:
        """From here on this process has only the calls of the list. Raises OSError."""
        self.prctl(38, 1)  # PR_SET_NO_NEW_PRIVS
        self.prctl(22, 2, ctypes.addressof(self._program))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
