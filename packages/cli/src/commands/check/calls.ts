import { readFile } from 'node:fs/promises';
import type { AllowedCall } from '../../check/harness/allowed.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { UsageError } from '../io.ts';
import { reasonOf } from '../shown.ts';

/**
 * Reads which tools may be called: names with commas between them, and a file of arguments by name. A `!` after a name allows
 * a tool that says that it destroys.
 *
 * @throws UsageError for a name that is empty, and for arguments of a tool that is not allowed.
 */
export async function allowedCalls(
  lists: readonly string[],
  file: string | undefined,
): Promise<readonly AllowedCall[]> {
  const given = file === undefined ? {} : await argumentsIn(file);
  const words = lists.flatMap((list) => list.split(',')).map((word) => word.trim());
  if (words.includes('') || words.includes('!'))
    throw new UsageError('--calls wants names of tools with commas between them, such as --calls add,book!');
  const calls = words.map((word): AllowedCall => {
    const name = word.replace(/!$/, '');
    const args = given[name];
    return { name, isDestructive: word.endsWith('!'), ...(args === undefined ? {} : { args }) };
  });
  const stranger = Object.keys(given).find((name) => calls.every((call) => call.name !== name));
  if (stranger !== undefined)
    throw new UsageError(`--args has arguments of ${JSON.stringify(stranger)}, which --calls does not name`);
  return calls;
}

async function argumentsIn(file: string): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new UsageError(`the arguments ${JSON.stringify(file)} cannot be read: ${reasonOf(cause)}`, { cause });
  }
  const entries = isObject(value) ? Object.entries(value) : [];
  if (!isObject(value) || !entries.every((entry): entry is [string, Record<string, unknown>] => isObject(entry[1])))
    throw new UsageError(`the arguments ${JSON.stringify(file)} are no object of tools, such as {"add": {"a": 1}}`);
  return Object.fromEntries(entries as [string, Record<string, unknown>][]);
}
