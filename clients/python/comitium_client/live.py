"""A live session at a table: a `Session` on a connection, which is opened again whenever it is lost.

Everything moves only while you wait for it: `view`, `asks` and `seq` are those after the last entry that an `await` on
this object brought. So what you decide upon stays as you saw it while you think, and an action goes out with the
`if_match` of exactly that: if your asks changed meanwhile it is `Stale`, and not played in a position you never saw.
Several tasks may share a session; then each of them moves it for all.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Literal, Protocol, Self
from uuid import uuid4

from comitium_client.asks import Ask
from comitium_client.connector import Connector
from comitium_client.errors import ApiProblem, ComitiumError, Disconnected, LogForked, LogShorter
from comitium_client.models import Ack, Entry, Receipt
from comitium_client.retry import Retry
from comitium_client.session import Answered, Broken, Output, Proposal, Session, Update

Seen = Literal["seen"]

RESUME = 1013
"""The close code for a reader that was too slow: come again, from where you stopped."""

HOPELESS = frozenset({1002, 1003, 1007, 1008, 1009, 1010})
"""Close codes that the same connection would meet again."""


class Act(Protocol):
    """Acts over a request."""

    async def __call__(self, action: Mapping[str, Any], /, *, key: str, if_match: int | None) -> Ack: ...


class Host(Protocol):
    """What a live session needs of its table."""

    @property
    def act(self) -> Act:
        """For an action that the end of the table has left without an answer, when there is no live connection."""

    async def begin(self) -> Session:
        """A session where it is to start."""

    async def dial(self, after: int | None) -> Connector:
        """A connection that brings what comes after that entry."""

    async def log(self, after: int) -> tuple[Sequence[Entry], int]:
        """Some entries after that one, and where the log ends now."""

    async def ready(self) -> None:
        """Makes sure that receipts can be checked."""

    async def keep(self, receipt: Receipt) -> None:
        """Checks and keeps a receipt."""

    def forked(self, sentence: str, seq: int) -> LogForked:
        """The error for a log that has lost what was seen, with the receipts."""


class Live:
    """See the module. Iterating gives the whole view first, then an `Update` an entry, until the table has ended."""

    def __init__(self, host: Host, retry: Retry) -> None:
        self._host = host
        self._retry = retry
        self._session: Session | None = None
        self._connector: Connector | None = None
        self._moving = asyncio.Lock()
        self._updates: deque[Update] = deque()
        self._answers: dict[int, Ack | ApiProblem] = {}
        self._failures = 0
        self._problem: ApiProblem | None = None
        self._failure: ComitiumError | None = None
        self._closed = False

    # --- Where things stand ---------------------------------------------------------------------------

    @property
    def now(self) -> Update:
        """The last update."""
        if self._session is None or self._session.now is None:
            raise RuntimeError("A live session has no view before it is opened: use `async with table.follow()`.")
        return self._session.now

    @property
    def view(self) -> dict[str, Any]:
        """What you know, as plain values."""
        return self.now.view

    @property
    def asks(self) -> tuple[Ask, ...]:
        """What you may do."""
        return self.now.asks

    @property
    def must(self) -> tuple[Ask, ...]:
        """What the table waits for you to do."""
        return self.now.must

    @property
    def since(self) -> int:
        """The last entry that changed your asks."""
        return self.now.since

    @property
    def to_act(self) -> tuple[int, ...]:
        """The seats that the table waits for."""
        return self.now.to_act

    @property
    def seq(self) -> int:
        """The last entry."""
        return self.now.seq

    @property
    def head(self) -> str:
        """The head of the log after it."""
        return self.now.head

    @property
    def over(self) -> bool:
        """Whether the table has ended."""
        return self.now.over

    # --- Following ------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Connects and waits for the view. `async with` and iterating do this by themselves."""
        await self._enter()

    async def _enter(self) -> Session:
        session = self._session or await self._begin()
        await self._until(session, lambda: session.now is not None)
        return session

    async def _begin(self) -> Session:
        async with self._moving:  # several tasks may come at once
            if self._failure is not None:
                raise self._failure
            if self._session is None:
                self._session = await self._host.begin()
                if self._session.now is not None:
                    self._updates.append(self._session.now)
            return self._session

    async def close(self) -> None:
        """Ends the session. Actions without an answer raise `Disconnected`."""
        self._closed = True
        self._failure = self._failure or Disconnected("The session was closed.")
        await self._drop()

    async def __aenter__(self) -> Self:
        try:
            await self.open()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Update:
        try:
            session = await self._enter()
            await self._until(session, lambda: bool(self._updates) or self.over)
        except Disconnected:
            if not self._closed:
                raise
        if not self._updates:
            raise StopAsyncIteration
        return self._updates.popleft()

    # --- Acting ---------------------------------------------------------------------------------------

    async def act(
        self, action: str | Mapping[str, Any], /, *, key: str | None = None, if_match: int | Seen | None = "seen",
        **fields: Any,
    ) -> Ack:  # fmt: skip
        """Does something, once: `act("say", text="Salve")`, or `act({"type": "say", "text": "Salve"})`.

        Returns when it is in the log and the update with it has arrived. `key`: the idempotency key, a new one if
        none is given. `if_match`: the entry that you decided upon, by default the last one that this session has shown.

        Raises:
            ApiProblem: it was refused (`Refused`), or your asks have changed (`Stale`), ...
            Disconnected: it is unknown whether it was done.
        """
        session = await self._enter()
        match = self.seq if if_match == "seen" else if_match
        await self._host.ready()
        action, key = action_of(action, fields), key or str(uuid4())
        try:
            return await self._propose(session, session.propose(action, key, match), match)
        except Disconnected:
            if self._closed or not self.over:
                raise
            return await self._host.act(action, key=key, if_match=match)

    async def _propose(self, session: Session, proposal: Proposal, if_match: int | None) -> Ack:
        failures = 0
        while isinstance(outcome := await self._answer(session, proposal), ApiProblem):
            failures += 1
            if outcome.code == "log_forked":
                raise self._host.forked(outcome.detail, if_match or 0) from outcome
            if not outcome.transient or not await self._retry.pause(failures, outcome.retry_after):
                raise outcome
            session.repeat(proposal)
        await self._host.keep(outcome.receipt)
        return outcome

    async def _answer(self, session: Session, proposal: Proposal) -> Ack | ApiProblem:
        try:
            if self._connector is not None:
                with suppress(Disconnected):  # noticed by whoever receives next; then it is sent again
                    await self._connector.send(proposal.message)
            await self._until(session, lambda: proposal.id in self._answers)
            return self._answers[proposal.id]
        finally:
            session.forget(proposal)
            self._answers.pop(proposal.id, None)

    # --- Moving ---------------------------------------------------------------------------------------

    async def _until(self, session: Session, done: Callable[[], bool]) -> None:
        """Takes one message after the other; when several tasks wait, one receives for all."""
        while not done():
            async with self._moving:
                if not done():
                    await self._step(session)

    async def _step(self, session: Session) -> None:
        if self._failure is not None:
            raise self._failure
        try:
            outputs = await self._outputs(session)
        except (Disconnected, LogShorter, ApiProblem) as error:
            await self._lost(session, error)
        except ComitiumError as error:
            raise await self._fail(error) from error.__cause__
        else:
            if session.gap is None:
                self._failures = 0
            for output in outputs:
                self._take(output)

    async def _outputs(self, session: Session) -> list[Output]:
        connector = self._connector or await self._connect(session)
        if session.gap is None:
            return session.receive(await connector.recv())
        return session.link(*await self._host.log(session.gap.after))

    def _take(self, output: Output) -> None:
        match output:
            case Update():
                self._updates.append(output)
            case Answered(id, outcome):
                self._answers[id] = outcome
            case Broken(problem):
                self._problem = problem

    async def _connect(self, session: Session) -> Connector:
        connector = await self._host.dial(session.after)
        if self._failure is not None:  # closed meanwhile
            await connector.close()
            raise self._failure
        self._connector = connector
        for message in session.opened():
            await connector.send(message)
        return connector

    async def _lost(self, session: Session, error: ComitiumError) -> None:
        """Waits before the next connection, or gives up."""
        await self._drop()
        if self._failure is not None:
            raise self._failure
        why, self._problem = self._problem or error, None
        self._failures += 1
        hopeless = session.over or _hopeless(why, getattr(error, "code", None))
        if hopeless or not await self._retry.pause(self._failures, getattr(why, "retry_after", None)):
            raise await self._fail(why)

    async def _fail(self, error: ComitiumError) -> ComitiumError:
        self._failure = error
        await self._drop()
        return error

    async def _drop(self) -> None:
        connector, self._connector = self._connector, None
        if connector is not None:
            await connector.close()


def _hopeless(why: ComitiumError, code: int | str | None) -> bool:
    if isinstance(why, ApiProblem):
        return not why.transient and code != RESUME
    return code in HOPELESS


def action_of(action: str | Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The action as it stands on the wire, from its type and fields or from a whole one."""
    return {"type": action, **fields} if isinstance(action, str) else {**action, **fields}
