/** Lines of the server that judges its client: what a client that starts its server speaks with. */

import type { Readable, Writable } from 'node:stream';
import { after, settledWithin } from '../../../../../parley/src/jsonrpc/timeout.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { HeldLines, type WholeText } from '../held-lines.ts';
import type { JudgedClient } from './judged-client.ts';
import type { SideChannel } from '../piece.ts';
import type { ServedProcess } from '../served-process.ts';

/** Longest line, in characters. */
const longest = 4 * 1024 ** 2;

/** Time after which a line that is a part of a message has no other part, in milliseconds. */
const heldMs = 1_000;

/** Time that answers have after the last line, in milliseconds. */
const lastMs = 1_000;

/** Process that lines are spoken with, where it is one of several. */
export interface LinesOf {
  readonly process: ServedProcess;
  /** Resolves when it has gone. */
  readonly over: Promise<void>;
}

/** Speaks lines until the client says no more. */
export async function speakLines(
  { input, output }: { readonly input: Readable; readonly output: Writable },
  revisions: readonly Revision[],
  judged: JudgedClient,
  { process, over }: Partial<LinesOf> = {},
): Promise<void> {
  const send = (message: unknown): boolean =>
    !output.destroyed && (output.write(`${JSON.stringify(message)}\n`) || true);
  const line: SideChannel = { send, sendBatch: send, ...(over && { over }) };
  const hear = async ({ text, lines }: WholeText): Promise<void> => {
    const piece = { text, served: revisions, line, process, ...(lines > 1 && { lines }) };
    const { messages } = await judged.take(piece);
    if (messages.length > 0) send(text.trimStart().startsWith('[') ? messages : messages[0]);
  };
  output.on('error', () => undefined);
  const under = new Set<Promise<void>>();
  const heard = (wholes: readonly WholeText[]): void => {
    for (const whole of wholes) {
      // What fails here is kept by who judges, and ends the run with its report.
      const one: Promise<void> = hear(whole)
        .catch(() => undefined)
        .finally(() => under.delete(one));
      under.add(one);
    }
  };
  const held = new HeldLines();
  let cancel = (): void => undefined;
  for await (const text of textLinesOf(input)) {
    cancel();
    // A partial line proves nothing about the client, which gets an error if it waits for an answer.
    if (text === undefined) send(unread);
    else if (text.trim() !== '') heard(held.take(text));
    // Who says no more waits for an answer.
    if (!held.isEmpty) cancel = after(heldMs, () => heard(held.flush()));
  }
  cancel();
  heard(held.flush());
  await settledWithin(lastMs, Promise.all(under));
}

const unread = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: `no line of more than ${longest / 1024 ** 2} MiB is read` },
};

/** Lines of a stream; `undefined` for one that is too long, of which nothing is kept. */
export async function* textLinesOf(input: Readable): AsyncGenerator<string | undefined> {
  let rest = '';
  let isLong = false;
  for await (const piece of input.setEncoding('utf8') as AsyncIterable<string>) {
    const [first = '', ...more] = piece.split('\n');
    for (const part of [first, ...more].slice(0, -1)) {
      const isOver = isLong || rest.length + part.length > longest;
      yield isOver ? undefined : rest + part;
      [rest, isLong] = ['', false];
    }
    const last = more.at(-1) ?? first;
    isLong ||= rest.length + last.length > longest;
    rest = isLong ? '' : rest + last;
  }
}
