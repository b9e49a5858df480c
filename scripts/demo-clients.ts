/** The official clients, from the first to the newest, behind one interface. */

import { newestRevision } from '../src/protocol.ts';

/** What the demo does with a client; every official client has these methods. */
export interface OfficialClient {
  connect(transport: WireTransport): Promise<void>;
  listTools(params?: Paging): Promise<Listed>;
  listResources(params?: Paging): Promise<Listed>;
  listResourceTemplates(params?: Paging): Promise<Listed>;
  listPrompts(params?: Paging): Promise<Listed>;
  callTool(params: object, ...rest: readonly unknown[]): Promise<ToolResult>;
  readResource(params: { readonly uri: string }): Promise<{ readonly contents: readonly Block[] }>;
  getPrompt(params: object): Promise<{ readonly messages: readonly { readonly content: Block }[] }>;
  complete(params: object): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
  close(): Promise<void>;
}

/** Where a list goes on. */
export interface Paging {
  readonly cursor: string;
}

/** One page of any list. */
export interface Listed {
  readonly nextCursor?: string;
  readonly [items: string]: unknown;
}

/** A block of content, or the contents of a resource. */
export interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly [field: string]: unknown;
}

/** The result of a tool. */
export interface ToolResult {
  readonly content: readonly Block[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** The part of an official transport that is listened in on. */
export interface WireTransport {
  send(message: unknown, ...rest: readonly unknown[]): Promise<void>;
  onmessage?: ((message: unknown, ...rest: readonly unknown[]) => void) | undefined;
}

/** The ways to a server: a URL, and the command that starts it. */
export interface Door {
  readonly url: string;
  readonly command: readonly [string, ...(readonly string[])];
}

/** One official client. */
export interface Official {
  readonly name: string;
  readonly way: 'stdio' | 'http';
  /** The revision that it must end up with. */
  readonly revision: string;
  /**
   * Whether it hears all progress. Over stdio the first SDK forgets a request before it hands on the progress that
   * came in the same chunk as the result, so that the last reports may be lost.
   */
  readonly hearsAllProgress: boolean;
  /** A client that is not connected yet, and what connects it. */
  create(door: Door): Promise<{ readonly client: OfficialClient; readonly transport: WireTransport }>;
  /** Calls a tool, hearing of progress. */
  call(client: OfficialClient, params: object, onprogress: () => void): Promise<ToolResult>;
}

type Module = Readonly<Record<string, unknown>>;
type ClientClass = new (info: object, options: object) => OfficialClient;
type TransportClass = new (target: unknown) => WireTransport;

const info = { name: 'demo', version: '1.0.0' };
const limits = { timeout: 20_000 };

/** Every client of the demo, oldest first. */
export async function officialClients(): Promise<readonly Official[]> {
  const versions = ['1.0.4', '1.7.0', '1.12.0', '1.20.0', '1.32.2'];
  return [...(await Promise.all(versions.map(first))), second()];
}

/** A client of the first SDK; Streamable HTTP came to it in 1.10. */
async function first(version: string): Promise<Official> {
  const load = (file: string): Promise<Module> => import(`sdk-${version}/${file}`);
  const [types, index, stdio] = await Promise.all([load('types.js'), load('client/index.js'), load('client/stdio.js')]);
  const http = Number(version.split('.')[1]) >= 10 ? await load('client/streamableHttp.js') : undefined;
  // The SDK exports these names from these files.
  const Client = index['Client'] as ClientClass;
  const Stdio = stdio['StdioClientTransport'] as TransportClass;
  const Http = http?.['StreamableHTTPClientTransport'] as TransportClass | undefined;
  return {
    name: `sdk ${version}`,
    way: Http === undefined ? 'stdio' : 'http',
    hearsAllProgress: Http !== undefined,
    revision: String(types['LATEST_PROTOCOL_VERSION']),
    create: async ({ url, command: [command, ...args] }) => ({
      client: new Client(info, { capabilities: {} }),
      transport: Http === undefined ? new Stdio({ command, args, stderr: 'ignore' }) : new Http(new URL(url)),
    }),
    call: (client, params, onprogress) => client.callTool(params, undefined, { ...limits, onprogress }),
  };
}

/** The client of the second SDK, which speaks the newest revision when it is told to. */
function second(): Official {
  return {
    name: 'client 2.4.0',
    way: 'http',
    hearsAllProgress: true,
    revision: newestRevision.date,
    create: async ({ url }) => {
      const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      const client = new Client(info, { versionNegotiation: { mode: { pin: newestRevision.date } } });
      const transport = new StreamableHTTPClientTransport(new URL(url));
      // Their types say more than is needed here; the methods are the same.
      return { client: client as unknown as OfficialClient, transport: transport as unknown as WireTransport };
    },
    call: (client, params, onprogress) => client.callTool(params, { ...limits, onprogress }),
  };
}
