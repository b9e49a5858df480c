/** Servers that others wrote, and what each of them can be asked for. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../../scripts/conformance-plan.ts';
import { serve } from '../../scripts/conformance-process.ts';
import type { Door } from '../../scripts/demo-clients.ts';
import { createBridge, type Bridge } from '../../packages/parley/src/bridge.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { listen } from '../../packages/parley/src/node.ts';
import { revisionOf, type Revision, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { parley } from '../support/cli-process.ts';
import { spawnNode } from '../support/programs.ts';

/** A call, and what its answer says. */
export interface Asked {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string | number>>;
  readonly says: RegExp;
}

/** A call in whose middle the client is asked. */
export interface Asking extends Asked {
  /** What is heard where the client cannot be asked. */
  readonly refusal: RegExp;
  /** The first revision whose clients can be asked this, and what a call for an older one says. */
  readonly since?: { readonly revision: RevisionDate; readonly before: RegExp };
}

/** One server; what it does not have it does not name. */
export interface RealServer {
  readonly name: string;
  /** What it speaks at best, or what it is held to. */
  readonly revision: RevisionDate;
  /** Whether the bridge is told to speak that alone, to a server that would speak more. */
  readonly held?: true;
  readonly plain: Asked;
  /** A call that reports its progress three times. */
  readonly progress: Asked;
  readonly resource?: { readonly uri: string; readonly says: RegExp };
  readonly prompt?: Asked;
  /** Calls in whose middle the client is asked, by the method that asks. */
  readonly questions: Readonly<Partial<Record<Question, Asking>>>;
  /** A call that asks by both of the first two, one after the other. */
  readonly rounds?: Asked;
  /** How it is started, in each way that it has. */
  readonly ways: Readonly<Partial<Record<'http' | 'stdio', readonly [script: string, ...argv: readonly string[]]>>>;
}

/** The methods by which a server asks. */
export type Question = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** What clients speak whose bridge stands before a server on stdio: one of each kind, since each starts a process. */
export const clientsOverStdio: ReadonlySet<string> = new Set(['2024-11-05', '2025-06-18', '2026-07-28']);

/** A server that runs. */
export interface Running {
  /** What a bridge connects to. */
  readonly upstream: Transport | string;
  /** The same for a command line. */
  readonly words: readonly string[];
  close(): Promise<void>;
}

const script = (name: string): string => join(root, 'test/bridge/servers', `${name}.ts`);

const common = {
  plain: { name: 'greet', arguments: { name: 'Ann' }, says: /Hello, Ann!/ },
  progress: { name: 'count', says: /counted/ },
  resource: { uri: 'memo://one', says: /remember the milk/ },
  prompt: { name: 'welcome', arguments: { name: 'Ann' }, says: /Please welcome Ann\./ },
  rounds: { name: 'rounds', says: /Ann: .*well met/ },
} as const;

const book = { name: 'book', says: /a table for Ann/, refusal: /elicit/i };
const think = { name: 'think', says: /the model said .*well met/, refusal: /sampling/i };
const look = { name: 'look', says: /roots: file:\/\/\/home\/ann/, refusal: /roots/i };

/** The second official SDK, at the newest revision alone. */
export const official: RealServer = {
  ...common,
  name: 'the official server 2.4.0',
  revision: '2026-07-28',
  questions: { 'elicitation/create': book, 'sampling/createMessage': think, 'roots/list': look },
  ways: { http: [script('official'), 'http'], stdio: [script('official'), 'stdio'] },
};

/** Of the handshake era. */
export const fastmcp: RealServer = {
  ...common,
  name: 'fastmcp 4.20.16',
  revision: '2025-11-25',
  questions: { 'elicitation/create': book, 'sampling/createMessage': think, 'roots/list': look },
  ways: { http: [script('fastmcp'), 'http'], stdio: [script('fastmcp'), 'stdio'] },
};

