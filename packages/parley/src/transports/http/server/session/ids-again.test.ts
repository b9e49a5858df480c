/** A session keeps nothing of a request that is over: what is sent about its id goes to the next request that has it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settle } from '../../../../../../../test/support/fake-http.ts';
import { connect, request, type Client } from '../../../../../../../test/support/session-client.ts';

const id = 7;

/** Ways in which a request ends. */
const ends: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  'a result': (client) => client.post(request('a', id)).done(),
  'a result after a message': (client) => client.post(request('notify', id)).done(),
  'an error': (client) => client.post(request('unknown/method', id)).done(),
  'a failure of the server': (client) => client.post(request('explode', id)).done(),
  'a result in a batch': (client) => client.post([request('a', id), request('b', 8)]).done(),
  'a message and a result in a batch': (client) => client.post([request('notify', id)]).done(),
  'an error in a batch': (client) => client.post([request('unknown/method', id)]).done(),
  'a result for a client that is gone': async (client) => {
    client.post(request('slow', id)).leave();
    await settle();
    client.fake.conversations[0]?.release(id);
    await settle();
  },
};

for (const [title, end] of Object.entries(ends))
  test(`an id can be used again after ${title}`, async () => {
    const client = await connect('2025-03-26', { onError: () => undefined });
    await end(client);
    const { events } = await client.post(request('notify', id)).done();
    assert.deepEqual(
      events.map((event) => Object.keys(event as object).at(-1)),
      ['params', 'result'],
    );
    await client.handler.close();
  });
