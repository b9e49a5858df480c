import type { Client } from '../../../../parley/src/client/api/client.ts';
import { requestLimits } from '../call/time-limit.ts';
import { outputOf, useOptions, useServer } from '../call/use-server.ts';
import { pairOf } from '../call/argument-words.ts';
import { UsageError, type Io } from '../io.ts';
import { printed, shownJson } from '../shown.ts';

/** Prints the values that a server suggests for an argument of a prompt or of a resource template. */
export async function completeCommand(argv: readonly string[], io: Io): Promise<number> {
  return await useServer(argv, { io, options: useOptions }, ({ words, json: given }, timed) => {
    const json = outputOf(given);
    const [reference, name, value = '', ...settled] = words;
    if (reference === undefined || name === undefined)
      throw new UsageError('name a prompt or a URI template, then its argument, then the beginning of a value');
    const ref = referenceOf(reference);
    const context =
      settled.length === 0 ? {} : { context: { arguments: Object.fromEntries(settled.map((word) => pairOf(word))) } };
    return {
      async run(client) {
        const { completion } = await client.complete(ref, { name, value }, { ...requestLimits(timed), ...context });
        const { values, hasMore = false, total } = completion;
        const lines = values.map((one) => `${printed(one, 'line')}\n`).join('');
        timed.stdout.write(json ? `${shownJson(completion, 2)}\n` : lines);
        if (values.length === 0) timed.stderr.write('parley: the server suggests no value\n');
        if (hasMore && !json)
          timed.stderr.write(`parley: the server has more values${total === undefined ? '' : `, ${total} in all`}\n`);
        return 0;
      },
    };
  });
}

/** A name with `://`, or with a variable in braces, is a resource template. */
function referenceOf(name: string): Parameters<Client['complete']>[0] {
  return /:\/\/|\{/.test(name) ? { type: 'ref/resource', uri: name } : { type: 'ref/prompt', name };
}