/** Of both eras. */
export const tmcp: RealServer = {
  ...common,
  name: 'tmcp 1.20.0',
  revision: '2026-07-28',
  questions: { 'elicitation/create': book, 'sampling/createMessage': think },
  ways: { http: [script('tmcp'), 'http'], stdio: [script('tmcp'), 'stdio'] },
};

/** The same, held to the handshake era. */
export const tmcpInSessions: RealServer = {
  ...tmcp,
  name: 'tmcp 1.20.0 in sessions',
  revision: '2025-06-18',
  held: true,
};

const lite: RealServer = {
  ...common,
  name: 'mcp-lite 0.10.0',
  // Asked for a revision that it does not know it takes its oldest, which has no elicitation.
  revision: '2025-06-18',
  held: true,
  questions: { 'elicitation/create': book, 'sampling/createMessage': think },
  ways: { http: [script('mcp-lite'), 'http'] },
};

const example = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** It offers its asking tools to clients alone that can be asked. */
const absent = /not found/;

/** The official example server. */
export const everything: RealServer = {
  name: 'server-everything',
  revision: '2025-11-25',
  plain: { name: 'get-sum', arguments: { a: 2, b: 3 }, says: /5/ },
  progress: { name: 'trigger-long-running-operation', arguments: { duration: 0.3, steps: 3 }, says: /completed/ },
  resource: { uri: 'demo://resource/static/document/features.md', says: /features/i },
  prompt: { name: 'args-prompt', arguments: { city: 'Oslo' }, says: /Oslo/ },
  questions: {
    'elicitation/create': {
      name: 'trigger-elicitation-request',
      says: /Name: Ann/,
      refusal: absent,
      since: { revision: '2025-11-25', before: /a choice of several cannot be expressed in 2025-06-18/ },
    },
    'sampling/createMessage': {
      name: 'trigger-sampling-request',
      arguments: { prompt: 'hi' },
      says: /well met/,
      refusal: absent,
    },
    'roots/list': { name: 'get-roots-list', says: /file:\/\/\/home\/ann/, refusal: absent },
  },
  ways: { http: [script('everything'), 'http'], stdio: [example, 'stdio'] },
};

/** The era of what a server speaks. */
export function eraOf({ revision }: RealServer): Revision['era'] {
  return revisionOf(revision)?.era ?? 'handshake';
}

/** Every server. */
export const realServers: readonly RealServer[] = [official, fastmcp, tmcp, tmcpInSessions, lite, everything];

/** Starts a server; over stdio that is done by whoever connects. */
export async function run({ ways, name }: Pick<RealServer, 'ways' | 'name'>, way: 'http' | 'stdio'): Promise<Running> {
  const command = ways[way];
  if (command === undefined) throw new TypeError(`${name} has no ${way}`);
  const [file, ...argv] = command;
  if (way === 'http') {
    const { url, stop } = await serve(file, argv);
    return { upstream: url, words: [url], close: stop };
  }
  return {
    upstream: spawnNode([file, ...argv], { stderr: 'ignore' }),
    words: ['--', process.execPath, file, ...argv],
    close: async () => undefined,
  };
}

/** A bridge in front of a server that runs. */
export interface Fronted {
  readonly door: Door;
  readonly bridge: Bridge;
  close(): Promise<void>;
}

/** Starts a server and a bridge before it; over stdio each client starts a bridge of its own, by the command line. */
export async function front(server: RealServer, way: 'http' | 'stdio'): Promise<Fronted> {
  const { upstream, words, close } = await run(server, way);
  const { revision, held } = server;
  const bridge = await createBridge({
    upstream,
    ...(held === undefined ? {} : { upstreamRevisions: [revision] }),
    onWarning: () => undefined,
    onError: () => undefined,
  });
  const http = await listen(bridge, { port: 0, drainTimeoutMs: 0 });
  const flags = held === undefined ? [] : ['--upstream-revision', revision];
  return {
    bridge,
    door: { url: http.url, command: [process.execPath, parley, 'bridge', '--stdio', ...flags, ...words] },
    close: async () => {
      await http.close();
      await bridge.close();
      await close();
    },
  };
}
