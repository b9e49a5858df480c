/** Faults of peers that a run is expected to meet. One that is met no more is told, so that it leaves this list. */

import type { Way } from './peer.ts';

/** A fault of a peer. */
export interface Fault {
  readonly peer: string;
  readonly side: 'client' | 'server';
  /** The steps that it spoils. */
  readonly steps: readonly string[];
  /** Where it shows: the ways, and the revisions that the client agreed on; everywhere by default. */
  readonly ways?: readonly Way[];
  readonly revisions?: readonly string[];
  /** Whether it shows only through a bridge, or only without. */
  readonly bridged?: boolean;
  /** What is wrong, and by which rule. */
  readonly why: string;
}

const unknownTool =
  'An unknown tool is answered with a result that says `isError`, not with an error. Specification, Server Features, ' +
  'Tools, Error Handling: unknown tools are protocol errors (`-32602`).';

const unordered =
  'Notifications pass by a queue beside the answers, so that progress comes after the result that ends it, or not at ' +
  'all. Specification, Basic, Progress: progress notifications must stop after completion.';

const stateless = ['2026-07-28'];

/** All of them. */
export const faults: readonly Fault[] = [
  { peer: 'python', side: 'server', steps: ['unknown tool'], why: unknownTool },
  {
    peer: 'go',
    side: 'server',
    steps: ['cancelled there'],
    ways: ['stateless'],
    why:
      'The handler of a call whose stream was closed is not told. Specification 2026-07-28, Basic, Transports: closing ' +
      'the stream of a response is how a request is cancelled over HTTP.',
  },
  { peer: 'fastmcp', side: 'server', steps: ['unknown tool'], why: unknownTool },
  {
    peer: 'fastmcp',
    side: 'server',
    steps: ['watch', 'updated', 'list changed'],
    revisions: stateless,
    bridged: false,
    why: 'There is no `subscriptions/listen` at 2026-07-28.',
  },
  {
    peer: 'fastmcp',
    side: 'server',
    steps: ['updated', 'list changed'],
    bridged: true,
    why:
      'There is no `resources/subscribe` in the handshake revisions and no `subscriptions/listen` at 2026-07-28, so that ' +
      'a bridge has nothing to subscribe to.',
  },
  { peer: 'mcp-go', side: 'server', steps: ['progress', 'log'], why: unordered },
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['updated', 'list changed'],
    ways: ['http'],
    revisions: stateless,
    bridged: false,
    why: 'Notifications of a subscription are lost: none leaves on its stream. Specification 2026-07-28, Subscriptions.',
  },
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['updated'],
    ways: ['http'],
    bridged: true,
    why: 'The same, behind a bridge.',
  },
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['elicitation', 'sampling', 'roots', 'asked after that'],
    ways: ['sse'],
    why: 'Its sessions over HTTP+SSE cannot ask: "session does not support elicitation".',
  },
  {
    peer: 'mcp-go',
    side: 'client',
    steps: ['elicitation', 'sampling', 'roots', 'asked after that'],
    ways: ['sse'],
    why: 'Requests of the server over HTTP+SSE are not answered, though the client declares that it can be asked.',
  },
  {
    peer: 'mcp-go',
    side: 'client',
    steps: ['cancelled there'],
    revisions: ['2025-11-25'],
    ways: ['http', 'sse'],
    why:
      'A call that is given up is not cancelled at the server: no `notifications/cancelled` is sent over HTTP before ' +
      '2026-07-28.',
  },
  {
    peer: 'mcp-go',
    side: 'client',
    steps: ['updated', 'list changed'],
    revisions: ['2025-11-25'],
    ways: ['http'],
    why: 'No stream is opened for notifications unless the client is told to use nothing newer than 2025-11-25.',
  },
];
