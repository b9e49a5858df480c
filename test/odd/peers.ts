/** The official TypeScript clients and ours, as one kind of user of a server: what each of them makes of odd answers is compared. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { connect } from '../../packages/parley/src/client.ts';
import { httpTransport } from '../../packages/parley/src/transports/http/client/transport.ts';
import type { Transport } from '../../packages/parley/src/jsonrpc/transport.ts';
import { spawn } from '../../packages/parley/src/stdio.ts';
import { streamTransport } from '../../packages/parley/src/transports/stdio/stream-transport.ts';

/** Clients that are compared, in the order of the columns. */
export const peers = ['1.32.2', '2.4.0', 'parley'] as const;
export type Peer = (typeof peers)[number];

/**
 * Server that is used: what answers requests over HTTP, what is written at each line over stdio, or a program of this folder
 * with the name of what it does.
 */
export type Place =
  | { readonly fetch: Fetch }
  | { readonly lines: Lines }
  | { readonly program: string; readonly does: string };

/** What a server on stdio writes at a line: nothing for `undefined`, and it ends for `end`. */
export type Lines = (line: string) => string | undefined;

/** A server over HTTP without a network. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A request for a completion. */
const completing = { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'x', value: 'y' } } as const;

let places = 0;

/** A URL that nobody used before: what was found out about a server is remembered by its address. */
export function freshUrl(): URL {
  places++;
  return new URL(`http://127.0.0.1/${places}/mcp`);
}

/** A client that is connected. */
export interface User {
  readonly warnings: readonly string[];
  listTools(): Promise<readonly { readonly name: string }[]>;
  callTool(name: string, args?: object): Promise<Readonly<Record<string, unknown>>>;
  listPrompts(): Promise<readonly { readonly name: string }[]>;
  getPrompt(name: string): Promise<Readonly<Record<string, unknown>>>;
  listResources(): Promise<readonly { readonly uri: string }[]>;
  listResourceTemplates(): Promise<readonly { readonly uriTemplate: string }[]>;
  readResource(uri: string): Promise<Readonly<Record<string, unknown>>>;
  complete(): Promise<unknown>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** The part of the official clients that is used; their modules are loaded by name. */
interface Official {
  connect(transport: object, options?: object): Promise<void>;
  listTools(params?: object): Promise<{ tools: { name: string }[]; nextCursor?: string }>;
  callTool(params: object): Promise<Record<string, unknown>>;
  listPrompts(params?: object): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: object): Promise<Record<string, unknown>>;
  listResources(params?: object): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(params?: object): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(params: object): Promise<Record<string, unknown>>;
  complete(params: object): Promise<Record<string, unknown>>;
  ping(): Promise<unknown>;
  close(): Promise<void>;
}
type OfficialClass = new (info: object, options: object) => Official;
type Made = new (...given: readonly unknown[]) => object;

const require = createRequire(import.meta.url);
const info = { name: 'user', version: '1' };

/** A server that says nothing to the probe is given up after this time by the official client, in milliseconds. */
const timeout = 1_000;

/** Connects a client to a server. */
export async function userOf(peer: Peer, place: Place): Promise<User> {
  if (peer === 'parley') return await ours(place);
  const client = await officialClient(peer);
  await client.connect(await transportOf(peer, place));
  return {
    warnings: [],
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: (name) => client.getPrompt({ name }),
    listResources: async () => (await client.listResources()).resources,
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    readResource: (uri) => client.readResource({ uri }),
    complete: () => client.complete(completing),
    ping: () => client.ping(),
    close: () => client.close(),
  };
}

async function ours(place: Place): Promise<User> {
  const warnings: string[] = [];
  const target =
    'fetch' in place
      ? httpTransport(freshUrl(), { fetch: place.fetch })
      : 'lines' in place
        ? lineTransport(place.lines)
        : spawn(process.execPath, argumentsOf(place), { stderr: 'ignore' });
  const client = await connect(target, {
    onWarning: (message) => void warnings.push(message),
  });
  return {
    warnings,
    listTools: () => client.listTools(),
    callTool: async (name, args = {}) => ({ ...(await client.callTool(name, { ...args })) }),
    listPrompts: () => client.listPrompts(),
    getPrompt: async (name) => ({ ...(await client.getPrompt(name)) }),
    listResources: () => client.listResources(),
    listResourceTemplates: () => client.listResourceTemplates(),
    readResource: async (uri) => ({ ...(await client.readResource(uri)) }),
    complete: () => client.complete(completing.ref, completing.argument),
    ping: () => client.ping(),
    close: () => client.close(),
  };
}

