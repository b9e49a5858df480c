import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authorizer } from '../../../auth/common/authorizer.ts';
import { httpTransport } from './transport.ts';

const receiver = { message: () => undefined, problem: () => undefined, closed: () => undefined };
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } as const;
const challenge = { 'www-authenticate': 'Bearer error="invalid_request"' };

test('a refusal is shown to the authorizer: 401 and 403, and 400 if it has a challenge', async () => {
  for (const [status, headers, isShown] of [
    [401, {}, true],
    [403, {}, true],
    [400, challenge, true],
    [400, {}, false],
    [404, challenge, false],
    [500, challenge, false],
  ] as const) {
    const refused: number[] = [];
    const authorizer: Authorizer = {
      headers: () => ({ authorization: 'Bearer t' }),
      refused: async (_, answer) => (refused.push(answer.status), false),
    };
    const transport = httpTransport('http://localhost/mcp', {
      auth: { context: () => 'one', bind: () => authorizer },
      fetch: async () => new Response('{}', { status, headers }),
    });
    const channel = await transport.open(receiver);
    await channel.send(initialize).catch(() => undefined);
    assert.equal(refused.includes(status), isShown, `${status} ${JSON.stringify(headers)}`);
    await channel.close();
  }
});
