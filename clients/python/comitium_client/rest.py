"""Requests and answers: sends, sends again where that is safe and useful, and turns problems into exceptions."""

from collections.abc import Mapping
from typing import Any, TypeVar, overload
from uuid import uuid4

import httpx
import msgspec

from comitium_client.coding import JSON, MSGPACK, Coding
from comitium_client.errors import ApiProblem, ComitiumError, Disconnected, Unreadable, problem
from comitium_client.retry import Retry, seconds

T = TypeVar("T")

_HOPELESS = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
"""Failures that the same request meets again."""


class Reply(msgspec.Struct, frozen=True):
    """An answer that is no problem."""

    content: bytes
    coding: Coding
    replayed: bool

    def read(self, kind: type[T]) -> T:
        """The decoded answer."""
        value: T = self.coding.read(self.content, kind)
        return value


class Rest:
    """One server, spoken to as one player."""

    def __init__(self, http: httpx.AsyncClient, coding: Coding, retry: Retry) -> None:
        self._http = http
        self._coding = coding
        self._retry = retry

    async def get(self, path: str, **params: Any) -> Reply:
        """Reads. Parameters that are None are left out."""
        return await self._send("GET", path, {}, params=given(params))

    async def file(self, path: str, media: str) -> bytes:
        """Reads what is not decoded, in that form."""
        return (await self._send("GET", path, {"Accept": media})).content

    async def upload(self, path: str, data: bytes) -> Reply:
        """Sends a file; sent twice, it is the same file."""
        return await self._send("POST", path, {"Content-Type": "application/octet-stream"}, content=data)

    async def post(
        self, path: str, body: Mapping[str, Any], *, key: str | None = None, if_match: int | None = None
    ) -> Reply:
        """Does something, once: however often it is sent, it is under one key."""
        headers = {"Idempotency-Key": key or str(uuid4()), "Content-Type": "application/json"}
        if if_match is not None:
            headers["If-Match"] = f'"{if_match}"'
        return await self._send("POST", path, headers, content=msgspec.json.encode(body))

    async def delete(self, path: str, *, key: str | None = None) -> Reply:
        """Takes something back, once."""
        return await self._send("DELETE", path, {"Idempotency-Key": key or str(uuid4())})

    async def _send(self, method: str, path: str, headers: Mapping[str, str], **request: Any) -> Reply:
        failures = 0
        while True:
            try:
                return await self._once(method, path, headers, request)
            except (ApiProblem, Disconnected) as error:
                failures += 1
                if not _passing(error) or not await self._retry.pause(failures, getattr(error, "retry_after", None)):
                    raise

    async def _once(self, method: str, path: str, headers: Mapping[str, str], request: Mapping[str, Any]) -> Reply:
        accept = {"Accept": self._coding.media, **headers}
        try:
            response = await self._http.request(method, path, headers=accept, **request)
        except _HOPELESS as error:
            raise ComitiumError(str(error)) from error
        except httpx.TransportError as error:
            raise Disconnected(f"{method} {path}: {str(error) or type(error).__name__}") from error
        if not response.is_success:
            raise _problem(response)
        replayed = response.headers.get("Idempotency-Replayed") == "true"
        return Reply(response.content, _coding(response), replayed)


def _passing(error: ComitiumError) -> bool:
    return isinstance(error, Disconnected) or (isinstance(error, ApiProblem) and error.transient)


def _coding(response: httpx.Response) -> Coding:
    return MSGPACK if "msgpack" in response.headers.get("Content-Type", "") else JSON


def _problem(response: httpx.Response) -> ApiProblem:
    """A problem even when something between here and the server answered in its own words."""
    retry_after = seconds(response.headers.get("Retry-After"))
    try:
        document = _coding(response).read(response.content, dict[str, Any])
    except Unreadable:
        document = {"detail": response.reason_phrase}
    return problem(document, response.status_code, retry_after)


@overload
def given(values: Mapping[str, T | None]) -> dict[str, T]: ...
@overload
def given(values: Mapping[str, Any]) -> dict[str, Any]: ...
def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are not None."""
    return {name: value for name, value in values.items() if value is not None}
