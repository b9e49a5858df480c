import { checkClient, type CheckClientOptions } from '../../check/client/check-client.ts';
import { steps } from '../../check/client/guide.ts';
import { startClient, type StartedClient } from '../../check/client/started.ts';
import type { CheckReport } from '../../check/report.ts';
import { chosenRevisions } from '../../protocol/revision.ts';
import { UsageError, type Io } from '../io.ts';
import { revisionDates, wholeNumber, type Parsed } from '../options.ts';
import { printed } from '../shown.ts';
import { variablesOf } from '../target.ts';
import { version } from '../../node/version.ts';

/** Words in which the address of the server is put in the place of this one. */
const placeholder = '{url}';

/** Serves, and judges who comes. @param command Words that start the client; left out where a person does. */
export async function checkComingClient(
  parsed: Parsed,
  command: readonly string[] | undefined,
  io: Io,
): Promise<CheckReport> {
  const { port, wait, isStdio } = wanted(parsed, command);
  const dates = revisionDates(parsed.texts('revision'));
  const say = (text: string): void => void io.stderr.write(printed(text, 'lines'));
  let started: StartedClient | undefined;
  const onOpen = (origin: string): Promise<void> | undefined => {
    if (command === undefined) {
      say(guideText(origin));
      return undefined;
    }
    started = start(command, origin, parsed, io);
    return started.ended.then((how) => say(`the client ended: ${how}\n`));
  };
  const told = new Set<string>();
  const options: CheckClientOptions = {
    door: isStdio ? { input: io.stdin, output: io.stdout } : { port },
    info: { name: 'parley-check', version },
    ...(dates === undefined ? {} : { revisions: chosenRevisions(dates) }),
    only: parsed.texts('only'),
    ...(wait === undefined ? {} : { patienceMs: wait * 1_000 }),
    signal: io.signal,
    onOpen,
    onStep(done) {
      for (const { id, words } of steps) if (done.has(id) && !told.has(id)) say(`  done: ${words}\n`);
      for (const id of done) told.add(id);
    },
  };
  try {
    return await checkClient(options);
  } finally {
    await started?.close();
  }
}

interface Wanted {
  readonly port: number;
  readonly wait: number | undefined;
  readonly isStdio: boolean;
}

function wanted(parsed: Parsed, command: readonly string[] | undefined): Wanted {
  const [port, wait, isStdio] = [parsed.text('port'), parsed.text('wait'), parsed.flag('stdio')];
  if (parsed.words.length > 0)
    throw new UsageError(`--client waits for a client, and takes no address: ${parsed.words.join(' ')}`);
  if (isStdio && command !== undefined)
    throw new UsageError('--stdio is for a client that starts parley check as its server; leave the command out');
  if (isStdio && port !== undefined) throw new UsageError('--stdio listens at no port');
  return {
    port: port === undefined ? 0 : wholeNumber('--port', port, [0, 65_535]),
    wait: wait === undefined ? undefined : wholeNumber('--wait', wait, [1, 2_000_000]),
    isStdio,
  };
}

function start(command: readonly string[], origin: string, parsed: Parsed, io: Io): StartedClient {
  const url = `${origin}/mcp`;
  const [file = '', ...args] = command.map((word) => word.replaceAll(placeholder, url));
  const env = { ...variablesOf(parsed.texts('env'), io.env), PARLEY_CHECK_URL: url };
  return startClient({ command: file, args, env }, (text) => void io.stderr.write(printed(text, 'lines')));
}

function guideText(origin: string): string {
  return [
    `Have your client speak to ${origin}/mcp, or in one revision alone to ${origin}/<revision>/mcp:`,
    ...steps.map(({ words }) => `  ${words}`),
    'It ends when all is done; Ctrl-C ends it before.',
    '',
  ].join('\n');
}
