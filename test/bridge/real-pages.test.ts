/** The official example server sends the official client to pages, by a question and by an error, through the bridge. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { everything, front, type Fronted } from './real-servers.ts';

/** The part of the official client that is needed here. */
interface Visiting {
  setRequestHandler(method: string, answer: (request: { readonly params: Page }) => Promise<object>): void;
  connect(transport: object): Promise<void>;
  callTool(params: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Page {
  readonly url: string;
}

/** What became of a call: its result or its error, in JSON, and the pages that the client was sent to. */
interface Called {
  readonly outcome: string;
  readonly pages: readonly string[];
}

async function call(door: Fronted['door'], mode: unknown, errorPath: boolean): Promise<Called> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  // Their types say more than is needed here; the methods are the same.
  const Visitor = Client as unknown as new (info: object, options: object) => Visiting;
  const capabilities = { elicitation: { form: {}, url: {} } };
  const client = new Visitor({ name: 'visitor', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  const pages: string[] = [];
  client.setRequestHandler('elicitation/create', async ({ params: { url } }) => {
    pages.push(url);
    return { action: 'accept' };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(door.url)));
  try {
    const params = { name: 'trigger-url-elicitation', arguments: { url: 'https://page.example/', errorPath } };
    const outcome = await client.callTool(params).catch((error: unknown) => ({ ...Object(error) }));
    return { outcome: JSON.stringify(outcome), pages };
  } finally {
    await client.close();
  }
}

describe('a client that visits pages', { timeout: 60_000 }, () => {
  let fronted: Fronted;
  before(async () => {
    fronted = await front(everything, 'http');
  });
  after(() => fronted.close());

  for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
    test(`is sent to one in the middle of a call, ${mode === 'legacy' ? 'in a session' : 'in a round'}`, async () => {
      const { outcome, pages } = await call(fronted.door, mode, false);
      assert.match(outcome, /User completed the URL elicitation flow/);
      assert.deepEqual(pages, ['https://page.example/']);
    });
  }

  test('is told by an error where the revision has that error', async () => {
    const { outcome, pages } = await call(fronted.door, 'legacy', true);
    assert.match(outcome, /-32042.*"elicitations":\[\{"mode":"url"/);
    assert.deepEqual(pages, []);
  });

  test('is asked in a round where it has none, and the call is made again', async () => {
    const { outcome, pages } = await call(fronted.door, { pin: '2026-07-28' }, true);
    assert.match(outcome, /User completed the URL elicitation flow/);
    assert.deepEqual(pages, ['https://modelcontextprotocol.io/', 'https://page.example/']);
  });
});
