/** Local process of `parley inspect`: its servers, its page, and the one door between them. */

import { randomBytes } from 'node:crypto';
import { monotonicNow } from '../../../parley/src/jsonrpc/timeout.ts';
import { revisions } from '../../../parley/src/protocol/revision.ts';
import { listenForApps, type AppsPort } from './apps/listen-apps.ts';
import { RunningApps } from './apps/running-apps.ts';
import { Feed } from './feed.ts';
import { Entrance } from './http/entrance.ts';
import { entering, listenLocally, type Local, type Verb } from './http/listen.ts';
import { readSite } from './http/site.ts';
import { WholeRecording } from './recording.ts';
import { auto } from './servers/connect-options.ts';
import type { InspectedServer } from './servers/inspected.ts';
import { OwnWrites } from './servers/own-writes.ts';
import { Questions } from './servers/questions.ts';
import { watchFolder } from './servers/reload.ts';
import { InspectedServers } from './servers/servers.ts';
import type { ServerPlan, Shared } from './servers/shared.ts';
import { Trials, type OpenBridge } from './trial/trials.ts';
import { appVerbs } from './verbs/apps.ts';
import { askingVerbs } from './verbs/asking.ts';
import { lookingVerbs } from './verbs/looking.ts';
import { reachingVerbs } from './verbs/reaching.ts';
import { tryingVerbs } from './verbs/trying.ts';
import { usingVerbs } from './verbs/using.ts';

/** Options of the local process. */
export interface InspectOptions extends Pick<
  Shared,
  'fetch' | 'version' | 'isReadOnly' | 'now' | 'open' | 'words' | 'causeOf' | 'begun'
> {
  /** Servers to begin with; each is connected. */
  readonly plans: readonly ServerPlan[];
  /** Revision to begin with; `auto` by default. */
  readonly revision?: string | undefined;
  /** Folder of the built page. */
  readonly page: string;
  readonly port: number;
  /** Time for running calls to end before a server with changed files restarts, in milliseconds; 1,000 by default. */
  readonly graceMs?: number;
  /** Makes the plan of an address that is added in the page. */
  planOf(url: URL): ServerPlan;
  /** Puts a bridge before a server, for a trial. */
  readonly bridge: OpenBridge;
  /** Opens a page in the browser of the person. */
  openPage(url: string): Promise<void>;
  /** Called if the address of a program was used, perhaps by another user. */
  misused?(what: string): void;
}

/** Local process that runs. */
export interface RunningInspect {
  /** Address to open, with the token of this run in its fragment, which no server and no log ever sees. */
  readonly url: string;
  /** Makes an address for a program that opens it: what stands in arguments is read by others, so that it is good once, and soon no more. */
  opening(): string;
  /** Names of the verbs. */
  readonly verbs: readonly string[];
  /** Origin of the frames of apps. */
  readonly apps: string;
  close(): Promise<void>;
}

/** Starts it. @throws Error where the port is taken, or the page was not built. */
export async function startInspect(options: InspectOptions): Promise<RunningInspect> {
  const { version, isReadOnly, words, plans, planOf, openPage, bridge } = options;
  const files = readSite(options.page);
  const feed = new Feed();
  // The first line for a new page identifies the run.
  greet(feed, { version, isReadOnly });
  const questions = new Questions(feed);
  const shared: Shared = { ...options, feed, questions, next: countedAfter(plans) };
  const servers = new InspectedServers(shared);
  const trials = new Trials(shared, bridge);
  // Too many options are an error before anything is open.
  const first = plans.map((plan) => servers.add(plan));
  const apps = new RunningApps();
  const appsPort = await listenForApps(apps);
  const recording = new WholeRecording(servers);
  const entrance = entranceBefore(feed, options);
  const verbs: ReadonlyMap<string, Verb> = new Map([
    ...reachingVerbs(servers, planOf, openPage),
    ...usingVerbs(servers, { isReadOnly }),
    ...askingVerbs(questions, openPage),
    ...lookingVerbs(recording, { feed, version, servers }),
    ...tryingVerbs(recording, { servers, trials }),
    ...appVerbs({ servers, apps, origin: appsPort.origin, isReadOnly, openPage }),
  ]);
  // What failed may cite a server.
  const shown = (error: unknown): string =>
    servers.all.reduce((text, { recorder }) => recorder.hidden(text), words(error));
  const parts = { files, verbs, entrance, port: options.port, frames: appsPort.origin, words: shown };
  const local = await listenBesideApps(parts, appsPort);
  const unwatched = first.map((server) => {
    void server.connect(options.revision ?? auto);
    const { folder } = server.plan;
    return folder === undefined ? () => {} : restartOnChange(server, folder, { ...options, servers });
  });
  return {
    url: `http://${local.door.host}/#${entrance.token}`,
    opening: () => `http://${local.door.host}/#once.${entrance.open()}`,
    verbs: [entering, ...verbs.keys()],
    apps: appsPort.origin,
    async close() {
      for (const end of unwatched) end();
      feed.close();
      await trials.close();
      await servers.close();
      await local.close();
      await appsPort.close();
    },
  };
}

/** Makes the entrance. After a misuse, pages with a valid token can come back. */
function entranceBefore(feed: Feed, { misused }: Pick<InspectOptions, 'misused'>): Entrance {
  return new Entrance({
    now: monotonicNow,
    misused(what) {
      misused?.(what);
      feed.close();
    },
  });
}

/** Listens for the page, which alone may have apps in it. @throws Error where the port is taken; that of apps is closed. */
async function listenBesideApps(parts: Parameters<typeof listenLocally>[0], apps: AppsPort): Promise<Local> {
  try {
    const local = await listenLocally(parts);
    apps.servePage(`http://${local.door.host}`);
    return local;
  } catch (error) {
    await apps.close();
    throw error;
  }
}

/** Sends the identity of this run to the pages. */
function greet(feed: Feed, facts: Pick<InspectOptions, 'version' | 'isReadOnly'>): void {
  feed.keep('hello', {
    kind: 'hello',
    ...facts,
    revisions: revisions.map(({ date }) => date),
    run: randomBytes(8).toString('hex'),
  });
}

/** Continues counting: new entries come after the recorded ones. */
function countedAfter(plans: readonly ServerPlan[]): () => number {
  let count = plans
    .flatMap(({ recorded = [] }) => recorded)
    .reduce((most, { sequence }) => Math.max(most, sequence), 0);
  return () => ++count;
}

/** Time for calls to end before a server restarts, in milliseconds. */
const defaultGraceMs = 1_000;

/** Restarts a server when the files of a folder change, in the chosen revision. */
function restartOnChange(
  server: InspectedServer,
  folder: string,
  {
    now,
    servers,
    graceMs = defaultGraceMs,
  }: { now(): number; readonly servers: InspectedServers; readonly graceMs?: number | undefined },
): () => void {
  const writes = new OwnWrites(now);
  writes.started();
  return watchFolder(folder, {
    changed(names) {
      if (!servers.all.includes(server)) return;
      const { isFresh, found } = writes.changed(names);
      if (found.length > 0)
        server.say(
          'warning',
          `not restarted any more for ${found.join(', ')}, which changes at each start; --watch=<folder> watches another`,
        );
      if (!isFresh) return;
      writes.started();
      server.say('info', `restarted, since files changed in ${folder}`);
      void server.restart(graceMs);
    },
    failed: (error) =>
      server.say('warning', `its files are not watched: ${error instanceof Error ? error.message : String(error)}`),
  });
}
