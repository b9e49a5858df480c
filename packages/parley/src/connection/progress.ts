import type { ProgressToken } from '../protocol/features/common.ts';
import { plainNumber } from '../json/exact-number.ts';
import { isRequestId, spelledNumber } from '../jsonrpc/message.ts';

/** One report of how far a request got. */
export interface Progress {
  /** Rises with every report; may be a fraction. */
  readonly progress: number;
  /** Final value of `progress`, if the peer knows it. */
  readonly total?: number;
  /** A text about the progress. */
  readonly message?: string;
}

/**
 * A progress report as text, for clients that only get a status message. (Spec ext-tasks, Task status: progress is no
 * part of it.)
 */
export function progressWords({ progress, total, message }: Progress): string {
  const far = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined ? far : `${far}: ${message}`;
}

/** Route of the reports of one token. */
export interface ProgressRoute {
  /** The id of the request that they are about. */
  readonly request: number;
  hear(progress: Progress): void;
}

/** The progress tokens of the requests in flight, each with its listener. */
export class ProgressRoutes {
  readonly #routes = new Map<ProgressToken, ProgressRoute>();
  #last = 0;

  /**
   * Takes a token until `release`. Without one, a token is made that no other request in flight has.
   *
   * @throws TypeError when the token is neither a string nor an integer, or belongs to a request in flight.
   */
  claim(token: ProgressToken | undefined, route: ProgressRoute): ProgressToken {
    if (token !== undefined && !isRequestId(token))
      throw new TypeError('a progress token must be a string or an integer');
    // Spec, Progress: tokens are unique among the active requests of the sender.
    if (token !== undefined && this.#routes.has(token))
      throw new TypeError(`progress token ${JSON.stringify(token)} is in use`);
    const claimed = token ?? this.#mint();
    this.#routes.set(claimed, route);
    return claimed;
  }

  /** Tells whether a request in flight has this token. */
  has(token: ProgressToken): boolean {
    return this.#routes.has(token);
  }

  /** The token of a request in flight that a report has: its own, or that number as text. */
  own(token: unknown): ProgressToken | undefined {
    if (!isRequestId(token)) return undefined;
    if (this.#routes.has(token)) return token;
    const spelled = spelledNumber(token);
    return spelled !== undefined && this.#routes.has(spelled) ? spelled : undefined;
  }

  /** Forgets a token: reports that still come for it are dropped. */
  release(token: ProgressToken): void {
    this.#routes.delete(token);
  }

  /** The pending request of a progress notification, by its params. */
  requestOf(params: Readonly<Record<string, unknown>> | undefined): number | undefined {
    const token = this.own(params?.['progressToken']);
    return token === undefined ? undefined : this.#routes.get(token)?.request;
  }

  /** Passes a progress notification to its listener; false if there is none or the params are malformed. */
  hear(params: Readonly<Record<string, unknown>> | undefined): boolean {
    const { message } = params ?? {};
    const token = this.own(params?.['progressToken']);
    const progress = plainNumber(params?.['progress']);
    const total = plainNumber(params?.['total']);
    if (token === undefined || typeof progress !== 'number') return false;
    const route = this.#routes.get(token);
    if (route === undefined) return false;
    route.hear({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    });
    return true;
  }

  #mint(): number {
    do this.#last++;
    while (this.#routes.has(this.#last));
    return this.#last;
  }
}
