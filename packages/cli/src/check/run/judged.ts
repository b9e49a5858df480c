import { sentSecrets } from '../../../../parley/src/auth/common/secrets.ts';
import { isLoopback } from '../../../../parley/src/auth/common/network.ts';
import { listen } from '../../../../parley/src/transports/node/server/http.ts';
import { version } from '../../../../parley/src/transports/node/version.ts';
import { chosenRevisions } from '../../../../parley/src/protocol/revision.ts';
import { secretArguments, secretHeaders, secretsOfUrl, secretVariables } from '../../recorder/secrets.ts';
import { withoutTexts } from '../../recorder/without-texts.ts';
import { rawHttp } from '../harness/http.ts';
import type { CheckedServer, ServerCheckOptions } from './check-server.ts';
import { judgeServer, type CheckOptions } from './check.ts';
import type { CheckReport } from '../report.ts';

/** Judges a server where it is, or where it is served meanwhile. */
export async function judged(server: CheckedServer, options: ServerCheckOptions): Promise<CheckReport> {
  const {
    revisions,
    only,
    calls = [],
    heavy = false,
    headers = {},
    timeoutMs,
    signal = new AbortController().signal,
  } = options;
  const place = await placeOf(server, headers);
  try {
    const report = await judgeServer({
      ...place,
      info: { name: 'parley-check', version },
      ...(revisions === undefined ? {} : { revisions: chosenRevisions(revisions) }),
      ...(only === undefined ? {} : { only }),
      calls: calls.map((call) => (typeof call === 'string' ? { name: call } : call)),
      heavy,
      ...(timeoutMs === undefined ? {} : { waitTimeoutMs: timeoutMs }),
      signal,
    });
    return withoutTexts(report, secretsOf(server, headers));
  } finally {
    await place.close();
  }
}

/** Texts that went to the server, and may come back from it. */
function secretsOf(server: CheckedServer, headers: Readonly<Record<string, string>>): readonly string[] {
  const sent = [...secretHeaders(Object.values(headers)), ...sentSecrets({ headers })];
  if (typeof server === 'string' || server instanceof URL) return [...sent, ...secretsOfUrl(String(server))];
  if (!('command' in server)) return sent;
  return [...secretVariables(server.env ?? {}), ...secretArguments(server.args ?? [])];
}

/** Address of a checked server, until it is closed. */
interface Place extends Pick<CheckOptions, 'way' | 'target' | 'isNear'> {
  close(): unknown;
}

async function placeOf(server: CheckedServer, headers: Readonly<Record<string, string>>): Promise<Place> {
  if (typeof server === 'string' || server instanceof URL) return byHttp(httpUrl(server), headers);
  if ('command' in server) {
    const { command, args = [], env = {} } = server;
    const way = { over: 'stdio', start: { command, args, env } } as const;
    return { way, target: command, isNear: true, close: () => undefined };
  }
  // Its refusals are provoked, and no news for the user who runs the test.
  const { url, close } = await listen(server, { port: 0, drainTimeoutMs: 0, onWarning: () => undefined });
  const place = byHttp(new URL(url), headers);
  return {
    ...place,
    async close() {
      await place.close();
      await close();
    },
  };
}

function httpUrl(given: string | URL): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new TypeError(
    `checkServer takes a server, a command or a URL of HTTP; ${JSON.stringify(String(given))} is none`,
  );
}

function byHttp(url: URL, headers: Readonly<Record<string, string>>): Place {
  const http = rawHttp(url, { headers });
  const { origin, pathname, hostname } = url;
  // The rest of an address may be secret.
  return {
    way: { over: 'http', http },
    target: origin + pathname,
    isNear: isLoopback(hostname),
    close: () => http.close(),
  };
}
