/**
 * `node interop/parley/serve-service.ts shared|alone [redis-url] [revision…]`: the server of the exercise over HTTP, as one of several processes behind a
 * proxy: with a Redis in which they share what sessions are, or without sessions. It prints its URL.
 */

import { Redis } from 'ioredis';
import { listen } from '../../packages/parley/src/node.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol.ts';
import { redis } from '../../packages/parley/src/redis.ts';
import { createExercise, type GivenUp } from './server.ts';

const [kind = '', ...words] = process.argv.slice(2);
const [redisUrl = ''] = kind === 'shared' ? words.splice(0, 1) : [];
// They are checked by `createServer`.
const revisions = words as RevisionDate[];
const held = revisions.length === 0 ? {} : { revisions };

if (kind === 'shared') {
  const store = redis(redisUrl, { name: 'exercise', onWarning: () => {} });
  const rounds = { keys: [Buffer.alloc(32, 3).toString('base64')] };
  const server = createExercise({ ...held, store, rounds }, countedIn(new Redis(redisUrl)));
  const ssePair = { sse: '/sse', messages: '/messages' };
  console.log((await listen(server, { port: 0, ssePair })).url);
} else console.log((await listen(createExercise(held), { port: 0, sessions: false })).url);

/** Whichever process ran a call, any other knows that it was given up. */
function countedIn(client: Redis): GivenUp {
  return { add: () => client.incr('given up'), take: async () => Number(await client.getdel('given up')) };
}
