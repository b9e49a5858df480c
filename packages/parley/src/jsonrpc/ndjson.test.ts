import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineReader, type LineReaderOptions } from './ndjson.ts';

/** What a reader made of some chunks: lines, and the reasons of problems in between. */
function read(chunks: readonly (string | Uint8Array)[], options: Partial<LineReaderOptions> = {}): string[] {
  const heard: string[] = [];
  const reader = lineReader({
    line: (text) => heard.push(text),
    problem: (error) => heard.push(`! ${error.reason}`),
    ...options,
  });
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return heard;
}

/** Cuts bytes at the given places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

test('any chunking of the same bytes gives the same messages [stdio-002]', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue(), { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.boolean(),
      (values, places, windows) => {
        const bytes = new TextEncoder().encode(
          values.map((value) => JSON.stringify(value) + (windows ? '\r\n' : '\n')).join(''),
        );
        assert.deepEqual(
          read(cut(bytes, places)).map((text) => JSON.parse(text)),
          JSON.parse(JSON.stringify(values)),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('any chunking of garbage gives the same lines and problems', () => {
  const piece = fc
    .oneof(fc.constantFrom('\n', '\r', '\r\n', '', 'é', '🙂'), fc.string())
    .map((text) => new TextEncoder().encode(text));
  const bad = fc.constantFrom([0xff], [0xc3], [0xf0, 0x9f], [0x80]).map((codes) => Uint8Array.from(codes));
  fc.assert(
    fc.property(
      fc.array(fc.oneof(piece, bad), { maxLength: 20 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      (pieces, places) => {
        const bytes = Uint8Array.from(pieces.flatMap((part) => [...part]));
        assert.deepEqual(read(cut(bytes, places), { maxBytes: 12 }), read([bytes], { maxBytes: 12 }));
      },
    ),
    { numRuns: 500 },
  );
});

test('text chunks may cut a surrogate pair in two', () => {
  const [high = '', low = ''] = '🙂'.split('');
  assert.deepEqual(read([`a${high}`, `${low}b\n`]), ['a🙂b']);
});

test('CRLF ends a line, empty lines do not count, and a last line needs no ending', () => {
  assert.deepEqual(read(['a\r\n\r\n\n\nb\nc']), ['a', 'b', 'c']);
});

test('an over-long line is reported once and the next line is read as usual', () => {
  assert.deepEqual(read(['x'.repeat(11), 'y'.repeat(100), 'z\nok\n'], { maxBytes: 10 }), ['! too-large', 'ok']);
  assert.deepEqual(read([`${'x'.repeat(11)}\nok\n`], { maxBytes: 10 }), ['! too-large', 'ok']);
});

test('a line of exactly the limit is read, with either ending', () => {
  assert.deepEqual(read(['0123456789\n0123456789\r\n'], { maxBytes: 10 }), ['0123456789', '0123456789']);
});

test('invalid UTF-8 is a problem and never a replacement character [basic-002]', () => {
  const bytes = Uint8Array.from([0x22, 0xff, 0x22, 0x0a, ...new TextEncoder().encode('"ok"\n')]);
  assert.deepEqual(read([bytes]), ['! invalid-message', '"ok"']);
});

test('an invalid line spoils none of those that came in the same chunk', () => {
  const bytes = [0x61, 0x0a, 0xff, 0x0a, 0x62, 0x0d, 0x0a, 0x63];
  assert.deepEqual(read([Uint8Array.from(bytes)]), ['a', '! invalid-message', 'b', 'c']);
});

test('a byte order mark before any line is left out, in one chunk or several', () => {
  const text = '\ufeffa\n\ufeff\n\ufeffb\n';
  assert.deepEqual(read([text]), ['a', 'b']);
  assert.deepEqual(read(cut(new TextEncoder().encode(text), [1, 2, 5, 7, 10])), ['a', 'b']);
});

test('an endless line in tiny chunks holds no more than the limit', () => {
  const byte = Uint8Array.of(0x78);
  const heard: string[] = [];
  const reader = lineReader({
    maxBytes: 1_000,
    line: (text) => heard.push(text),
    problem: (error) => heard.push(error.reason),
  });
  for (let count = 0; count < 300_000; count++) reader.push(byte);
  reader.push('\nok\n');
  assert.deepEqual(heard, ['too-large', 'ok']);
});
