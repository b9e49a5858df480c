/** HTTP+SSE of the server that judges its client: a stream by GET, and the endpoint for messages that it names. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { HeardHead } from '../client-rule.ts';
import { bodyOf, endResponse } from '../http-parts.ts';
import type { JudgedClient } from './judged-client.ts';
import type { ClientSession } from '../client-session.ts';

/** Paths of the stream, and of the messages. */
export const pairPaths = { stream: '/sse', messages: '/messages' } as const;

/** Limit of streams that are open. */
const maxStreams = 100;

interface OpenPair {
  readonly clientSession: ClientSession;
  readonly response: ServerResponse;
}

/** Streams by HTTP+SSE, by the id of their endpoint. */
export class PairDoor {
  readonly #open = new Map<string, OpenPair>();
  readonly #revision: Revision;

  constructor(revision: Revision) {
    this.#revision = revision;
  }

  /** Serves a request at one of its paths. @param head Its path has the query. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    head: HeardHead,
    judged: JudgedClient,
  ): Promise<void> {
    const { pathname, searchParams } = new URL(head.path, 'http://127.0.0.1');
    const isStream = pathname === pairPaths.stream;
    if (isStream && head.method === 'GET') return this.#stream(response, judged);
    if (head.method !== 'POST') return endResponse(response, 405);
    const body = await bodyOf(request);
    if (body === undefined) return endResponse(response, 413, undefined, { connection: 'close' });
    const { text } = body;
    const pair = isStream ? undefined : this.#open.get(searchParams.get('stream') ?? '');
    if (pair === undefined) {
      this.#misplaced(text, head);
      return endResponse(response, isStream ? 405 : 404);
    }
    endResponse(response, 202);
    const line = { send: (message: JsonObject) => write(pair.response, message) };
    const { messages } = await judged.take({ text, http: head, served: [this.#revision], line }, pair.clientSession);
    for (const message of messages) write(pair.response, message);
  }

  #stream(response: ServerResponse, judged: JudgedClient): void {
    if (this.#open.size >= maxStreams) return endResponse(response, 503);
    const id = crypto.randomUUID();
    this.#open.set(id, { clientSession: judged.opened('sse'), response });
    response.on('close', () => this.#open.delete(id));
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    // Comments are part of streams, and no fault.
    response.write(`: the endpoint comes first\n\nevent: endpoint\ndata: ${pairPaths.messages}?stream=${id}\n\n`);
  }

  /** Something was posted to where no endpoint is; who only looks whether it is spoken to otherwise does right. */
  #misplaced(text: string, { path }: HeardHead): void {
    if (/"method"\s*:\s*"(?:initialize|server\/discover)"/.test(text)) return;
    const clientSession = [...this.#open.values()].findLast(
      (pair) => pair.clientSession.stage !== 'new',
    )?.clientSession;
    if (clientSession !== undefined) clientSession.misplaced ??= `POST ${path}\n\n${text.slice(0, 1_000)}`;
  }
}

function write(response: ServerResponse, message: JsonObject): boolean {
  if (response.destroyed) return false;
  return response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`) || !response.destroyed;
}
