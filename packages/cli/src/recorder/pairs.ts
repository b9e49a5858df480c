import { spelledNumber, type RequestId } from '../../../parley/src/jsonrpc/message.ts';
import type { Side } from '../../../parley/src/protocol/method.ts';
import type { RecordingEntry } from './entry.ts';
import type { MessageFacts } from './message-facts.ts';

/** Most requests whose answers are waited for; the oldest are given up. */
const maxOpen = 20_000;

/** A request that its answer found. */
export interface RequestPair {
  readonly request: number;
  readonly time: number;
  readonly method: string | undefined;
}

/** Requests of a recording that wait for their answers. */
export interface Pairs {
  /** Takes a message. @returns The request that it answers, where it is a response to one that was seen. */
  take(
    entry: Pick<RecordingEntry, 'sequence' | 'time' | 'connection' | 'from'>,
    facts: MessageFacts,
  ): RequestPair | undefined;
  /** Finds the requests that a message gives up; they may be answered all the same. */
  givenUp(entry: Pick<RecordingEntry, 'connection' | 'from'>, facts: MessageFacts): readonly number[];
}

/**
 * Ties responses to their requests: the same id on the same connection, from the other side. A number may come back as text,
 * which clients bear with.
 */
export function createPairs(): Pairs {
  const open = new Map<string, RequestPair>();

  function keyOf(connection: number, side: Side, id: RequestId): string {
    return `${connection} ${side} ${typeof id} ${id}`;
  }

  return {
    take({ sequence, time, connection, from }, facts) {
      for (const { id, method } of facts.requests) {
        open.set(keyOf(connection, from, id), { request: sequence, time, method });
        const [oldest] = open.keys();
        if (open.size > maxOpen && oldest !== undefined) open.delete(oldest);
      }
      let found: RequestPair | undefined;
      const requester = from === 'client' ? 'server' : 'client';
      for (const id of facts.responses) {
        const spelled = spelledNumber(id);
        const key = [id, ...(spelled === undefined ? [] : [spelled])]
          .map((one) => keyOf(connection, requester, one))
          .find((one) => open.has(one));
        if (key === undefined) continue;
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
