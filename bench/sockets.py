"""All sockets of a load: who sent what, who has heard of it, and how long that took."""

import select
import socket
import time
from typing import Self

from bench.dialects import ACK, DIALECTS, REFUSED, Dialect, Door
from bench.frames import CLOSE, PING, PONG, TEXT, Broken, Frames, frame, upgrade

PATIENCE = 30.0
CHUNK = 65536
"""Bytes a read; to make a larger buffer costs more than the read itself."""


class Course:
    """The commands of one seat in order: when each was due, and how many sockets have yet to hear of it."""

    __slots__ = ("due", "left")

    def __init__(self) -> None:
        self.due: list[float] = []
        self.left: list[int] = []


class Link:
    """One seat's socket. `heard`: how many commands of each seat it has heard of."""

    __slots__ = ("accepted", "courses", "door", "frames", "heard", "own", "received", "seat", "sock", "talk")

    def __init__(self, door: Door, sock: socket.socket, talk: Dialect, courses: list[Course]) -> None:
        self.door, self.sock, self.seat, self.talk = door, sock, door.seat, talk
        self.frames = Frames()
        self.courses, self.own = courses, courses[door.seat]
        self.heard = [0] * len(courses)
        self.accepted = self.received = 0


class Book:
    """What was measured since the last `clear`."""

    __slots__ = ("accepted", "bytes", "notified", "refused", "retries")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.accepted: list[float] = []
        self.notified: list[float] = []
        self.bytes = self.retries = self.refused = 0


class Sockets:
    """The links of a load and the one loop over them. `eager`: the closed loop, every seat sends when it may."""

    def __init__(self, kind: type[Dialect], seats: int) -> None:
        self.acks, self.retries, self.audience = kind.acks, kind.retries, kind.audience or seats
        self.book, self.eager, self.awaited = Book(), False, 0
        self.poll = select.epoll()
        self.links: dict[int, Link] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for link in self.links.values():
            link.sock.close()
        self.poll.close()

    def add(self, link: Link) -> None:
        self.links[link.sock.fileno()] = link
        self.poll.register(link.sock.fileno(), select.EPOLLIN)

    def send(self, link: Link, due: float) -> None:
        """The seat's next command."""
        number = len(link.own.due)
        link.own.due.append(due)
        link.own.left.append(self.audience)
        self.awaited += self.audience + self.acks
        link.sock.send(frame(link.talk.command(number)))

    def turn(self, timeout: float) -> None:
        """Hear what there is, or wait for something to come; to the microsecond, which epoll alone cannot."""
        ready = self.poll.poll(0)
        if not ready and timeout > 0:
            select.select([self.poll], (), (), timeout)
            ready = self.poll.poll(0)
        for fd, _ in ready:
            link = self.links[fd]
            data = link.sock.recv(CHUNK)
            now = time.perf_counter()
            self.book.bytes += len(data)
            if not data:
                self.lost(link)
            for opcode, payload in link.frames.feed(data):
                if link.sock.fileno() < 0:
                    break
                if opcode == TEXT:
                    self.hear(link, payload, now)
                else:
                    keep(link, opcode, payload)

    def lost(self, link: Link) -> None:
        raise Broken(f"the server closed the socket of seat {link.seat} of table {link.door.table}")

    def hear(self, link: Link, payload: bytes, now: float) -> None:
        """One message."""
        mover = link.talk.read(payload)
        if mover >= 0:
            self.note(link, mover, now)
        elif mover == ACK:
            self.awaited -= 1
            self.accept(link, now)
        elif mover == REFUSED:
            raise Broken(payload[:500].decode(errors="replace"))
        elif answer := link.talk.answer(payload):
            link.sock.send(frame(answer))

    def note(self, link: Link, mover: int, now: float) -> None:
        """The link has heard of the next command of that seat."""
        course, number = link.courses[mover], link.heard[mover]
        link.heard[mover] = number + 1
        course.left[number] -= 1
        self.awaited -= 1
        if not course.left[number]:
            self.book.notified.append(now - course.due[number])
        if mover != link.seat:
            if self.retries and link.accepted < len(link.own.due):
                self.book.retries += 1
                link.sock.send(frame(link.talk.command(link.accepted)))
        elif self.acks:
            self.go_on(link, now)
        else:
            self.accept(link, now)

    def accept(self, link: Link, now: float) -> None:
        """The seat's oldest command without an answer has one."""
        self.book.accepted.append(now - link.own.due[link.accepted])
        link.accepted += 1
        self.go_on(link, now)

    def go_on(self, link: Link, now: float) -> None:
        """In the closed loop: send again once both have come."""
        if self.eager and link.accepted == link.heard[link.seat] == len(link.own.due):
            self.send(link, now)

    def ages(self, now: float) -> list[float]:
        """How old the commands are of which somebody has not heard yet."""
        courses = {id(course): course for link in self.links.values() for course in link.courses}.values()
        return [now - due for course in courses for due, left in zip(course.due, course.left, strict=True) if left]

    def longest(self) -> int:
        """The most commands that one table has taken."""
        return max((sum(len(course.due) for course in link.courses) for link in self.links.values()), default=0)


def open_sockets(dialect: str, port: int, doors: list[Door]) -> Sockets:
    """A socket for every door."""
    kind = DIALECTS[dialect]
    seats = max(door.seat for door in doors) + 1
    sockets = Sockets(kind, seats)
    tables = {door.table: [Course() for _ in range(seats)] for door in doors}
    for door in doors:
        sockets.add(enter(Link(door, connect(port), kind(door), tables[door.table])))
    return sockets


def connect(port: int) -> socket.socket:
    """A connection without Nagle's delay."""
    sock = socket.create_connection(("127.0.0.1", port), PATIENCE)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def shake(link: Link) -> Link:
    """Turn the connection into a WebSocket."""
    link.sock.sendall(upgrade(link.door.path, link.door.headers))
    head = b""
    while b"\r\n\r\n" not in head and (data := link.sock.recv(CHUNK)):
        head += data
    line, rest = head.partition(b"\r\n")[0], head.partition(b"\r\n\r\n")[2]
    if b" 101 " not in line:
        raise Broken(head[:500].decode(errors="replace"))
    link.frames = Frames(rest)
    return link


def enter(link: Link) -> Link:
    """Get in: the handshake, and whatever the peer wants to hear before it lets a seat play."""
    shake(link)
    data, inside = b"", False
    while True:
        link.received += len(data)
        for opcode, payload in link.frames.feed(data):
            if opcode != TEXT:
                keep(link, opcode, payload)
                continue
            replies, now_in = link.talk.greet(payload)
            inside = inside or now_in
            for reply in replies:
                link.sock.sendall(frame(reply))
        if inside:
            return link
        data = link.sock.recv(CHUNK)
        if not data:
            raise Broken("the server closed a socket before it was in")


def keep(link: Link, opcode: int, payload: bytes) -> None:
    """Answer a ping; a close ends the measurement."""
    if opcode == PING:
        link.sock.sendall(frame(payload, PONG))
    elif opcode == CLOSE:
        raise Broken(f"closed: {payload!r}")
