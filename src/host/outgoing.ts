import type { RequestId, RequestMessage, ResponseMessage } from '../jsonrpc/message.ts';
import { after } from '../jsonrpc/timeout.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { errorFromWire, McpError } from '../protocol/error.ts';
import type { Revision } from '../protocol/revision.ts';
import type { Link } from './endpoint.ts';
import { tell } from '../peer/observe.ts';

interface Pending {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** What a question belongs to: a call, or the conversation as a whole. */
export interface Origin {
  readonly facts: Revision;
  /** Gives the question up. */
  readonly signal: AbortSignal;
  /** The request whose stream carries the question; left out for the conversation as a whole. */
  readonly requestId?: RequestId;
}

/** How many questions of one conversation may wait for their answers. */
const maxPending = 1000;

/** The requests of a server to one handshake client that wait for their answers. */
export class Outgoing {
  readonly #link: Link;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #isReady: () => boolean;
  #lastId = 0;
  #closed = false;

  /** @param isReady Whether the client said that it is ready; before, nothing may be asked. */
  constructor(link: Link, isReady: () => boolean) {
    this.#link = link;
    this.#isReady = isReady;
  }

  /**
   * Sends a request on the stream of a call, or of the conversation, and waits for the answer; it is cancelled when
   * its signal says so or the time is up.
   *
   * @throws McpError the client's own error, or an internal error that says why no answer came.
   */
  request(method: string, params: JsonObject, origin: Origin, timeoutMs: number): Promise<JsonObject> {
    if (this.#closed) throw gone();
    // Spec 2025-11-25, Lifecycle, Initialization: no requests before `notifications/initialized`.
    if (!this.#isReady())
      throw new McpError('invalidRequest', `${method} cannot be asked before notifications/initialized`);
    if (this.#pending.size >= maxPending)
      throw new McpError('internalError', `more than ${maxPending} questions wait for the client`);
    if (origin.signal.aborted) throw new McpError('internalError', 'the request was cancelled');
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const stop = (why: string): void => {
        settle();
        this.#cancel(id, why, origin);
        reject(new McpError('internalError', why));
      };
      const cancelTimer = after(timeoutMs, () => stop(`the client did not answer ${method} within ${timeoutMs} ms`));
      const onAbort = (): void => stop('the request was cancelled');
      const settle = (): void => {
        this.#pending.delete(id);
        cancelTimer();
        origin.signal.removeEventListener('abort', onAbort);
      };
      origin.signal.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#send(id, method, params, origin);
    });
  }

  /** Takes a response; one that nobody waits for is ignored. */
  receive(message: ResponseMessage): void {
    const pending = message.id === undefined || message.id === null ? undefined : this.#pending.get(message.id);
    if (pending === undefined) return;
    if ('result' in message) pending.resolve(message.result);
    else pending.reject(errorFromWire(message.error));
  }

  /** The client is gone: nobody will answer. */
  close(): void {
    this.#closed = true;
    for (const { reject } of this.#pending.values()) reject(gone());
  }

  #send(id: number, method: string, params: JsonObject, origin: Origin): void {
    const message: RequestMessage =
      Object.keys(params).length === 0 ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params };
    tell({ from: 'server', revision: origin.facts, message });
    this.#link.send(message, origin.requestId);
  }

  /** Spec, Cancellation: who gives a request up SHOULD say so. */
  #cancel(requestId: number, reason: string, origin: Origin): void {
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } } as const;
    tell({ from: 'server', revision: origin.facts, message });
    this.#link.send(message, origin.requestId);
  }
}

function gone(): McpError {
  return new McpError('internalError', 'the client went away before it answered');
}
