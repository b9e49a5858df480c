import { rawHttp } from '../../check/harness/http.ts';
import type { CheckOptions } from '../../check/run/check.ts';
import { isLoopback } from '../../../../parley/src/auth/common/network.ts';
import { factsOf } from '../../../../parley/src/jsonrpc/transport-facts.ts';
import { tlsHint, whyNotReached } from '../../../../parley/src/transports/http/client/unreached.ts';
import { configuredName, configuredServer } from '../call/configured.ts';
import { UsageError, type Io } from '../io.ts';
import type { ParsedOptions } from '../options.ts';
import { secretsOf, serverTarget, transportOf, variablesOf, type ServerTarget } from '../target.ts';
import { refuseCredentials } from './credential-options.ts';
import { runCredentials } from './credentials.ts';

/** Server that a command line names, before anything is sent to it. */
export interface CheckedPlace {
  readonly target: ServerTarget;
  /** Its name in the report, without secrets. */
  readonly description: string;
  /** True for a server on this machine. */
  readonly isNear: boolean;
  open(): Promise<{ readonly way: CheckOptions['way']; readonly secrets: () => readonly string[] }>;
}

/** Reads which server is meant: a URL, a command, or one of a file. @throws UsageError for anything else. */
export async function checkedPlace(
  parsed: ParsedOptions,
  after: readonly string[] | undefined,
  io: Io,
): Promise<CheckedPlace> {
  const file = parsed.text('config');
  if (file === undefined) {
    configuredName(parsed);
    return placeOf(serverTarget(parsed.words, after), parsed, io);
  }
  const { name, rest } = configuredName(parsed);
  if (after !== undefined || rest.length > 0)
    throw new UsageError('--config names the servers; give no URL and no command beside it');
  const { place, upstream, secrets } = await configuredServer(file, name, parsed, io);
  const { kind } = place;
  const found = placeOf(kind === 'url' ? { kind, url: place.url } : place, parsed, io, place);
  const open: CheckedPlace['open'] = async () => {
    const opened = await found.open();
    return { way: opened.way, secrets: () => [...opened.secrets(), ...secrets] };
  };
  return { ...found, description: factsOf(upstream).description, open };
}

type Entry = Awaited<ReturnType<typeof configuredServer>>['place'];

function placeOf(target: ServerTarget, parsed: ParsedOptions, io: Io, entry?: Entry): CheckedPlace {
  if (target.kind === 'command') refuseCredentials(parsed, 'is for a server at a URL');
  return {
    target,
    description: factsOf(transportOf(target, parsed, io)).description,
    isNear: target.kind === 'command' || isLoopback(target.url.hostname),
    async open() {
      const typed = secretsOf(target, parsed, io);
      if (target.kind === 'command') {
        const { command, args } = target;
        const own = entry?.kind === 'command' ? entry : { env: variablesOf(parsed.texts('env'), io.env) };
        return { way: { over: 'stdio', start: { ...own, command, args } }, secrets: () => typed };
      }
      const { credentials, secrets } = await runCredentials(target, parsed, io);
      const { url } = target;
      const why = (error: unknown, hasAnswered: boolean): string =>
        `${whyNotReached(error, url)}${hasAnswered ? '' : tlsHint(error, url)}`;
      const headers = entry?.kind === 'url' ? entry.headers : {};
      const http = rawHttp(url, { ...credentials, headers: { ...credentials.headers, ...headers } }, why);
      return { way: { over: 'http', http }, secrets: () => [...typed, ...secrets()] };
    },
  };
}
