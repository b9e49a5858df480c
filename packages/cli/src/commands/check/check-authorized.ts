import {
  checkAuthorizedClient,
  type CheckAuthorizedClientOptions,
} from '../../check/client/authorization/check-authorized-client.ts';
import { clientAuthorizationRules } from '../../check/client/authorization/judge-logs.ts';
import { knownClient, type Scenario } from '../../check/client/authorization/scenarios.ts';
import { clientRules } from '../../check/client/rules/rules.ts';
import type { CheckReport } from '../../check/report.ts';
import { chosenRevisions } from '../../../../parley/src/protocol/revision.ts';
import { UsageError, type Io } from '../io.ts';
import { revisionDates, type ParsedOptions } from '../options.ts';
import { printed } from '../shown.ts';
import { guardedFetch } from '../../../../parley/src/transports/node/login/guarded-fetch.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';
import { refuseOnly } from './only.ts';
import { startAt, waitingFor } from './waiting.ts';

/** Serves what wants authorization, and judges who comes. @param command Words that start the client; left out where a person does. */
export async function checkComingAuthorized(
  parsed: ParsedOptions,
  command: readonly string[] | undefined,
  io: Io,
): Promise<CheckReport> {
  const { port, wait, isStdio } = waitingFor(parsed, command);
  if (isStdio)
    throw new UsageError(
      '--auth goes with HTTP: a client that starts its server has its credentials from its environment',
    );
  refuseOnly(parsed, [...clientRules, ...clientAuthorizationRules]);
  const dates = revisionDates(parsed.texts('revision'));
  const say = (text: string): void => void io.stderr.write(printed(text, 'lines'));
  const drive: CheckAuthorizedClientOptions['drive'] =
    command &&
    (async (scenario, url, signal) => {
      const started = startAt(command, { url, parsed, io, more: { PARLEY_CHECK_SCENARIO: scenario.name } });
      const end = (): void => void started.close();
      signal.addEventListener('abort', end, { once: true });
      await started.ended;
      await started.close();
    });
  return await checkAuthorizedClient({
    port,
    info: { name: 'parley-check', version },
    ...(dates === undefined ? {} : { revisions: chosenRevisions(dates) }),
    only: parsed.texts('only'),
    ...(wait === undefined ? {} : { limitMs: wait }),
    signal: io.signal,
    fetch: guardedFetch(),
    ...(drive !== undefined && { drive }),
    onOpen: (open) => say(guideText(open)),
    onDone: ({ name }) => say(`  done: ${name}\n`),
  });
}

function guideText(open: readonly (readonly [Scenario, string])[]): string {
  return [
    'Have your client connect to each of these, list the tools, and call them in the order of the list. When you open the page of an',
    `authorization server is sent back at once. A client that does not register itself has the id ${knownClient}, without a secret; one that`,
    'acts for itself has any secret or key.',
    ...open.map(([{ name, words }, url]) => `  ${url}  ${name}: ${words}`),
    'It ends when all is done; Ctrl-C ends it before.',
    '',
  ].join('\n');
}
