import { AsyncLocalStorage } from 'node:async_hooks';
import type { RawExchange } from './exchange.ts';

/** Rule that is running, which everything that it has sent is told by. */
interface Running {
  readonly mayEnd?: true;
  /** Runs it once more. */
  again(): Promise<unknown>;
}

/** Message in the midst of which a server went away, and the rule that sent it. */
export interface Suspect {
  readonly exchange: RawExchange;
  again(): Promise<unknown>;
}

/** Most suspects that are kept. */
const most = 20;

/** Messages that a server may have died of, of rules that are not about that. */
export class Suspects {
  #found: Suspect[] = [];
  readonly #running = new AsyncLocalStorage<Running>();

  /** Runs a rule. */
  async during<T>(running: Running, act: () => Promise<T>): Promise<T> {
    return await this.#running.run(running, act);
  }

  /** Takes what was found so far. */
  take(): readonly Suspect[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Hears what came of a message. A tool may be there to end its server. */
  heard(exchange: RawExchange, request: Readonly<Record<string, unknown>> | undefined): void {
    const running = this.#running.getStore();
    if (running === undefined || running.mayEnd === true || this.#found.length >= most) return;
    if (request?.['method'] !== 'tools/call' && isMidst(exchange))
      this.#found.push({ exchange, again: () => running.again() });
  }
}

/** Tells whether the server went away while it had the message: what was not sent any more says nothing. */
function isMidst({ end, status, reason = '' }: RawExchange): boolean {
  if (end === 'gone') return reason.startsWith('the process ended');
  return end === 'refused' && status === undefined && /ECONNRESET|EPIPE|socket hang up/.test(reason);
}
