import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { lineWriter, type LineWriter } from './line-writer.ts';

interface Written {
  readonly writer: LineWriter;
  /** What came in one write each. */
  readonly writes: string[];
  /** Lets the reader take the oldest write. */
  take(error?: Error): void;
}

function open(): Written {
  const writes: string[] = [];
  const taking: ((error?: Error | null) => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, taken) => {
      writes.push(String(chunk));
      taking.push(taken);
    },
  });
  stream.on('error', () => {});
  return { writer: lineWriter(stream), writes, take: (error) => taking.shift()?.(error) };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('the lines of one turn go in one write, in order, with those that later promises bring', async () => {
  const { writer, writes } = open();
  writer.collect('a');
  const later = Promise.resolve()
    .then(() => undefined)
    .then(() => writer.collect('b'));
  assert.deepEqual(writes, []);
  await later;
  await turn();
  assert.deepEqual(writes, ['a\nb\n']);
});

test('a line that is written at once takes with it what was collected before', () => {
  const { writer, writes } = open();
  writer.collect('a');
  writer.write('b');
  assert.deepEqual(writes, ['a\nb\n']);
});

test('what is collected together is written right afterwards, whatever is thrown', () => {
  const { writer, writes } = open();
  writer.together(() => {
    writer.collect('a');
    writer.collect('b');
    assert.deepEqual(writes, []);
  });
  assert.deepEqual(writes, ['a\nb\n']);
  const { writer: another, writes: others } = open();
  assert.throws(() => {
    another.together(() => {
      another.collect('a');
      throw new Error('no');
    });
  });
  assert.deepEqual(others, ['a\n']);
});

test('what is collected does not grow without bound before it is written', () => {
  const { writer, writes } = open();
  for (let count = 0; count < 70; count++) writer.collect('x'.repeat(1_000));
  assert.equal(writes.length, 1);
});

test('what is collected counts as waiting for the reader', () => {
  const { writer } = open();
  writer.collect('abc');
  assert.equal(writer.pending, 4);
});

test('each line hears whether it was taken, and flushing waits for all of them', async () => {
  const { writer, take } = open();
  const heard: string[] = [];
  for (const line of ['a', 'b', 'c'])
    writer.collect(line, (error) => heard.push(`${line} ${error instanceof Error ? error.message : 'taken'}`));
  const flushed = Promise.all([writer.flushed(), writer.flushed()]).then(() => heard.push('flushed'));
  writer.write('d', (error) => heard.push(`d ${error instanceof Error ? error.message : 'taken'}`));
  take();
  await turn();
  assert.deepEqual(heard, ['a taken', 'b taken', 'c taken']);
  take(new Error('gone'));
  await flushed;
  assert.deepEqual(heard.slice(3), ['d gone', 'flushed']);
});

test('what is collected when the process exits is written', () => {
  const source = `
    import { lineWriter } from ${JSON.stringify(import.meta.resolve('./line-writer.ts'))};
    lineWriter(process.stdout).collect('last words');
    process.exit(3);`;
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', source]);
  assert.deepEqual([String(stdout), status], ['last words\n', 3]);
});
