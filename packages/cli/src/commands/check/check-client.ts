import { checkClient, type CheckClientOptions } from '../../check/client/run/check-client.ts';
import { steps } from '../../check/client/run/guide.ts';
import type { StartedClient } from '../../check/client/started.ts';
import { clientRules } from '../../check/client/rules/rules.ts';
import type { CheckReport } from '../../check/report.ts';
import { chosenRevisions } from '../../../../parley/src/protocol/revision.ts';
import type { Io } from '../io.ts';
import { ownCommand } from '../own-command.ts';
import { revisionDates, type ParsedOptions } from '../options.ts';
import { printed } from '../shown.ts';
import { secretsIn } from '../explain/secrets.ts';
import { withoutTexts } from '../../recorder/without-texts.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';
import { refuseOnly } from './only.ts';
import { commandLine, startAt, startWith, waitingFor } from './waiting.ts';

/** Serves, and judges who comes. @param command Words that start the client; left out where a person does. */
export async function checkComingClient(
  parsed: ParsedOptions,
  command: readonly string[] | undefined,
  io: Io,
): Promise<CheckReport> {
  if (parsed.flag('auth'))
    return await (await import('./check-authorized.ts')).checkComingAuthorized(parsed, command, io);
  const { port, wait, isStdio, isRelayed } = waitingFor(parsed, command);
  refuseOnly(parsed, clientRules, '; rows of authorization need --auth');
  const dates = revisionDates(parsed.texts('revision'));
  const say = (text: string): void => void io.stderr.write(printed(text, 'lines'));
  let started: StartedClient | undefined;
  const onOpen = (origin: string): Promise<string> | undefined => {
    if (command === undefined) {
      say(isRelayed ? relayText(relayCommand(origin)) : guideText(origin));
      return undefined;
    }
    const running = isRelayed
      ? startWith(command, relayCommand(origin), { parsed, io })
      : startAt(command, { url: `${origin}/mcp`, parsed, io });
    started = running;
    return running.ended.then((how) => {
      say(`the client ended: ${how}\n`);
      const words = running.lastWords();
      return words.length === 0 ? how : [`${how}; the last that it wrote to its standard error:`, ...words].join('\n');
    });
  };
  const told = new Set<string>();
  const options: CheckClientOptions = {
    door: isStdio ? { input: io.stdin, output: io.stdout } : isRelayed ? { isRelayed } : { port },
    isStarted: command !== undefined,
    info: { name: 'parley-check', version },
    ...(dates === undefined ? {} : { revisions: chosenRevisions(dates) }),
    only: parsed.texts('only'),
    ...(wait === undefined ? {} : { limitMs: wait }),
    signal: io.signal,
    onOpen,
    onStep(done) {
      for (const { id, words } of steps) if (done.has(id) && !told.has(id)) say(`  done: ${words}\n`);
      for (const id of done) told.add(id);
    },
  };
  try {
    // What it wrote may hold what it was given.
    return withoutTexts(await checkClient(options), secretsIn(parsed, io.env, command ?? []));
  } finally {
    await started?.close();
  }
}

/** Words that start the server of a client whose judge is this process. @param path Of the judge. */
function relayCommand(path: string): readonly string[] {
  return ownCommand('check', '--client', '--stdio', '--judge', path);
}

function relayText(words: readonly string[]): string {
  return [
    'Have your client start its server by this command:',
    `  ${commandLine(words)}`,
    ...steps.map((step) => `  ${step.words}`),
    'It ends when all is done; Ctrl-C ends it before.',
    '',
  ].join('\n');
}

function guideText(origin: string): string {
  return [
    `Have your client speak to ${origin}/mcp, or in one revision alone to ${origin}/<revision>/mcp, or by HTTP+SSE to ${origin}/sse:`,
    ...steps.map(({ words }) => `  ${words}`),
    `  where you want that judged: connect to ${origin}/unknown/mcp, which it has to leave`,
    'It ends when all is done; Ctrl-C ends it before.',
    '',
  ].join('\n');
}
