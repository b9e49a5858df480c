import type { SubscriptionEvent } from '../../../../parley/src/client/api/subscription.ts';
import { outputOf, useOptions, useServer } from '../call/use-server.ts';
import { UsageError, whenAborted, type Io } from '../io.ts';
import { printed, reasonOf, shownJson } from '../shown.ts';

/** Prints each change of some resources, until the command is ended. */
export async function watchCommand(argv: readonly string[], io: Io): Promise<number> {
  return await useServer(argv, { io, options: useOptions }, ({ words: uris, json: given }, timed) => {
    const json = outputOf(given);
    if (uris.length === 0)
      throw new UsageError('name a resource by its URI: after the URL, or before the -- of a command');
    const say = (text: string): void => void timed.stderr.write(`parley: ${text}\n`);
    const changed = (event: SubscriptionEvent): void => {
      if (json) timed.stdout.write(`${shownJson(event)}\n`);
      else if (event.type === 'update') timed.stdout.write(`changed ${printed(event.uri, 'line')}\n`);
      else if (event.type === 'reopened')
        say('the connection was lost and is open again; a change may have been missed');
    };
    return {
      async run(client) {
        const subscription = await client.subscribe({ updates: uris }, changed, { signal: timed.signal });
        try {
          const { updates = [] } = subscription.honored;
          const refused = uris.filter((uri) => !updates.includes(uri));
          if (refused.length > 0)
            throw new Error(
              `the server does not report changes of ${refused.map((uri) => printed(uri, 'line')).join(', ')}`,
            );
          // The time is for the beginning: only the user knows how long the changes are of interest.
          timed.limit?.end();
          say(`waiting for changes of ${uris.map((uri) => printed(uri, 'line')).join(', ')}; Ctrl-C ends this`);
          const end = await Promise.race([subscription.closed, whenAborted(io.signal)]);
          if (end === undefined || io.signal.aborted) return 0;
          throw new Error(
            `the server ended the subscription${end.error === undefined ? '' : `: ${reasonOf(end.error)}`}`,
          );
        } finally {
          await subscription.close();
        }
      },
    };
  });
}
