// The peer: `node server.js PORT [FOLDER]`. Keeps matches in memory, or in flat files under FOLDER.
// The game is what our `tally` is: every player adds to its own total at any time, and nobody is ever refused.
'use strict';

const { Server, FlatFile } = require('boardgame.io/server');
const { ActivePlayers } = require('boardgame.io/core');

function add({ G, playerID }, amount) {
  G.totals[Number(playerID)] += amount;
}

const tally = {
  name: 'tally',
  minPlayers: 2,
  maxPlayers: 8,
  // With undo on, every move keeps a copy of the whole state, for ever, since this game has no turns.
  disableUndo: true,
  setup: ({ ctx }) => ({ totals: Array(ctx.numPlayers).fill(0) }),
  turn: { activePlayers: ActivePlayers.ALL },
  moves: {
    // What boardgame.io offers for play out of turn: no move is dropped because another came first.
    add: { move: add, ignoreStaleStateID: true, client: false },
    // As moves come by default: dropped without an answer unless they name the current state.
    strict: { move: add, client: false },
  },
};

const [port, dir] = process.argv.slice(2);
const options = { games: [tally], origins: [] };
if (dir) options.db = new FlatFile({ dir });
Server(options).run(Number(port));
