"""Bots: clients like any other, which speak only the wire. `BOTS` names those that a house has.

`bot` says what a bot is, `playing` lets one play at a table, `host` runs them inside a server's process over `inside`.
"""

from collections.abc import Mapping

from clients.bots.bot import Factory
from clients.bots.chancer import Chancer
from clients.bots.ten_kings import Sinner
from clients.bots.tribunal import Lawyer

BOTS: Mapping[str, Factory] = {"random": Chancer, "tribunal": Lawyer, "ten_kings": Sinner}
