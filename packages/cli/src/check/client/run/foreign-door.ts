/** A server that supports no known revision: every client must disconnect. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { jsonIn } from '../../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { monotonicNow } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { newestOf, type Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { HeardHead } from '../client-rule.ts';
import { bodyOf, endResponse } from '../http-parts.ts';
import type { JudgedClient } from './judged-client.ts';
import { isStateless, revisionOfMessage } from '../placing.ts';
import { isAsking, metaOf, paramsOf, type ClientSession } from '../client-session.ts';

/** Path of it. */
export const foreignPath = '/unknown/mcp';

/** A date on which nothing was published. */
const foreignDate = '1999-01-01';

/** The door of it. */
export class ForeignDoor {
  readonly #revisions: readonly Revision[];
  #stateless: ClientSession | undefined;
  #last: ClientSession | undefined;

  constructor(revisions: readonly Revision[]) {
    this.#revisions = revisions;
  }

  /** Serves a request at its path. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    http: HeardHead,
    judged: JudgedClient,
  ): Promise<void> {
    if (http.method !== 'POST') return endResponse(response, 405);
    const body = await bodyOf(request);
    if (body === undefined) return endResponse(response, 413, undefined, { connection: 'close' });
    const message = jsonIn(body.text);
    if (!isObject(message)) return endResponse(response, 400);
    judged.messages++;
    if (judged.isTooMuch) return endResponse(response, 503);
    const heard = (clientSession: ClientSession | undefined): void => {
      if (clientSession?.revision !== undefined)
        judged.watching.heard({ message, batch: 0, clientSession, revision: clientSession.revision, http }, body.text);
    };
    const newest = newestOf(this.#revisions, 'stateless');
    if (isStateless(message) && newest !== undefined) {
      this.#stateless ??= begun(judged, newest);
      heard(this.#stateless);
      this.#stateless.refusedAt = monotonicNow();
      return endResponse(response, 400, this.#unsupported(message));
    }
    if (message['method'] === 'initialize') return this.#opened(message, response, judged, heard);
    heard(this.#last);
    if (!isAsking(message)) return endResponse(response, 202);
    endResponse(response, 400, refusal(message, -32_600, 'no revision was agreed on'));
  }

  #opened(
    message: JsonObject,
    response: ServerResponse,
    judged: JudgedClient,
    heard: (clientSession: ClientSession | undefined) => void,
  ): void {
    heard(this.#stateless);
    const clientSession = begun(judged, revisionOfMessage(message, this.#revisions));
    this.#last = clientSession;
    heard(clientSession);
    clientSession.stage = 'answered';
    const serverInfo = { name: 'parley-check', version: '0' };
    endResponse(response, 200, {
      jsonrpc: '2.0',
      id: message['id'],
      result: { protocolVersion: foreignDate, capabilities: {}, serverInfo },
    });
  }

  #unsupported(message: JsonObject): JsonObject {
    const requested = metaOf(message)[metaKey.protocolVersion] ?? paramsOf(message)['protocolVersion'] ?? null;
    return refusal(message, -32_022, 'that revision is not spoken here', { supported: [foreignDate], requested });
  }
}

function begun(judged: JudgedClient, revision: Revision): ClientSession {
  const clientSession = judged.opened('http');
  clientSession.isForeign = true;
  clientSession.revision = revision;
  return clientSession;
}

function refusal({ id }: JsonObject, code: number, message: string, data?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data && { data }) } };
}
