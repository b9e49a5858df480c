import type { Client } from '../client/api/client.ts';
import { createConnect } from '../client/connect.ts';
import type { ConnectOptions } from '../client/api/options.ts';
import type { AuthInfo, Servable } from '../server/runtime/request-handler.ts';
import { allLoaded } from './all-loaded.ts';
import { memoryTransport } from './memory-transport.ts';
import type { RevisionDate } from '../protocol/revision.ts';

/** Options of the client of a pair: one revision, by default the newest. */
export interface PairOptions extends Omit<ConnectOptions, 'revisions'> {
  /** The revision to speak; the newest that the server speaks by default. */
  readonly revision?: RevisionDate;
  /** Client that connects, as an edge with authorization would have found it out. */
  readonly auth?: AuthInfo;
}

/**
 * Connects a new client to a server of the same process, with nothing between them but JSON text.
 *
 * Closing the client ends the conversation; the server stays as it is. Once it resolves nothing is loaded any more that calls need: a test may put clocks of
 * its own in place of the timers, and the handler of a first call runs before they move.
 *
 * @throws IncompatibleError when the server does not speak the revision.
 *
 * @example
 * const client = await connectInMemory(server, { onElicit: () => 'decline' });
 * assert.deepEqual(await client.listTools(), []);
 * await client.close();
 */
export function connectInMemory(served: Servable, options: PairOptions = {}): Promise<Client> {
  const { revision, auth, ...rest } = options;
  // A `connect` of its own, so that nothing is remembered of another server in memory.
  const connect = createConnect<object>({
    http: () => {
      throw new TypeError('a server in memory has no URL');
    },
    options: {},
  });
  const transport = memoryTransport(served, { auth });
  return allLoaded().then(() => connect(transport, revision === undefined ? rest : { ...rest, revisions: [revision] }));
}
