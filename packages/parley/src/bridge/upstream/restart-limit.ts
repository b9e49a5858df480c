import { backoffMs } from '../../client/connection/backoff.ts';
import { ConnectionError, type Receiver, type Transport } from '../../jsonrpc/transport.ts';
import { factsOf } from '../../jsonrpc/transport-facts.ts';
import { closedBy } from './closing.ts';

/** The clock and the dice of a rest. */
export interface RestartLimitOptions {
  now(): number;
  random(): number;
}

/** A server that lived this long was well. */
const healthyMs = 10_000;
/** Number of consecutive deaths that are tolerated: some servers die once on a probe of their version. */
const borne = 3;

/**
 * Prevents an endless restart of a server that dies at once each time. After some consecutive deaths, opening fails for
 * a while, which gets longer. Callers get the reason at once.
 *
 * If the main process dies before its first message, the server itself is broken, and no connection starts one
 * meanwhile. Any other death may be the fault of a client, so it counts for its own connection alone.
 *
 * @returns The way of one connection: the main one, or another one's own.
 */
export function restartLimited(transport: Transport, options: RestartLimitOptions): (isMain: boolean) => Transport {
  const ofAll = new Rest(options);
  return (isMain) => steadied(transport, { ofAll, own: new Rest(options), isMain, now: () => options.now() });
}

interface Rests {
  readonly ofAll: Rest;
  readonly own: Rest;
  readonly isMain: boolean;
  now(): number;
}

function steadied(transport: Transport, { ofAll, own, isMain, now }: Rests): Transport {
  return {
    ...factsOf(transport),
    ...(transport.authorization && { authorization: transport.authorization }),
    async open(receiver) {
      for (const rest of [ofAll, own]) rest.demandOver();
      const since = now();
      let isOpen = true;
      let isSpeaking = false;
      const ended = (error?: ConnectionError): void => {
        if (!isOpen) return;
        isOpen = false;
        if (error !== undefined && now() - since < healthyMs) (isSpeaking || !isMain ? own : ofAll).died(error);
        else for (const rest of [ofAll, own]) rest.lived();
      };
      try {
        const channel = await transport.open(hearing(receiver, { spoke: () => void (isSpeaking = true), ended }));
        // A process that was closed here did not die.
        return closedBy(channel, async () => {
          ended();
          await channel.close();
        });
      } catch (error) {
        (isMain ? ofAll : own).died(error);
        throw error;
      }
    },
  };
}

/** Deaths in a row, and how long nothing is started after them. */
class Rest {
  readonly #options: RestartLimitOptions;
  #deaths = 0;
  #until = 0;
  #last: unknown;

  constructor(options: RestartLimitOptions) {
    this.#options = options;
  }

  /** @throws ConnectionError while it lasts. */
  demandOver(): void {
    const restMs = this.#until - this.#options.now();
    if (restMs > 0) throw resting(restMs, this.#deaths, this.#last);
  }

  died(error: unknown): void {
    const { now, random } = this.#options;
    this.#last = error;
    if (++this.#deaths >= borne) this.#until = now() + backoffMs(this.#deaths - borne, random());
  }

  lived(): void {
    this.#deaths = 0;
  }
}

interface Life {
  spoke(): void;
  ended(error: ConnectionError): void;
}

function hearing(receiver: Receiver, { spoke, ended }: Life): Receiver {
  return {
    ...receiver,
    message: (value, about) => {
      spoke();
      receiver.message(value, about);
    },
    closed: (error) => {
      ended(error);
      receiver.closed(error);
    },
  };
}

function resting(restMs: number, deaths: number, last: unknown): ConnectionError {
  const why = last instanceof Error ? `: ${last.message}` : '';
  const seconds = Math.ceil(restMs / 1000);
  const message = `the server died ${deaths} times in a row, and is started again in ${seconds} s at the earliest${why}`;
  return new ConnectionError('refused', message, { cause: last });
}
