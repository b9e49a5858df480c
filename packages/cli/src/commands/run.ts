import { isColoured, styled } from './colour.ts';
import { ConnectionError } from '../../../parley/src/jsonrpc/transport.ts';
import { helpOn } from './help/help.ts';
import { nearestWords } from '../../../parley/src/options/nearest.ts';
import { asStarted } from '../recorder/program-words.ts';
import { AdvisedError, UsageError, isUnreached, type Command, type Io } from './io.ts';
import { reasonOf } from './shown.ts';
import { splitAtDashes } from './target.ts';
import { version } from '../../../parley/src/transports/node/version.ts';

/** Each loads what it alone needs. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['bridge', async () => (await import('./bridge.ts')).bridge],
  ['call', async () => (await import('./call/call.ts')).call],
  ['check', async () => (await import('./check/check.ts')).checkCommand],
  ['completion', async () => (await import('./help/shell-completion.ts')).completion],
  ['complete', async () => (await import('./use/complete.ts')).completeCommand],
  ['example', async () => (await import('./example/example.ts')).example],
  ['explain', async () => (await import('./explain/explain.ts')).explain],
  ['inspect', async () => (await import('./inspect/inspect.ts')).inspectCommand],
  ['login', async () => (await import('./login/login.ts')).login],
  ['logout', async () => (await import('./login/login.ts')).logout],
  ['whoami', async () => (await import('./login/login.ts')).whoami],
  ['prompt', async () => (await import('./use/prompt.ts')).promptCommand],
  ['read', async () => (await import('./use/read.ts')).readCommand],
  ['send', async () => (await import('./use/send.ts')).sendCommand],
  ['watch', async () => (await import('./use/watch.ts')).watchCommand],
  ['tasks', async () => (await import('./tasks/tasks.ts')).tasks],
  ['start', async () => (await import('./bridge.ts')).start],
  ['help', () => Promise.resolve(help)],
]);

/**
 * Runs the command line. A failure is printed on stderr in one line.
 *
 * @param argv The words after the name of the program.
 * @returns The exit code: 0 for success, 1 for a failure, 2 for an invalid command line, 3 if the server was not reached or
 *   went away.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const name = styled('parley:', 'red', isColoured(io.stderr, io.env));
    io.stderr.write(`${name} ${withoutQueries(asStarted(reasonOf(error), io.env), argv)}\n`);
    return codeOf(error);
  }
}

/** The exit code of a failure. Advice may be added to the error of a connection, which is then its cause. */
function codeOf(error: unknown): number {
  if (error instanceof UsageError) return 2;
  const failed = error instanceof AdvisedError ? error.cause : error;
  return failed instanceof ConnectionError && isUnreached(failed) ? 3 : 1;
}

/** A text without the queries of the URLs that were typed, in which there may be keys. */
function withoutQueries(text: string, argv: readonly string[]): string {
  const typed = argv.filter((word) => /^https?:.*\?/.test(word));
  return typed.reduce((shown, url) => shown.replaceAll(url, url.split('?', 1)[0] ?? ''), text);
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined || name === '--help' || name === '-h') return help([], io);
  if (name === '--version' || name === '-v') {
    io.stdout.write(`${version}\n`);
    return 0;
  }
  const load = commands.get(name);
  if (load === undefined) {
    const what = name.startsWith('-') ? 'option' : 'command';
    const near = meantBy(name) ?? nearestWords(name, [...commands.keys()]);
    throw new UsageError(`there is no ${what} ${JSON.stringify(name)}${near}; parley --help lists what there is`);
  }
  const { before } = splitAtDashes(rest);
  if (before.includes('--help-all')) return printHelp(name, io, true);
  return before.includes('--help') || before.includes('-h') ? printHelp(name, io, false) : (await load())(rest, io);
}

/** Commands by words that other programs have for them. */
const synonyms: Readonly<Record<string, string>> = {
  list: 'call',
  ls: 'call',
  tools: 'call',
  resources: 'call',
  prompts: 'call',
  run: 'call',
  get: 'read',
  subscribe: 'watch',
  request: 'send',
  serve: 'bridge',
  proxy: 'bridge',
  test: 'check',
  validate: 'check',
  ui: 'inspect',
};

function meantBy(name: string): string | undefined {
  return Object.hasOwn(synonyms, name) ? `; use ${synonyms[name]}` : undefined;
}

/** `parley help <command>` shows every option. */
function help([command]: readonly string[], io: Io): Promise<number> {
  return printHelp(command, io, true);
}

async function printHelp(command: string | undefined, io: Io, isAll: boolean): Promise<number> {
  const text = helpOn(command === 'help' ? undefined : command, isAll);
  if (text === undefined)
    throw new UsageError(
      `there is no command ${JSON.stringify(command)}${nearestWords(command ?? '', [...commands.keys()])}; parley --help lists them`,
    );
  io.stdout.write(text);
  return 0;
}
