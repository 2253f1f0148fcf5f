"""What can go wrong when code runs. Every message is a sentence for the person."""

from __future__ import annotations


class CodeError(Exception):
    """The code did not give a result. Base of the three below."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class CodeFailed(CodeError):
    """The code's own error. line is the unit's line, where there is one."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class CodeLimit(CodeError):
    """The code took too long, too much memory, gave too much, or asked too often."""


class CodeGone(CodeError):
    """The code's process died. again: it was not the code's doing, and the call may be made once more."""

    def __init__(self, message: str, *, again: bool = False) -> None:
        super().__init__(message)
        self.again = again


class ServiceFailed(Exception):
    """Raised by a services callback: the sentence is what the code's request fails with, and code may catch it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SandboxUnavailable(Exception):
    """No code can run on this machine as it is. The message says why and what the operator does about it."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
