import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { connect } from '../client.ts';
import { memoryTransport } from '../testing/memory-transport.ts';
import { McpError } from '../protocol/error.ts';
import { revisions } from '../protocol/revision.ts';
import { createServer } from '../server/server.ts';
import type { Client } from './api/client.ts';
import type { ConnectOptions } from './api/options.ts';

const schema = { type: 'object', properties: { name: { type: 'string' } } } as const;
const eliciting = revisions.filter(({ elicitation }) => elicitation !== 'none').map(({ date }) => date);

async function asked(options: ConnectOptions): Promise<Client> {
  const server = createServer({ name: 's', version: '1' });
  server.tool('ask', {}, async (_args, ctx) => {
    await ctx.elicit({ message: 'Who?', schema });
    return 'done';
  });
  server.tool('quiet', {}, () => {
    throw new McpError('invalidRequest', 'no');
  });
  return await connect(memoryTransport(server), options);
}

/** What a call rejects with, and everything that led to it. */
async function rejection(call: Promise<unknown>): Promise<readonly unknown[]> {
  const error: unknown = await call.then(
    () => assert.fail('the call did not fail'),
    (thrown: unknown) => thrown,
  );
  return [error, error instanceof Error ? error.cause : undefined];
}

describe("a client's own `onElicit` throws", () => {
  for (const revision of eliciting) {
    test(`and its caller finds the cause at ${revision}`, async () => {
      const failure = new Error('the window is closed');
      const warnings: unknown[] = [];
      const client = await asked({
        revisions: [revision],
        onElicit: () => {
          throw failure;
        },
        onWarning: (_message, cause) => void warnings.push(cause),
      });
      const found = await rejection(client.callTool('ask', {}));
      assert.ok(found.includes(failure), String(found[0]));
      await client.close();
    });
  }

  test('and what another call is answered with afterwards has another cause', async () => {
    const client = await asked({
      revisions: ['2025-11-25'],
      onElicit: () => {
        throw new Error('the window is closed');
      },
      onWarning: () => undefined,
    });
    await rejection(client.callTool('ask', {}));
    assert.equal((await rejection(client.callTool('quiet', {})))[1], undefined);
    await client.close();
  });

  test('and an McpError, which the server is told, is a cause too', async () => {
    const refusal = new McpError(-1, 'not now');
    const client = await asked({ revisions: ['2025-06-18'], onElicit: () => Promise.reject(refusal) });
    const [error, cause] = await rejection(client.callTool('ask', {}));
    assert.match(String(error), /not now/);
    assert.equal(cause, refusal);
    await client.close();
  });

  test('and stderr says so where nobody hears warnings', async () => {
    const lines = mock.method(console, 'error', () => undefined);
    try {
      const failure = new Error('the window is closed');
      const client = await asked({ revisions: ['2025-11-25'], onElicit: () => Promise.reject(failure) });
      await rejection(client.callTool('ask', {}));
      await client.close();
      assert.deepEqual(
        lines.mock.calls.map(({ arguments: words }) => words),
        [['the handler of "elicitation/create" failed:', failure]],
      );
    } finally {
      lines.mock.restore();
    }
  });
});
