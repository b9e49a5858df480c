/** Tasks of the official example server, which has those of 2025-11-25, through a bridge: for clients of its own form, of the other, and of none. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../../packages/parley/src/client.ts';
import type { RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { everything, front } from './real-servers.ts';

const research = { topic: 'python', ambiguous: true };

for (const way of ['stdio', 'http'] as const)
  test(`a task of the official example server behind ${way} asks its client and ends, whatever that knows of tasks`, async (t) => {
    const { door, close } = await front(everything, way);
    t.after(close);
    const run = async (revision: RevisionDate): Promise<void> => {
      const asked: string[] = [];
      const client = await connect(door.url, {
        revisions: [revision],
        onElicit: ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { interpretation: 'snake' } };
        },
      });
      t.after(() => client.close());
      const result =
        revision === '2025-06-18'
          ? await client.callTool('simulate-research-query', research)
          : await (await client.startTask('simulate-research-query', research)).result();
      assert.match(JSON.stringify(result.content), /python \(snake\)/, revision);
      assert.equal(asked.length, 1, revision);
    };
    await Promise.all((['2025-06-18', '2025-11-25', '2026-07-28'] as const).map(run));
  });
