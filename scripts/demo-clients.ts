/** The official clients, from the first to the newest, behind one interface. */

import { newestRevision, revisions } from '../packages/parley/src/protocol.ts';

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

/** What a client answers when a server asks it, by method: the result of every request. */
export type Answers = Readonly<Record<string, object>>;

/** One official client. */
export interface Official {
  readonly name: string;
  readonly way: 'stdio' | 'http';
  /** The revision that it must end up with. */
  readonly revision: string;
  /**
   * Whether it hears all progress. Over stdio the first SDK forgets a request before it hands on the progress that
   * came in the same chunk as the result, so that the last reports may be lost, and all where the machine is busy.
   */
  readonly hearsAllProgress: boolean;
  /** The methods that a server can ask it by. */
  readonly askedBy: readonly string[];
  /** A client that is not connected yet, and what connects it; it declares what it has answers for. */
  create(
    door: Door,
    answers?: Answers,
  ): Promise<{ readonly client: OfficialClient; readonly transport: WireTransport }>;
  /** Calls a tool, hearing of progress. */
  call(client: OfficialClient, params: object, onprogress: () => void): Promise<ToolResult>;
}

type Module = Readonly<Record<string, unknown>>;
type ClientClass = new (info: object, options: object) => OfficialClient & Askable;

/** The part of a client that is asked. */
interface Askable {
  setRequestHandler(what: unknown, answer: () => Promise<object>): void;
}

/** The questions, with the name of the capability and that of the schema in the first SDK. */
const questions = [
  { method: 'elicitation/create', capability: 'elicitation', schema: 'ElicitRequestSchema' },
  { method: 'sampling/createMessage', capability: 'sampling', schema: 'CreateMessageRequestSchema' },
  { method: 'roots/list', capability: 'roots', schema: 'ListRootsRequestSchema' },
] as const;
type TransportClass = new (target: unknown) => WireTransport;

const info = { name: 'demo', version: '1.0.0' };
const newestHandshake = revisions.findLast(({ era }) => era === 'handshake')?.date ?? 'none';
const limits = { timeout: 20_000 };

/** Every client of the demo, oldest first. */
export async function officialClients(): Promise<readonly Official[]> {
  const versions = ['1.0.4', '1.7.0', '1.12.0', '1.20.0', '1.32.2'];
  return [...(await Promise.all(versions.map(first))), second('legacy'), second('modern')];
}

function capabilitiesFor(answers: Answers): object {
  return Object.fromEntries(
    questions.filter(({ method }) => method in answers).map(({ capability }) => [capability, {}]),
  );
}

/** A client of the first SDK; Streamable HTTP came to it in 1.10. */
async function first(version: string): Promise<Official> {
  const load = (file: string): Promise<Module> => import(`sdk-${version}/${file}`);
  const [types, index, stdio] = await Promise.all([load('types.js'), load('client/index.js'), load('client/stdio.js')]);
  const http = Number(version.split('.')[1]) >= 10 ? await load('client/streamableHttp.js') : undefined;
  const asked = questions.filter(({ schema }) => types[schema] !== undefined);
  // The SDK exports these names from these files.
  const Client = index['Client'] as ClientClass;
  const Stdio = stdio['StdioClientTransport'] as TransportClass;
  const Http = http?.['StreamableHTTPClientTransport'] as TransportClass | undefined;
  return {
    name: `sdk ${version}`,
    way: Http === undefined ? 'stdio' : 'http',
    hearsAllProgress: Http !== undefined,
    revision: String(types['LATEST_PROTOCOL_VERSION']),
    askedBy: asked.map(({ method }) => method),
    create: async ({ url, command: [command, ...args] }, answers = {}) => {
      const client = new Client(info, { capabilities: capabilitiesFor(answers) });
      for (const { method, schema } of asked) {
        const answer = answers[method];
        if (answer !== undefined) client.setRequestHandler(types[schema], async () => answer);
      }
      const transport = Http === undefined ? new Stdio({ command, args, stderr: 'ignore' }) : new Http(new URL(url));
      return { client, transport };
    },
    call: (client, params, onprogress) => client.callTool(params, undefined, { ...limits, onprogress }),
  };
}

/** The client of the second SDK, which speaks the newest revision when it is told to. */
function second(era: 'legacy' | 'modern'): Official {
  const mode = era === 'legacy' ? era : { pin: newestRevision.date };
  return {
    name: `client 2.4.0 ${era}`,
    way: 'http',
    hearsAllProgress: true,
    revision: era === 'legacy' ? newestHandshake : newestRevision.date,
    askedBy: questions.map(({ method }) => method),
    create: async ({ url }, answers = {}) => {
      const { Client: Second, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      // Their types say more than is needed here; the methods are the same.
      const Client = Second as unknown as ClientClass;
      const client = new Client(info, { capabilities: capabilitiesFor(answers), versionNegotiation: { mode } });
      for (const [method, answer] of Object.entries(answers)) client.setRequestHandler(method, async () => answer);
      const transport = new StreamableHTTPClientTransport(new URL(url));
      return { client, transport: transport as unknown as WireTransport };
    },
    call: (client, params, onprogress) => client.callTool(params, { ...limits, onprogress }),
  };
}
