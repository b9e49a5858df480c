/** What a conversation knows of the connection that it came over. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeEndpoint } from '../../../../../../test/support/fake-endpoint.ts';
import { begin, settle, visit, type Sent } from '../../../../../../test/support/fake-http.ts';
import { initializing } from '../../../../../../test/support/session-client.ts';
import { call } from '../../../../../../test/support/stateless-call.ts';
import { createHttpHandler } from './handler.ts';

const remoteAddress = '192.0.2.7';

const ways: readonly (readonly [what: string, sent: Sent, lasting: boolean])[] = [
  ['an exchange', call(), false],
  ['a session', { body: initializing('2025-11-25') }, true],
  ['a stream of HTTP+SSE', { path: '/sse' }, true],
];

for (const [what, sent, lasting] of ways)
  test(`the conversation of ${what} knows the network, the protocol and the address of its client`, async () => {
    const fake = fakeEndpoint();
    const handler = createHttpHandler(fake, { path: '/mcp', ssePair: { sse: '/sse', messages: '/messages' } });
    if (sent.path === undefined) await visit(handler, { ...sent, remoteAddress });
    else begin(handler, { ...sent, remoteAddress });
    await settle();
    const { link } = fake.conversations[0] ?? assert.fail('there is a conversation');
    assert.deepEqual(
      [link.network, link.protocol, link.address, link.lasting === true],
      ['tcp', 'http', remoteAddress, lasting],
    );
    await handler.close({ drainTimeoutMs: 0 });
  });
