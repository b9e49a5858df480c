import type { Client } from '../../../../parley/src/client/api/client.ts';
import type { TaskReference } from '../../../../parley/src/client/api/task-handle.ts';
import { configuredName } from '../call/configured.ts';
import type { ClientOpening } from '../call/open.ts';
import { openPlace, type ServerPlace } from '../call/place.ts';
import { hiding } from '../../../../parley/src/auth/common/secrets.ts';
import { programWords } from '../../recorder/program-words.ts';
import { UsageError, type Io } from '../io.ts';
import { revisionDates, type ParsedOptions } from '../options.ts';
import { shellLine } from '../shell.ts';
import { shownJson } from '../shown.ts';
import { secretsOf, serverTarget, urlTarget } from '../target.ts';

/** Words of a command line that may name a server. */
export interface PlaceWords {
  readonly parsed: ParsedOptions;
  readonly words: readonly string[];
  /** Words that follow the `--`, where there is one. */
  readonly after: readonly string[] | undefined;
}

/**
 * Finds the server of a command line; the one that a reference names, where no other is typed.
 *
 * @throws UsageError where neither says it.
 */
export function placeOf({ parsed, words, after }: PlaceWords, reference?: TaskReference): ServerPlace {
  const file = parsed.text('config');
  if (file !== undefined) {
    const { name, rest } = configuredName(parsed, words);
    const [extra] = rest;
    if (after !== undefined) throw new UsageError('--config names the servers; give no command beside it');
    if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one argument too many`);
    return { kind: 'configured', file, name };
  }
  configuredName(parsed, words);
  if (reference === undefined || words.length > 0 || after !== undefined)
    return { kind: 'typed', target: serverTarget(words, after) };
  const { server } = reference;
  const isUrl = /^https?:\/\//.test(server);
  if (isUrl && !server.includes('$%7B')) return { kind: 'typed', target: urlTarget(server) };
  const name = server === '' ? 'a server without a name' : `the server ${JSON.stringify(server)}`;
  // A part of the URL came from a variable of the file, and only there it is the same server.
  const give = isUrl ? 'give' : 'give -- and its command, or';
  throw new UsageError(
    `the task belongs to ${name}, and its reference does not say where that is: ${give} --config <file> <name>`,
  );
}

/** Opens the server of a task, in the revision in which the task was begun. */
export async function openTaskPlace(
  place: ServerPlace,
  {
    parsed,
    reference,
    opening,
  }: { readonly parsed: ParsedOptions; readonly reference: TaskReference; readonly opening: ClientOpening },
  io: Io,
): Promise<Client> {
  return await openPlace(place, { parsed, opening: { ...opening, known: revisionDates([reference.revision]) } }, io);
}

/** Tells whether the server of a task ends with the command that opened it. */
export function endsWithCommand(place: ServerPlace): boolean {
  return place.kind === 'typed' && place.target.kind === 'command';
}

/** Options without secrets that a later command needs again. */
const kept = ['token-env', 'token-file', 'account', 'issuer', 'client-id', 'client-secret-env'];

/** The command line that does something with a task, such as `wait`; in it are no secrets. */
export function commandAbout(
  verb: 'wait' | 'answer',
  reference: TaskReference,
  { place, parsed, io }: { readonly place: ServerPlace; readonly parsed: ParsedOptions; readonly io: Io },
): string {
  const options = kept.flatMap((name) => {
    const value = parsed.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const headers = parsed.texts('header').length === 0 ? [] : ['--header', '…'];
  const [before, behind] = wordsOf(place, reference);
  const hide = place.kind === 'typed' ? hiding(secretsOf(place.target, parsed, io)) : (text: string) => text;
  const typed = [...options, ...headers, ...before].map(hide);
  return shellLine([...programWords(io.env), 'tasks', verb, ...typed, shownJson(reference), ...behind.map(hide)]);
}

/** The words of a server that stand before and behind a reference that does not find it by itself. */
function wordsOf(place: ServerPlace, { server }: TaskReference): readonly [readonly string[], readonly string[]] {
  if (place.kind === 'configured') return [['--config', place.file], place.name === undefined ? [] : [place.name]];
  const { target } = place;
  if (target.kind === 'command') return [[], ['--', target.command, ...target.args]];
  // The query may be secret.
  return [[], target.url.href === server ? [] : ['<url>']];
}
