import { backoffMs } from '../client/backoff.ts';
import { ConnectionError, type Channel, type Receiver, type Transport } from '../jsonrpc/transport.ts';
import { closedBy } from './closing.ts';

/** The clock and the dice of a rest. */
export interface SteadyOptions {
  now(): number;
  random(): number;
}

/** A server that lived this long was well. */
const healthyMs = 10_000;
/** How many deaths in a row are borne: some servers die once when they are asked what they speak. */
const borne = 3;

/**
 * Keeps a server that dies at once each time from being started without end: after some deaths in a row opening fails
 * for a while, which gets longer. Whoever needs the server hears why at once.
 */
export function steady(transport: Transport, { now, random }: SteadyOptions): Transport {
  let deaths = 0;
  let restsUntil = 0;
  let last: unknown;
  const died = (error: unknown): void => {
    last = error;
    if (++deaths >= borne) restsUntil = now() + backoffMs(deaths - borne, random());
  };
  return {
    kind: transport.kind,
    description: transport.description,
    async open(receiver: Receiver): Promise<Channel> {
      const restMs = restsUntil - now();
      if (restMs > 0) throw resting(restMs, deaths, last);
      const since = now();
      let isOpen = true;
      const ended = (error?: ConnectionError): void => {
        if (!isOpen) return;
        isOpen = false;
        if (error !== undefined && now() - since < healthyMs) died(error);
        else deaths = 0;
      };
      try {
        return watched(await transport.open(hearing(receiver, ended)), ended);
      } catch (error) {
        died(error);
        throw error;
      }
    },
  };
}

function hearing(receiver: Receiver, ended: (error: ConnectionError) => void): Receiver {
  return {
    ...receiver,
    closed: (error) => {
      ended(error);
      receiver.closed(error);
    },
  };
}

/** What is closed here did not die. */
function watched(channel: Channel, ended: () => void): Channel {
  return closedBy(channel, async () => {
    ended();
    await channel.close();
  });
}

function resting(restMs: number, deaths: number, last: unknown): ConnectionError {
  const why = last instanceof Error ? `: ${last.message}` : '';
  const seconds = Math.ceil(restMs / 1000);
  const message = `the server died ${deaths} times in a row, and is started again in ${seconds} s at the earliest${why}`;
  return new ConnectionError('refused', message, { cause: last });
}
