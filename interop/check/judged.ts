/** Servers of others that `parley check` judges: the peers of other languages, and the packages that tests use anyway. */

import { join } from 'node:path';
import { peers } from '../harness/peers.ts';
import { startProgram } from '../harness/program.ts';
import { realServers, run, type RealServer } from '../../test/bridge/real-servers.ts';
import { checkServer } from '../../packages/cli/src/check/run/check-server.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';

/** A server of others in one of its ways. */
export interface JudgedServer {
  readonly name: string;
  /** Software and version, where it is known by now. */
  readonly title: string;
  readonly way: string;
  readonly report: CheckReport;
}

/** The official first SDK, of which tests have published clients alone. */
const first = join(import.meta.dirname, '../../test/bridge/servers/official-v1.ts');

/** Packages of npm: the servers that tests use anyway, each program once. */
const packages: readonly Pick<RealServer, 'name' | 'ways'>[] = [
  ...realServers.filter((one, at) => realServers.findIndex((other) => programOf(other) === programOf(one)) === at),
  { name: 'the official first server 1.32.2', ways: { http: [first, 'http'], stdio: [first, 'stdio'] } },
];

function programOf({ ways }: RealServer): string | undefined {
  return ways.http?.[0];
}

/** Judges each server, one after the other; what cannot be built is given to `missing`. */
export async function* judgeAll(
  chosen: readonly string[],
  missing: (name: string, why: string) => void,
): AsyncGenerator<JudgedServer> {
  const isChosen = (name: string): boolean => chosen.length === 0 || chosen.includes(name);
  for (const { name, title, server, build } of peers.filter((peer) => isChosen(peer.name))) {
    const built = await build().catch((error: unknown) => missing(name, String(error)));
    if (built === undefined) continue;
    for (const way of server)
      yield { name, title: `${title}, ${built.version}`, way, report: await judgeProgram(built.command, way) };
  }
  for (const server of packages.filter(({ name }) => isChosen(wordOf(name))))
    for (const way of Object.keys(server.ways) as ('http' | 'stdio')[]) {
      const { words, close } = await run(server, way);
      const [first = '', command = '', ...args] = words;
      const report = await checkServer(way === 'http' ? first : { command, args });
      await close();
      yield { name: wordOf(server.name), title: server.name, way, report };
    }
}

/** A name as one word, for the command line; a package of npm may be called as one of another language. */
function wordOf(name: string): string {
  return `npm:${name.replace(/^the | \d.*$/g, '').replaceAll(' ', '-')}`;
}

async function judgeProgram(words: readonly string[], way: string): Promise<CheckReport> {
  const [command, ...args] = [...words, 'serve', way];
  if (way === 'stdio') return await checkServer({ command, args });
  const { url, stop } = await startProgram([command, ...args]);
  try {
    return await checkServer(url);
  } finally {
    await stop();
  }
}
