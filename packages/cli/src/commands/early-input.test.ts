import assert from 'node:assert/strict';
import { PassThrough, type Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { EarlyInput } from './early-input.ts';

async function textOf(input: Readable): Promise<string> {
  let text = '';
  for await (const chunk of input) text += String(chunk);
  return text;
}

describe('input that comes before it is read', () => {
  it('is read from its beginning, and what comes later after it', async () => {
    const source = new PassThrough();
    const early = new EarlyInput(source);
    source.write('one ');
    source.write('two ');
    await new Promise((resolve) => setImmediate(resolve));
    const input = early.handOver();
    source.end('three');
    assert.equal(await textOf(input), 'one two three');
  });

  it('goes on for a listener once it is resumed', async () => {
    const source = new PassThrough();
    const early = new EarlyInput(source);
    source.write('one ');
    await new Promise((resolve) => setImmediate(resolve));
    const input = early.handOver();
    let text = '';
    const ended = new Promise((resolve) => input.on('data', (chunk) => (text += String(chunk))).on('end', resolve));
    input.resume();
    source.end('two');
    await ended;
    assert.equal(text, 'one two');
  });

  it('is heard to end, and read all the same', async () => {
    const source = new PassThrough();
    const early = new EarlyInput(source);
    source.end('all of it');
    await early.ended;
    assert.equal(await textOf(early.handOver()), 'all of it');
  });

  it('may end without a word', async () => {
    const source = new PassThrough();
    const early = new EarlyInput(source);
    source.end();
    await early.ended;
    assert.equal(await textOf(early.handOver()), '');
  });

  it('waits in its pipe once there is a megabyte', async () => {
    const source = new PassThrough();
    const early = new EarlyInput(source);
    const chunk = Buffer.alloc(256 * 1024, 97);
    for (let times = 0; times < 8; times++) source.write(chunk);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(source.isPaused());
    const input = early.handOver();
    source.end();
    assert.equal((await textOf(input)).length, 8 * chunk.length);
  });
});
