import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import { clipped } from '../explain/text.ts';
import type { Io } from '../io.ts';
import { reasonOf } from '../shown.ts';

/** The most names that are listed. */
const most = 20;

/** Text about a name that a server does not have. */
export function unknownName(
  what: 'tool' | 'prompt',
  name: string,
  { known, mayBeCommand }: { readonly known: readonly { readonly name: string }[]; readonly mayBeCommand: boolean },
): string {
  const names = known.map((one) => one.name);
  const shown = names.slice(0, most).map((one) => clipped(one, 100));
  const has = names.length === 0 ? 'it has none' : `it has ${shown.join(', ')}${names.length > most ? ', …' : ''}`;
  const hint = mayBeCommand ? `; if ${JSON.stringify(name)} belongs to the command, end the line with one more --` : '';
  return `the server has no ${what} ${JSON.stringify(name)}: ${has}${nearestWords(name, names)}${hint}`;
}

/**
 * Lists the items of a server, to check a name before its use.
 *
 * @param what Noun for the items, such as `tool`.
 * @returns `undefined` if the server does not list them, for which it may still have some.
 */
export async function listedBefore<Item>(
  what: 'tool' | 'prompt',
  listing: Promise<readonly Item[]>,
  io: Pick<Io, 'stderr'>,
): Promise<readonly Item[] | undefined> {
  try {
    return await listing;
  } catch (error) {
    const isUnreadable = error instanceof ConnectionError && ['invalid-message', 'too-large'].includes(error.reason);
    if (!(error instanceof McpError) && !isUnreadable) throw error;
    const used = what === 'tool' ? 'the tool is called' : 'the prompt is requested';
    io.stderr.write(`parley: the ${what}s cannot be listed (${reasonOf(error)}); ${used} all the same\n`);
    return undefined;
  }
}
