import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { EventText } from './event-text.ts';
import { formatEvent, keepAlive, readEvents, type StreamEvent } from './sse.ts';

async function* streamOf(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield bytesOf(chunk);
}

function bytesOf(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

async function read(chunks: readonly (string | Uint8Array)[], maxBytes?: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(streamOf(chunks), { maxBytes })) events.push(event);
  return events;
}

async function data(chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  return (await read(chunks)).map((event) => event.data);
}

test('what formatEvent writes is read back, however it is cut', async () => {
  const events = fc.array(
    fc.record({ id: fc.stringMatching(/^[!-~]{1,8}$/), data: fc.string().map((text) => text.replaceAll('\r', '')) }),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(events, fc.array(fc.nat(), { maxLength: 12 }), async (sent, places) => {
      const bytes = new TextEncoder().encode(sent.map((event) => formatEvent(event.data, event.id)).join(keepAlive));
      const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
      const received = await read(ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end)));
      assert.deepEqual(
        received,
        sent.map((event) => ({ event: undefined, ...event })),
      );
    }),
    { numRuns: 200 },
  );
});

test('all three line endings end a line, also when CRLF is cut in two', async () => {
  assert.deepEqual(await data(['data: a\r\n\r\ndata: b\r\rdata: c\n\n']), ['a', 'b', 'c']);
  assert.deepEqual(await data(['data: a\r', '\n\r', '\ndata: b\r', '\n\r\n']), ['a', 'b']);
});

for (const [what, rest] of [
  ['an event over the limit', 'data: longer than that\n\n'],
  ['a line over the limit', 'data: longer than that'],
  ['what is no UTF-8', Uint8Array.of(0x64, 0xff, 0x0a)],
] as const) {
  test(`an event is given that came together with ${what}`, async () => {
    const chunk = Uint8Array.of(...bytesOf('data: whole\n\n'), ...bytesOf(rest));
    const events = readEvents(streamOf([chunk]), { maxBytes: 15 });
    assert.equal((await events.next()).value?.data, 'whole');
    await assert.rejects(events.next(), { name: 'ConnectionError' });
  });
}

test('an event that ends in CR is not held back until more arrives', async () => {
  const held = readEvents(
    (async function* (): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode('data: a\r\r');
      await new Promise(() => {});
    })(),
  );
  assert.equal((await held.next()).value?.data, 'a');
});

test('comments and unknown fields are no events [http-058]', async () => {
  assert.deepEqual(await data([': keep-alive\n\nfoo: bar\ndata: x\n\n', keepAlive]), ['x']);
});

test('a comment is given without its colon and the spaces after it', () => {
  const comments: string[] = [];
  const parser = new EventText({ found: () => assert.fail(), comment: (text) => void comments.push(text) });
  parser.feed(':\n:  alive \n:a:b\n\n');
  assert.deepEqual(comments, ['', 'alive ', 'a:b']);
});

test('an event with an id and empty data is given, so that the id is known', async () => {
  assert.deepEqual(await read(['id: 7\ndata:\n\n']), [{ event: undefined, id: '7', data: '' }]);
});

test('an event with an id alone tells the id, and is no event [WHATWG, 9.2.6]', async () => {
  assert.deepEqual(await read(['id: 7\n\nevent: x\nid: 8\n\nid\n\ndata: a\n\n']), [
    { id: '7', data: '' },
    { id: '8', data: '' },
    { id: '', data: '' },
    { event: undefined, id: undefined, data: 'a' },
  ]);
});

test('a byte order mark before the first field is left out', async () => {
  assert.deepEqual(await read(['\uFEFFdata: x\n\n\uFEFFdata: y\n\n']), [
    { event: undefined, id: undefined, data: 'x' },
  ]);
});

test('a byte order mark, NUL in an id and a retry that is no number are ignored', async () => {
  assert.deepEqual(await read(['\uFEFFid: a\0\nretry: 1s\nretry:\ndata: \uFEFFx\n\n']), [
    { event: undefined, id: undefined, data: '\uFEFFx' },
  ]);
});

