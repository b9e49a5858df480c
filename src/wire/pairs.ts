import type { RequestId } from '../jsonrpc/message.ts';
import type { Side } from '../protocol/method.ts';
import type { RecordingEntry } from './entry.ts';
import type { MessageFacts } from './message-facts.ts';

/** Most requests whose answers are waited for; the oldest are given up. */
const mostOpen = 20_000;

/** A request that its answer found. */
export interface Pair {
  readonly request: number;
  readonly time: number;
  readonly method: string | undefined;
}

/** Requests of a recording that wait for their answers. */
export interface Pairs {
  /** Takes a message. @returns The request that it answers, where it is a response to one that was seen. */
  take(entry: Pick<RecordingEntry, 'sequence' | 'time' | 'connection' | 'from'>, facts: MessageFacts): Pair | undefined;
  /** Finds the requests that a message gives up; they may be answered all the same. */
  givenUp(entry: Pick<RecordingEntry, 'connection' | 'from'>, facts: MessageFacts): readonly number[];
}

/** Ties responses to their requests: the same id on the same connection, from the other side. */
export function createPairs(): Pairs {
  const open = new Map<string, Pair>();

  function keyOf(connection: number, side: Side, id: RequestId): string {
    return `${connection} ${side} ${typeof id} ${id}`;
  }

  return {
    take({ sequence, time, connection, from }, facts) {
      for (const { id, method } of facts.requests) {
        open.set(keyOf(connection, from, id), { request: sequence, time, method });
        const [oldest] = open.keys();
        if (open.size > mostOpen && oldest !== undefined) open.delete(oldest);
      }
      let found: Pair | undefined;
      for (const id of facts.responses) {
        const key = keyOf(connection, from === 'client' ? 'server' : 'client', id);
        found ??= open.get(key);
        open.delete(key);
      }
      return found;
    },
    givenUp({ connection, from }, { cancelled }) {
      return cancelled.flatMap((id) => open.get(keyOf(connection, from, id))?.request ?? []);
    },
  };
}
