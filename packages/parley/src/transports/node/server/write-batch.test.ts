import assert from 'node:assert/strict';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WriteBatch } from './write-batch.ts';
import { NodeReply } from './reply.ts';

/** The texts that a server answers so many requests with, in the order of the requests. */
async function answers(count: number, listener: RequestListener): Promise<readonly string[]> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await Promise.all(
      Array.from({ length: count }, async (_, at) => (await fetch(`http://127.0.0.1:${port}/${at}`)).text()),
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('answers of one turn leave at its end, in order', async () => {
  const outbox = new WriteBatch(0);
  const waiting: ServerResponse[] = [];
  const ended: string[] = [];
  const texts = await answers(3, ({ url = '' }, response) => {
    const end = response.end.bind(response);
    response.end = (...args: readonly unknown[]) => {
      ended.push(url);
      return end(...(args as []));
    };
    waiting.push(response);
    if (waiting.length < 3) return;
    for (const [at, held] of waiting.entries()) outbox.add(held, `answer ${at}`);
    assert.deepEqual(ended, []);
    setImmediate(() => assert.equal(ended.length, 3));
  });
  assert.deepEqual(texts.toSorted(), ['answer 0', 'answer 1', 'answer 2']);
});

test('many answers of one turn do not wait for its end', async () => {
  const outbox = new WriteBatch(0);
  const waiting: ServerResponse[] = [];
  await answers(70, (_, response) => {
    waiting.push(response);
    if (waiting.length < 70) return;
    for (const held of waiting) outbox.add(held, 'answer');
    assert.equal(waiting.filter(({ writableEnded }) => writableEnded).length, 64);
  });
});

test('an answer that waits for the end of its turn is the only one', async () => {
  const outbox = new WriteBatch(0);
  const texts = await answers(1, (_, response) => {
    const reply = new NodeReply(response, outbox);
    reply.send(200, '"first"');
    reply.send(500, '"second"');
  });
  assert.deepEqual(texts, ['"first"']);
});

for (const [title, outbox] of [
  ['of a server of ours', new WriteBatch(0)],
  ['of another server', undefined],
] as const) {
  test(`an answer in two pieces leaves whole, whatever its characters: that ${title}`, async () => {
    const ending = new TextEncoder().encode('"größer 🎈"}');
    const texts = await answers(1, (_, response) => new NodeReply(response, outbox).send(200, ['{"🎈":', ending]));
    assert.deepEqual(texts, ['{"🎈":"größer 🎈"}']);
  });
}