test('all but ids alone is read as another parser reads it, however it is cut', async () => {
  const pieces = ['data', 'id', 'event', 'retry', ':', ' ', '\n', '\r', '\r\n', '7', 'x', '\0', '\uFEFF', 'é'];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), fc.nat(), async (parts, place) => {
      const text = parts.join('');
      const bytes = new TextEncoder().encode(text);
      const cut = place % (bytes.length + 1);
      const expected: StreamEvent[] = [];
      const judge = createParser({
        onEvent: ({ event, id, data: held }) => expected.push({ event, id, data: held }),
        onRetry: (retry) => expected.push({ data: '', retry }),
      });
      // A lone CR at the end may be half of a line ending to the judge, and is a whole one to us.
      judge.feed(text.replaceAll(/\r\n?/g, '\n').replace(/^\uFEFF/, ''));
      const found = await read([bytes.subarray(0, cut), bytes.subarray(cut)]);
      assert.deepEqual(
        found.filter((item) => 'event' in item || item.retry !== undefined),
        expected,
      );
    }),
    { numRuns: 500 },
  );
});

test('retry comes as an item of its own', async () => {
  assert.deepEqual(await read(['retry: 250\n\n']), [{ data: '', retry: 250 }]);
});

test('several data lines are one text, and data with line breaks is written as several', async () => {
  assert.equal(formatEvent('a\nb'), 'data: a\ndata: b\n\n');
  assert.deepEqual(await data([formatEvent('a\r\nb\rc')]), ['a\nb\nc']);
});

test('very many data lines are one text', async () => {
  const lines = Array.from({ length: 2_500 }, (_, at) => (at % 3 === 0 ? '' : String(at)));
  const found: StreamEvent[] = [];
  const parser = new EventText({ found: (event) => found.push(event) });
  for (const text of [lines, ['', ''], lines.slice(0, 1_025)]) parser.feed(`data: ${text.join('\ndata: ')}\n\n`);
  assert.deepEqual(
    found.map(({ data }) => data),
    [lines.join('\n'), '\n', lines.slice(0, 1_025).join('\n')],
  );
});

test('an event that breaks off is no event', async () => {
  assert.deepEqual(await data(['data: a\n\ndata: b\n']), ['a']);
});

test('an endless line stops at the limit', async () => {
  await assert.rejects(
    read(
      Array.from({ length: 100 }, () => 'x'.repeat(100)),
      1_000,
    ),
    { reason: 'too-large' },
  );
});

test('an endless event of many lines stops at the limit', async () => {
  await assert.rejects(
    read(
      Array.from({ length: 100 }, () => `data: ${'x'.repeat(100)}\n`),
      1_000,
    ),
    { reason: 'too-large' },
  );
});

test('invalid UTF-8 is an error and never a replacement character [basic-002]', async () => {
  await assert.rejects(read(['data: ', Uint8Array.of(0xff), '\n\n']), { reason: 'invalid-message' });
});

test('an id with a line break is refused when written', () => {
  assert.throws(() => formatEvent('x', 'a\nb'), TypeError);
});

test('the data of an event may have as many characters as allowed, with the breaks between its lines', () => {
  const longOf = (text: string): number => {
    let tooLong = 0;
    new EventText({ found: () => undefined, tooLong: () => tooLong++ }, 5).feed(text);
    return tooLong;
  };
  for (const text of ['data: abcde\n\n', 'data: ab\ndata: cd\n\n', 'data: abc\n\ndata: abcd\n\n', 'id: abcdefgh\n\n'])
    assert.equal(longOf(text), 0, text);
  for (const text of ['data: abcdef\n', 'data: abc\ndata: cd\n']) assert.equal(longOf(text), 1, text);
});

test('a flood of events leaves turns of the event loop to others', async () => {
  const chunk = new TextEncoder().encode('data: x\n\n'.repeat(4_000));
  async function* flood(): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < 20; sent++) yield chunk;
  }
  let [turns, isOver] = [0, false];
  const count = (): void => void (turns++, isOver || setImmediate(count));
  setImmediate(count);
  let events = 0;
  for await (const _ of readEvents(flood())) events++;
  isOver = true;
  assert.equal(events, 80_000);
  assert.ok(turns >= 10, `${turns} turns`);
});
