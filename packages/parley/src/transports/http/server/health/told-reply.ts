import type { JsonPieces } from '../../../../jsonrpc/encode.ts';
import type { OnEvent, RefusalReason } from '../../../../server/runtime/events/service-event.ts';
import type { EventWriter, HeaderFields, HttpReply } from '../exchanges/universal.ts';

const reasons: Readonly<Record<number, RefusalReason>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'unacceptable',
  406: 'unacceptable',
  409: 'conflict',
  413: 'too-large',
  415: 'unacceptable',
  429: 'too-often',
  503: 'busy',
};

/** A reply that reports statuses of refusals. */
export class ToldReply implements HttpReply {
  readonly #reply: HttpReply;
  readonly #tell: OnEvent;

  constructor(reply: HttpReply, tell: OnEvent) {
    this.#reply = reply;
    this.#tell = tell;
  }

  send(status: number, body?: JsonPieces, headers?: HeaderFields): void {
    this.#reply.send(status, body, headers);
    if (status < 400) return;
    const reason = reasons[status] ?? (status < 500 ? 'malformed' : 'failed');
    this.#tell({ type: 'request-refused', reason, status });
  }
  stream(headers?: HeaderFields): EventWriter {
    return this.#reply.stream(headers);
  }
  get closed(): boolean {
    return this.#reply.closed;
  }
  destroy(): void {
    this.#reply.destroy();
  }
  setHeader(name: string, value: string): void {
    this.#reply.setHeader(name, value);
  }
  onClose(run: () => void): void {
    this.#reply.onClose(run);
  }
}
