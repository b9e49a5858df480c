import type { Case, Contender } from '../harness/case.ts';
import { growth } from '../harness/growth.ts';
import { serverContender, type HttpServer } from '../harness/http-contender.ts';
import { idleSessions, idleStreams } from '../harness/idle.ts';
import { handshake, older, stateless } from '../harness/requests.ts';

const streams = 5_000;
const sessions = 5_000;
const requests = 1_000_000;

function streaming(server: HttpServer): Contender {
  return serverContender(server, async (child) => idleStreams(child, streams));
}

function keeping(server: HttpServer, count: number, revision: string = handshake): Contender {
  return serverContender(server, async (child) => idleSessions(child, revision, count));
}

/** Fewer sessions: one of them takes up to a second to open. */
function keepingPeer(name: string, revision: string = handshake): Contender {
  const script = name.replace(' ', '-');
  const label = revision === handshake ? name : `${name} (${revision})`;
  return keeping({ name: label, script, options: { sessions: true }, peer: true }, 640, revision);
}

function growing(name: string, revision: string): Contender {
  const options = { revision, total: requests, connections: 16 };
  return serverContender({ name, script: 'parley' }, async (child) => await growth(child, options));
}

/** What a server holds on to while nothing happens, and after very much did. */
export const httpHeldCases: readonly Case[] = [
  {
    id: 'idle-streams',
    title: `${streams.toLocaleString('en')} idle subscriptions/listen streams at ${stateless}, one change to all of them`,
    unit: 'KB of heap per stream',
    target: '< 8 KB; the change in < 150 ms; nothing left after they close',
    rounds: 3,
    contenders: [
      streaming({ name: 'limit', limit: true, script: 'limit', options: { streams: true } }),
      streaming({ name: 'parley', script: 'parley' }),
      streaming({ name: 'toNodeHandler', script: 'parley', options: { entry: 'toNodeHandler' } }),
      streaming({ name: 'limit of fetch', script: 'limit-web', fetched: true }),
      streaming({ name: 'createHandler', script: 'parley', options: { entry: 'createHandler' }, fetched: true }),
      streaming({ name: 'official v2', script: 'official-v2', peer: true }),
      streaming({ name: 'tmcp', script: 'tmcp', peer: true }),
    ],
  },
  {
    id: 'idle-sessions',
    title: `${sessions.toLocaleString('en')} idle sessions at ${handshake}`,
    unit: 'KB of heap per session',
    target: '< 4 KB; nothing left after they end',
    rounds: 3,
    contenders: [
      keeping({ name: 'parley', script: 'parley' }, sessions),
      keepingPeer('official v2'),
      keepingPeer('official v1'),
      keepingPeer('tmcp', older),
      keepingPeer('mcp-lite', older),
      keepingPeer('fastmcp'),
    ],
  },
  {
    id: 'growth',
    title: `${requests.toLocaleString('en')} requests to one server`,
    unit: 'µs of CPU per request in the last tenth',
    target: 'last ÷ first about 1, nothing left',
    rounds: 1,
    contenders: [growing(stateless, stateless), growing(handshake, handshake)],
  },
];