async function officialClient(version: Exclude<Peer, 'parley'>): Promise<Official> {
  if (version === '1.32.2') {
    const { Client } = require('sdk-1.32.2/client/index.js') as { Client: OfficialClass };
    return new Client(info, {});
  }
  const { Client } = await import('@modelcontextprotocol/client');
  return new (Client as unknown as OfficialClass)(info, {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: timeout } },
  });
}

async function transportOf(version: Exclude<Peer, 'parley'>, place: Place): Promise<object> {
  const [http, stdio] =
    version === '1.32.2'
      ? [
          require('sdk-1.32.2/client/streamableHttp.js').StreamableHTTPClientTransport as Made,
          require('sdk-1.32.2/client/stdio.js').StdioClientTransport as Made,
        ]
      : [
          (await import('@modelcontextprotocol/client')).StreamableHTTPClientTransport as unknown as Made,
          (await import('@modelcontextprotocol/client/stdio')).StdioClientTransport as unknown as Made,
        ];
  if ('fetch' in place) return new http(freshUrl(), { fetch: place.fetch });
  if ('lines' in place) {
    const { ReadBuffer } = (
      version === '1.32.2' ? require('sdk-1.32.2/shared/stdio.js') : await import('@modelcontextprotocol/client')
    ) as { readonly ReadBuffer: new () => ReadLines };
    return new OfficialLines(new ReadBuffer(), place.lines);
  }
  return new stdio({ command: process.execPath, args: argumentsOf(place), stderr: 'ignore' });
}

function argumentsOf({ program, does }: Extract<Place, { readonly program: string }>): string[] {
  return [join(import.meta.dirname, program), does];
}

/** The reader of lines of an official client. */
interface ReadLines {
  append(chunk: Buffer): void;
  readMessage(): object | null;
}

/** The transport of an official client over stdio, but for the process: the reader is its own. */
class OfficialLines {
  onmessage?: (message: object) => void;
  onerror?: (error: unknown) => void;
  onclose?: () => void;
  readonly #reader: ReadLines;
  readonly #lines: Lines;

  constructor(reader: ReadLines, lines: Lines) {
    this.#reader = reader;
    this.#lines = lines;
  }

  async start(): Promise<void> {}

  async send(message: object): Promise<void> {
    const written = this.#lines(JSON.stringify(message));
    if (written !== undefined) setImmediate(() => this.#read(written));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  #read(written: string): void {
    if (written === 'end') return this.onclose?.();
    this.#reader.append(Buffer.from(written));
    for (;;)
      try {
        const message = this.#reader.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error);
      }
  }
}

/** Our transport over stdio, but for the process. */
export function lineTransport(lines: Lines): Transport {
  return {
    description: 'lines',
    ownsProcess: true,
    open: (receiver) => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      createInterface({ input: output }).on('line', (line) => {
        const written = lines(line);
        if (written === 'end') input.end();
        else if (written !== undefined) input.write(written);
      });
      return streamTransport({ input, output }).open(receiver);
    },
  };
}

/** What each client makes of a server: the words of `use`, or `fails`. */
export async function outcomes(
  place: Place,
  use: (user: User) => Promise<string>,
): Promise<Readonly<Record<Peer, string>> & { readonly warnings: readonly string[]; readonly error: unknown }> {
  const made: Record<string, string> = {};
  let warnings: readonly string[] = [];
  let failure: unknown;
  for (const peer of peers) {
    let user: User | undefined;
    try {
      user = await userOf(peer, place);
      made[peer] = await use(user);
    } catch (error) {
      made[peer] = 'fails';
      if (peer === 'parley') failure = error;
    }
    if (peer === 'parley') warnings = user?.warnings ?? [];
    await user?.close().catch(() => undefined);
  }
  return { ...(made as Record<Peer, string>), warnings, error: failure };
}
