/** The local process of `parley inspect` before servers of this process, for tests that speak to it as its page does. */

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { openTrialBridge } from '../../packages/cli/src/commands/inspect/trial-bridge.ts';
import { connect } from '../../packages/parley/src/client.ts';
import type { InspectOptions, RunningInspect } from '../../packages/cli/src/inspect/serve.ts';
import { startInspect } from '../../packages/cli/src/inspect/serve.ts';
import type { ServerPlan } from '../../packages/cli/src/inspect/servers/shared.ts';
import type { FeedLine, OutcomeView, RowView } from '../../packages/cli/src/inspect/view.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import { nodeFetch } from '../../packages/parley/src/transports/node/client/fetch.ts';
import { listen } from '../../packages/parley/src/node.ts';
import type { Server } from '../../packages/parley/src/server/server.ts';
import { root } from './sources.ts';
import { stuckAfterMs } from './stuck.ts';

/** Folder of the built page. */
export const builtPage: string = join(root, 'packages/cli/dist/inspect/page');

/** Why tests of the page are skipped; `false` where they are not. */
export const noPage: string | false = !existsSync(join(builtPage, 'main.js')) && 'the page is not built: npm run build';

/** Whoever ends what was begun for it. */
export interface Endable {
  after(end: () => Promise<void> | void): void;
}

/** A process under test. */
export interface InspectedScene extends RunningInspect {
  /** Token of the run. */
  readonly token: string;
  /** `http://127.0.0.1:…` */
  readonly origin: string;
  /** Lines of the feed so far. */
  readonly lines: readonly FeedLine[];
  post(verb: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
  json<Result>(verb: string, body?: object): Promise<Result>;
  /** Waits for a line of the feed, also one that came. */
  line<Kind extends FeedLine['kind']>(
    kind: Kind,
    is?: (line: Extract<FeedLine, { kind: Kind }>) => boolean,
  ): Promise<Extract<FeedLine, { kind: Kind }>>;
}

/** Plan of a server at an address. */
export function planAt(url: string | URL, more: Partial<ServerPlan> = {}): ServerPlan {
  return {
    name: 'server',
    address: String(url),
    kind: 'http',
    secrets: [],
    line: String(url),
    reach: ({ fetch, closeTimeoutMs }) => Promise.resolve(httpTransport(url, { fetch, closeTimeoutMs })),
    ...more,
  };
}

/** Serves a server over HTTP for the time of a test. */
export async function served(t: Endable, server: Server): Promise<string> {
  const listening = await listen(server, { port: 0, drainTimeoutMs: 0 });
  t.after(() => listening.close());
  return listening.url;
}

/** Starts a process and hears its feed. */
export async function inspecting(
  t: Endable,
  plans: readonly ServerPlan[],
  more: Partial<InspectOptions> = {},
): Promise<InspectedScene> {
  const running = await startInspect({
    plans,
    page: builtPage,
    port: 0,
    isReadOnly: false,
    version: '0.0.0',
    fetch: nodeFetch(),
    now: () => Date.now(),
    open: connect,
    words: (error) => (error instanceof Error ? error.message : String(error)),
    planOf: (url) => planAt(url),
    openPage: () => Promise.resolve(),
    bridge: openTrialBridge,
    ...more,
  });
  t.after(() => running.close());
  const { origin, hash } = new URL(running.url);
  const token = hash.slice(1);
  const post = (verb: string, body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${origin}/api/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const lines: FeedLine[] = [];
  const heard = new EventTarget();
  void hearFeed(await post('feed'), (line) => {
    lines.push(line);
    heard.dispatchEvent(new Event('line'));
  });
  return {
    ...running,
    token,
    origin,
    lines,
    post,
    async json<Result>(verb: string, body: object = {}) {
      const response = await post(verb, body);
      const value: unknown = await response.json();
      if (!response.ok) throw new Error(`${verb}: ${response.status} ${JSON.stringify(value)}`);
      // Each verb answers what its caller expects.
      return value as Result;
    },
    async line<Kind extends FeedLine['kind']>(kind: Kind, is?: (line: Extract<FeedLine, { kind: Kind }>) => boolean) {
      // A wait without an end says nothing of what was waited for.
      const signal = AbortSignal.timeout(stuckAfterMs);
      for (;;) {
        const found = lines.findLast(
          (line): line is Extract<FeedLine, { kind: Kind }> =>
            // A line of the kind has its shape.
            line.kind === kind && (is === undefined || is(line as Extract<FeedLine, { kind: Kind }>)),
        );
        if (found !== undefined) return found;
        await once(heard, 'line', { signal });
      }
    },
  };
}

async function hearFeed(response: Response, hear: (line: FeedLine) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body ?? []) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) hear(JSON.parse(part) as FeedLine);
    }
  } catch {
    // The process ended.
  }
}

/** Answer of a raw request, whose headers are just those that are given. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with any `Host`, which `fetch` does not allow. */
export function rawRequest(
  origin: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: { readonly method?: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin);
    const sending = request({ hostname, port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Waits until the first server is connected and can be used. */
export async function connected(scene: InspectedScene): Promise<void> {
  await scene.line('server', ({ server }) => server.state === 'connected' && server.version > 0);
}

/** Calls something of the first server, and waits for its end. */
export async function outcomeOf(scene: InspectedScene, body: object): Promise<OutcomeView> {
  const { call } = await scene.json<{ readonly call: number }>('call', {
    server: 'A',
    kind: 'tool',
    text: '{}',
    ...body,
  });
  await scene.line('call', (line) => line.call.id === call && line.call.state !== 'running');
  const { outcome } = await scene.json<{ readonly outcome: OutcomeView }>('outcome', { call });
  return outcome;
}

/** Rows of the wire so far, as they are now, or as they were at a version of the feed. */
export function rowsOf(scene: InspectedScene, version: number = Number.POSITIVE_INFINITY): readonly RowView[] {
  const rows = scene.lines.flatMap((line) => (line.kind === 'rows' && line.version <= version ? line.rows : []));
  return [...new Map(rows.map((row) => [row.n, row])).values()];
}
