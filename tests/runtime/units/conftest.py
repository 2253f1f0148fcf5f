"""The real sandbox, one per test module, and a lease per test."""

import pytest
import pytest_asyncio

from runtime.units.sandbox import Lease, Sandbox


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def sandbox():
    sandbox = Sandbox()
    yield sandbox
    await sandbox.close()


@pytest_asyncio.fixture(loop_scope="module")
async def lease(sandbox):
    lease = await sandbox.lease()
    yield lease
    await lease.close()


class Asked:
    """A services callback that keeps what it was asked and gives back what `answers` holds for the name."""

    def __init__(self, **answers):
        self.answers = answers
        self.calls = []

    async def __call__(self, name, args):
        self.calls.append((name, args))
        answer = self.answers.get(name.replace(".", "_"), {"status": 200, "headers": {}, "text": "{}"})
        if isinstance(answer, BaseException):
            raise answer
        return answer(args) if callable(answer) else answer


@pytest.fixture
def asked():
    return Asked


@pytest.fixture
def run():
    """run(lease, code, given, …): the code is a whole unit; its last function is the one called."""

    async def run(lease: Lease, code: str, given=None, *, kind="tool", services=None, **more):
        name = code.rpartition("async def ")[2].partition("(")[0]
        await lease.load({f"{kind}:{name}": code})
        more = {"settings": {}, "env": [], "seed": "seed", "clock": 1_700_000_000.0, **more}
        return await lease.call(f"{kind}:{name}", given, services=services or Asked(), **more)

    return run
