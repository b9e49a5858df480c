/** Clients that talk to a service: ours in each revision, and published ones. */

import { connect } from '../../../packages/parley/src/client.ts';
import { revisions } from '../../../packages/parley/src/protocol/revision.ts';

/** A client that is connected. */
export interface Caller {
  /** Calls a tool, answers what it asks with its own name, and gives the text of its result; what fails rejects. */
  call(tool: string, text: string): Promise<string>;
  /** Numbers of the progress that came with the last call, where they are told. */
  steps(): readonly number[] | undefined;
  close(): Promise<void>;
}

/** A kind of client. */
export interface CallerKind {
  readonly name: string;
  open(url: string, own: string): Promise<Caller>;
}

interface OfficialClient {
  connect(transport: object): Promise<void>;
  callTool(
    request: object,
  ): Promise<{ readonly isError?: boolean; readonly content: readonly { readonly text?: string }[] }>;
  setRequestHandler(what: unknown, handler: () => Promise<object>): void;
  close(): Promise<void>;
}
type ClientClass = new (info: object, options: object) => OfficialClient;
type TransportClass = new (url: URL) => object;

const ours: readonly CallerKind[] = revisions.map(({ date }) => ({
  name: `parley ${date}`,
  async open(url, own) {
    let steps: number[] = [];
    const client = await connect(url, {
      revisions: [date],
      onElicit: () => ({ action: 'accept', content: { text: own } }),
      roots: [{ uri: 'file:///own', name: own }],
    });
    return {
      async call(tool, text) {
        steps = [];
        const result = await client.callTool(
          tool,
          { text },
          { onProgress: ({ progress }) => void steps.push(progress) },
        );
        return textOf(result);
      },
      steps: () => steps,
      close: () => client.close(),
    };
  },
}));

/** The official client 1, of several times; all of them have sessions. */
const first: readonly CallerKind[] = ['1.12.0', '1.20.0', '1.32.2'].map((version) => ({
  name: `sdk ${version}`,
  async open(url, own) {
    // What is used of it has been the same since.
    const load = (file: string): Promise<Record<string, unknown>> => import(`sdk-${version}/${file}`);
    const [{ Client }, { StreamableHTTPClientTransport }, types] = await Promise.all([
      load('client/index.js'),
      load('client/streamableHttp.js'),
      load('types.js'),
    ]);
    const client = new (Client as ClientClass)(
      { name: 'c', version },
      { capabilities: { elicitation: {}, roots: {} } },
    );
    if ('ElicitRequestSchema' in types)
      client.setRequestHandler(types['ElicitRequestSchema'], async () => accepted(own));
    client.setRequestHandler(types['ListRootsRequestSchema'], async () => rooted(own));
    return await official(client, StreamableHTTPClientTransport as TransportClass, url);
  },
}));

/** The official client 2, in a session and in rounds. */
const second: readonly CallerKind[] = ['legacy', 'newest'].map((mode) => ({
  name: `client 2.4.0, ${mode}`,
  async open(url, own) {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const options = {
      capabilities: { elicitation: { form: {} }, roots: {} },
      versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: revisions.at(-1)?.date } },
    };
    // Their types say more than is needed here; the methods are the same.
    const client = new (Client as unknown as ClientClass)({ name: 'c', version: '2' }, options);
    client.setRequestHandler('elicitation/create', async () => accepted(own));
    client.setRequestHandler('roots/list', async () => rooted(own));
    return await official(client, StreamableHTTPClientTransport as unknown as TransportClass, url);
  },
}));

export const callerKinds: readonly CallerKind[] = [...ours, ...first, ...second];

async function official(client: OfficialClient, Transport: TransportClass, url: string): Promise<Caller> {
  await client.connect(new Transport(new URL(url)));
  return {
    call: async (name, text) => textOf(await client.callTool({ name, arguments: { text } })),
    steps: () => undefined,
    close: () => client.close(),
  };
}

function accepted(own: string): object {
  return { action: 'accept', content: { text: own } };
}

function rooted(own: string): object {
  return { roots: [{ uri: 'file:///own', name: own }] };
}

function textOf({
  isError,
  content,
}: {
  readonly isError?: boolean | undefined;
  readonly content: readonly object[];
}): string {
  const [block] = content;
  const text = block !== undefined && 'text' in block ? String(block.text) : '';
  if (isError === true) throw new Error(text);
  return text;
}
