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
  'The server returns a result with `isError` for an unknown tool, and not an error. Specification, Server Features, Tools, Error Handling: unknown tools are protocol errors (`-32602`).';

const unordered =
  'Notifications and responses use separate queues. Progress arrives after the result, or not at all. Specification, Basic, Progress: progress notifications must stop after completion.';

const stateless = ['2026-07-28'];

/** All of them. */
export const faults: readonly Fault[] = [
  { peer: 'python', side: 'server', steps: ['unknown tool'], why: unknownTool },
  {
    peer: 'go',
    side: 'server',
    steps: ['cancelled there'],
    ways: ['stateless'],
    why: 'The server does not cancel the handler of a call whose stream is closed. Specification 2026-07-28, Basic, Transports: over HTTP, a client cancels a request by closing its response stream.',
  },
  { peer: 'fastmcp', side: 'server', steps: ['unknown tool'], why: unknownTool },
  {
    peer: 'fastmcp',
    side: 'server',
    steps: ['watch', 'updated', 'list changed'],
    revisions: stateless,
    bridged: false,
    why: 'The server has no `subscriptions/listen` at 2026-07-28.',
  },
  {
    peer: 'fastmcp',
    side: 'server',
    steps: ['updated', 'list changed'],
    bridged: true,
    why: 'The server has no `resources/subscribe` in the session-based revisions, and no `subscriptions/listen` at 2026-07-28. The bridge has nothing to subscribe to.',
  },
  { peer: 'mcp-go', side: 'server', steps: ['progress', 'log'], why: unordered },
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['updated', 'list changed'],
    ways: ['http'],
    revisions: stateless,
    bridged: false,
    why: 'The server sends no notifications on the stream of a subscription. Specification 2026-07-28, Subscriptions.',
  },
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['updated'],
    ways: ['http'],
    bridged: true,
    why: 'The same fault, behind a bridge.',
  },
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['elicitation', 'sampling', 'roots', 'asked after that'],
    ways: ['sse'],
    why: 'Its sessions over HTTP+SSE cannot send requests to the client: "session does not support elicitation".',
  },
  {
    peer: 'mcp-go',
    side: 'client',
    steps: ['elicitation', 'sampling', 'roots', 'asked after that'],
    ways: ['sse'],
    why: 'The client does not answer requests of the server over HTTP+SSE, although it declares the capabilities.',
  },
  {
    peer: 'mcp-go',
    side: 'client',
    steps: ['cancelled there'],
    revisions: ['2025-11-25'],
    ways: ['http', 'sse'],
    why: 'The client does not cancel a call at the server. Before 2026-07-28, it sends no `notifications/cancelled` over HTTP.',
  },
  {
    peer: 'mcp-go',
    side: 'client',
    steps: ['updated', 'list changed'],
    revisions: ['2025-11-25'],
    ways: ['http'],
    why: 'The client opens no stream for notifications, unless it is limited to 2025-11-25 or earlier.',
  },
];
