/** Lines of the server that judges its client: what a client that starts its server speaks with. */

import type { Readable, Writable } from 'node:stream';
import type { Revision } from '../../protocol/revision.ts';
import type { JudgedClient, Line } from './judged-client.ts';

/** Longest line, in characters. */
const longest = 4 * 1024 ** 2;

/** Speaks lines until the client says no more. */
export async function speakLines(
  { input, output }: { readonly input: Readable; readonly output: Writable },
  revisions: readonly Revision[],
  judged: JudgedClient,
): Promise<void> {
  const send = (message: unknown): boolean =>
    !output.destroyed && (output.write(`${JSON.stringify(message)}\n`) || true);
  const line: Line = { send, sendBatch: send };
  const hear = async (text: string): Promise<void> => {
    const { messages } = await judged.take({ text, served: revisions, line });
    if (messages.length > 0) send(text.trimStart().startsWith('[') ? messages : messages[0]);
  };
  output.on('error', () => undefined);
  let rest = '';
  const under: Promise<void>[] = [];
  input.setEncoding('utf8');
  for await (const piece of input as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = (lines.pop() ?? '').slice(0, longest);
    for (const text of lines) if (text.trim() !== '') under.push(hear(text));
  }
  await Promise.race([Promise.all(under), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
}
