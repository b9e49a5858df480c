/**
 * Finds what a test file leaves behind in its process: replaced globals, listeners, environment variables, open handles. Files that
 * share a process must restore what they change, as the next file would fail for no fault of its own.
 */

/** The state of the process that a test file must restore. */
export interface ProcessState {
  /** What is compared by identity, such as functions and environment variables, by its name. */
  readonly values: ReadonlyMap<string, unknown>;
  /** What is counted: listeners and handles that keep the process alive, by their names. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Tests may replace the timers. */
const realSetTimeout = setTimeout;

const globals =
  'fetch Date WebSocket queueMicrotask setTimeout setInterval setImmediate clearTimeout clearInterval clearImmediate'.split(
    ' ',
  );

/** Functions that tests replace, by the object that has them. */
const functions: readonly (readonly [name: string, owner: object, keys: readonly PropertyKey[]])[] = [
  ['globalThis', globalThis, globals],
  ['Date', Date, ['now']],
  ['performance', performance, ['now']],
  ['Math', Math, ['random']],
  ['AbortSignal', AbortSignal, ['timeout', 'any']],
  ['crypto', crypto, ['randomUUID', 'getRandomValues', 'subtle']],
  ['console', console, Reflect.ownKeys(console)],
  ['process', process, ['exit', 'kill', 'emitWarning', 'hrtime', 'nextTick', 'stdin', 'exitCode', 'title', 'platform']],
  ['process.stdout', process.stdout, ['write', 'isTTY', 'columns']],
  ['process.stderr', process.stderr, ['write', 'isTTY', 'columns']],
];

/** Handles that a test must close. Others belong to Node, such as the streams of the process. */
const handles: ReadonlyMap<string, string> = new Map([
  ['TCPServerWrap', 'servers that listen'],
  ['TCPSocketWrap', 'sockets'],
  ['PipeWrap', 'pipes'],
  ['PipeServerWrap', 'servers that listen on a pipe'],
  ['ProcessWrap', 'child processes'],
  ['FSEventWrap', 'file watchers'],
  ['MessagePort', 'message ports'],
  ['Timeout', 'timers'],
]);

/** Globals that libraries set when they are loaded, for all their copies. Most use symbols for that, which are left out. */
const libraryGlobals = /^(?:__zod_|\$ark$)/;

/** Listeners that modules add once, and that last as long as the process. */
const lasting: ReadonlySet<string> = new Set(['flushAllLines', 'killAllRunning']);

/** How many listeners of an event of the process a test can remove. */
function removable(event: string | symbol): number {
  // Its type knows the events of Node alone, and others are allowed.
  return process.listeners(event as 'exit').filter(({ name }) => !lasting.has(name)).length;
}

/** The present state of the process. */
export function processState(): ProcessState {
  const values = new Map<string, unknown>();
  for (const [name, owner, keys] of functions)
    for (const key of keys) values.set(`${name}.${String(key)}`, Reflect.get(owner, key));
  for (const key of Object.getOwnPropertyNames(globalThis))
    if (!libraryGlobals.test(key)) values.set(`the key ${key} of globalThis`, 'present');
  for (const [key, value] of Object.entries(process.env)) values.set(`process.env.${key}`, value);
  values.set('the current directory', process.cwd());
  const counts = new Map<string, number>();
  for (const event of process.eventNames()) counts.set(`listeners of process for ${String(event)}`, removable(event));
  for (const kind of process.getActiveResourcesInfo()) {
    const name = handles.get(kind);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return { values, counts };
}

/**
 * Returns one sentence for each difference from an earlier state, none when nothing was left behind. What closes takes some turns to
 * be gone, so it looks again for a while before it reports handles.
 */
export async function leftBehind(before: ProcessState, limitMs = 10_000): Promise<readonly string[]> {
  const giveUpAt = process.uptime() * 1_000 + limitMs;
  for (;;) {
    const found = differences(before, processState());
    if (found.length === 0 || process.uptime() * 1_000 >= giveUpAt) return found;
    await new Promise((resolve) => realSetTimeout(resolve, 5));
  }
}

function differences(before: ProcessState, now: ProcessState): readonly string[] {
  const found: string[] = [];
  for (const name of new Set([...before.values.keys(), ...now.values.keys()])) {
    const [was, is] = [before.values.get(name), now.values.get(name)];
    if (!before.values.has(name)) found.push(`${name} is new`);
    else if (!now.values.has(name)) found.push(`${name} is gone`);
    else if (!Object.is(was, is)) found.push(`${name} was replaced${shown(was, is)}`);
  }
  for (const name of new Set([...before.counts.keys(), ...now.counts.keys()])) {
    const [was, is] = [before.counts.get(name) ?? 0, now.counts.get(name) ?? 0];
    // A listener that is gone was not ours; a handle that is gone was closed by its owner.
    if (is > was || (is < was && name.startsWith('listeners'))) found.push(`${name}: ${was} before, ${is} now`);
  }
  return found;
}

/** Both values, if they are short and no secrets: environment variables are shown by name only. */
function shown(was: unknown, is: unknown): string {
  const plain = [was, is].every((value) => value === undefined || ['number', 'boolean'].includes(typeof value));
  return plain ? ` (${String(was)} before, ${String(is)} now)` : '';
}
