import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveHttpOptions } from './options.ts';
import type { EventWriter, HttpReply } from './universal.ts';
import { EventStreams } from './stream.ts';

/** A reader that takes nothing, with what waits for it in bytes. */
class Stalled implements EventWriter {
  destroyed = false;
  written = '';

  get buffered(): number {
    return new TextEncoder().encode(this.written).byteLength;
  }

  write(text: string): void {
    this.written += text;
  }

  end(): void {}

  destroy(): void {
    this.destroyed = true;
  }
}

test('what is replayed counts in bytes, as what waits does', () => {
  const writer = new Stalled();
  const streams = new EventStreams(resolveHttpOptions({ maxStreamBufferBytes: 100 }));
  // Opening a stream asks nothing else of a reply.
  const reply = { stream: () => writer } as unknown as HttpReply;
  const stream = streams.open(reply);
  stream.replay([{ data: `"${'→'.repeat(1000)}"`, id: 'a:1' }]);
  stream.send('"next"', 'a:2');
  assert.equal(writer.destroyed, false);
  stream.send(`"${'→'.repeat(40)}"`);
  stream.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  assert.equal(writer.destroyed, true);
});

test('a stream that cannot be written to ends, and who writes to it goes on', () => {
  const told: Error[] = [];
  const writer = new Stalled();
  writer.write = () => {
    throw new Error('in front');
  };
  const streams = new EventStreams(resolveHttpOptions({ onError: (error) => told.push(error) }));
  const stream = streams.open({ stream: () => writer } as unknown as HttpReply);
  stream.send('"next"');
  stream.send('"more"');
  assert.deepEqual([writer.destroyed, stream.ended, told.length], [true, true, 1]);
});

test('a stream that is opened after all have ended has ended too, and leaves no timer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let ended = 0;
  let written = '';
  const writer: EventWriter = {
    buffered: 0,
    write: (text) => void (written += text),
    end: () => void ended++,
    destroy: () => undefined,
  };
  const streams = new EventStreams(resolveHttpOptions({}));
  await streams.close();
  const stream = streams.open({ stream: () => writer } as unknown as HttpReply);
  stream.send('"late"');
  t.mock.timers.tick(60_000);
  assert.deepEqual([stream.ended, ended, written], [true, 1, '']);
});
