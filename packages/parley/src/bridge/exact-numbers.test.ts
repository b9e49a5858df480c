/** Numbers pass a bridge in the spelling in which they came, over every transport and in both directions. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { bridgeBefore, bridgeTo, serverAt, shakesHands, type Pair } from '../../../../test/support/bridged.ts';
import { initializeParams, withMeta, type Json } from '../../../../test/support/raw.ts';
import {
  textClient,
  textServer,
  textWays,
  type TextClient,
  type TextWay,
} from '../../../../test/support/text-peers.ts';

const odd = '{"a":1.0,"b":1e2,"c":-0,"d":12345678901234567890,"e":0.1000,"f":[1E+2,{"g":10.50,"id":3.0}],"h":1e400}';

const some: readonly Pair[] = [
  { down: '2025-11-25', up: '2025-11-25' },
  { down: '2026-07-28', up: '2026-07-28' },
  { down: '2025-06-18', up: '2026-07-28' },
  { down: '2026-07-28', up: '2025-11-25' },
];

/** What a server answers to a text, by method, as the text of a result; more texts go ahead of it. */
type Answers = Readonly<Record<string, string | ((request: Json, text: string) => readonly string[])>>;

/** A client and a server with a bridge between them. */
interface Bridged {
  readonly client: TextClient;
  /** The texts that the server got. */
  readonly got: readonly string[];
  ask(method: string, params: string): Promise<string>;
}

interface Ways {
  readonly near: TextWay;
  readonly far: TextWay;
  /** What the client declares. */
  readonly capabilities?: Json;
}

async function bridged(
  t: TestContext,
  { down, up }: Pair,
  { near, far, answers, capabilities }: Ways & { answers: Answers },
): Promise<Bridged> {
  const got: string[] = [];
  const transport = await textServer(t, far, (text) => {
    got.push(text);
    return answered(text, up, answers);
  });
  const client = await textClient(t, near, await bridgeTo(t, transport));
  const headers = { 'mcp-protocol-version': down };
  if (shakesHands(down)) {
    const params = JSON.stringify(initializeParams(down, capabilities));
    await client.send(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":${params}}`);
    await client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}', headers);
  }
  return {
    client,
    got,
    ask: (method, params) => {
      const stateless = shakesHands(down)
        ? ''
        : JSON.stringify(withMeta({}, { ...(capabilities && { capabilities }) })['_meta']).slice(1, -1);
      const whole = params
        .replace('"_meta":{', `"_meta":{${stateless}${stateless === '' ? '' : ','}`)
        .replace(',}', '}');
      const name = /"name":"(\w+)"/.exec(params)?.[1];
      return client.send(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${whole}}`, {
        ...headers,
        ...(stateless === '' ? {} : { 'mcp-method': method, ...(name === undefined ? {} : { 'mcp-name': name }) }),
      });
    },
  };
}

function answered(text: string, up: Pair['up'], answers: Answers): readonly string[] {
  const request = JSON.parse(text) as Json;
  const method = typeof request['method'] === 'string' ? request['method'] : 'response';
  if (request['id'] === undefined) return [];
  const info = '"serverInfo":{"name":"text","version":"1"}';
  const capabilities = '"capabilities":{"tools":{},"prompts":{},"resources":{}}';
  const opening: Answers = {
    initialize: `{"protocolVersion":"${up}",${info},${capabilities}}`,
    'server/discover': `{"supportedVersions":["${up}"],${capabilities},"ttlMs":0,"cacheScope":"private"}`,
    'tools/list': '{"tools":[]}',
  };
  const known = shakesHands(up) ? method !== 'server/discover' : method !== 'initialize';
  const answer = known ? (answers[method] ?? opening[method]) : undefined;
  const respond = (body: string): string => `{"jsonrpc":"2.0","id":${JSON.stringify(request['id'])},${body}}`;
  if (answer === undefined) return [respond('"error":{"code":-32601,"message":"no such method"}')];
  if (typeof answer === 'function') return answer(request, text);
  const resultType = shakesHands(up) ? '' : '"resultType":"complete","ttlMs":0,"cacheScope":"private",';
  return [respond(`"result":{${resultType}${answer.slice(1)}`)];
}

function includes(text: string | undefined, ...parts: readonly string[]): void {
  for (const part of parts) assert.ok(text?.includes(part), `${part} is not in ${text}`);
}

const lastOf = (got: readonly string[], method: string): string | undefined =>
  got.findLast((text) => text.includes(`"method":"${method}"`));

for (const pair of some) {
  describe(`between a client at ${pair.down} and a server at ${pair.up}`, () => {
    for (const near of textWays) {
      for (const far of textWays) {
        const ways = { near, far };
        it(`numbers of a call keep their spelling from ${near} to ${far}`, async (t) => {
          const result = `{"content":[{"type":"text","text":"1.0","annotations":{"priority":1.0},"_meta":{"n":1.50}}],"structuredContent":${odd},"more":-0,"_meta":{"x.example/n":1e2}}`;
          const { got, ask } = await bridged(t, pair, { ...ways, answers: { 'tools/call': result } });
          const told = await ask(
            'tools/call',
            `{"name":"any","arguments":${odd},"more":-0,"_meta":{"x.example/n":1.50}}`,
          );
          includes(lastOf(got, 'tools/call'), `"arguments":${odd}`, '"more":-0', '"x.example/n":1.50');
          includes(
            told,
            '"priority":1.0}',
            '{"n":1.50}',
            `"structuredContent":${odd}`,
            '"more":-0',
            '"x.example/n":1e2',
          );
        });
      }
    }

    it('numbers of unknown methods and of errors keep their spelling', async (t) => {
      const failing = (request: Json): readonly string[] => [
        `{"jsonrpc":"2.0","id":${String(request['id'])},"error":{"code":-32602,"message":"no","data":${odd}}}`,
      ];
      const answers: Answers = { 'x.example/any': `{"out":${odd}}`, 'prompts/get': failing };
      const { got, ask } = await bridged(t, pair, { near: 'stdio', far: 'stdio', answers });
      includes(await ask('x.example/any', `{"in":${odd},"id":1.0,"_meta":{}}`), `"out":${odd}`);
      includes(lastOf(got, 'x.example/any'), `"in":${odd}`, '"id":1.0');
      includes(await ask('prompts/get', '{"name":"any","_meta":{}}'), `"data":${odd}`);
    });

    it('numbers of progress keep their spelling, and rise as numbers', async (t) => {
      const reporting = (request: Json): readonly string[] => {
        const { progressToken } = Object(Object(request['params'])['_meta']);
        const report = (progress: string): string =>
          `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${progressToken},"progress":${progress},"total":10.0,"more":1e2}}`;
        const resultType = shakesHands(pair.up) ? '' : '"resultType":"complete",';
        const response = `{"jsonrpc":"2.0","id":${String(request['id'])},"result":{${resultType}"content":[]}}`;
        return [report('1.0'), report('1.00'), report('9.0'), report('1e1'), response];
      };
      const { client, ask } = await bridged(t, pair, {
        near: 'http',
        far: 'stdio',
        answers: { 'tools/call': reporting },
      });
      await ask('tools/call', '{"name":"any","_meta":{"progressToken":7.0}}');
      const reports = client.heard.filter((text) => text.includes('notifications/progress'));
      assert.deepEqual(
        reports.map((text) => /"progress":([^,}]+)/.exec(text)?.[1]),
        ['1.0', '9.0', '1e1'],
      );
      for (const text of reports) includes(text, '"progressToken":7', '"total":10.0', '"more":1e2');
    });

    it('numbers of schemas keep their spelling', async (t) => {
      const schema = '{"type":"object","properties":{"n":{"type":"number","minimum":-0,"default":1.0}}}';
      const tool = `{"name":"any","inputSchema":${schema},"_meta":{"n":1e2}}`;
      const { ask } = await bridged(t, pair, {
        near: 'http',
        far: 'http',
        answers: { 'tools/list': `{"tools":[${tool}]}` },
      });
      // Once fetched, and once perhaps kept.
      for (let round = 0; round < 2; round++) {
        includes(await ask('tools/list', '{"_meta":{}}'), schema.slice(0, -1), '{"n":1e2}');
      }
    });
  });
}

it('structured content that becomes text keeps its numbers, and is not said twice', async (t) => {
  const pair: Pair = { down: '2024-11-05', up: '2025-11-25' };
  const spaced = odd.replaceAll(',', ', ');
  const said = `{"content":[{"type":"text","text":${JSON.stringify(spaced)}}],"structuredContent":${odd}}`;
  const silent = `{"content":[],"structuredContent":${odd}}`;
  const ways = { near: 'stdio', far: 'stdio' } as const;
  for (const [result, text] of [
    [said, spaced],
    [silent, odd],
  ] as const) {
    const { ask } = await bridged(t, pair, { ...ways, answers: { 'tools/call': result } });
    const told = JSON.parse(await ask('tools/call', '{"name":"any","_meta":{}}')) as { readonly result: unknown };
    assert.deepEqual(told.result, { content: [{ type: 'text', text }] });
  }
});

it('an argument that travels in a header too is the same number there', async (t) => {
  const pair: Pair = { down: '2026-07-28', up: '2026-07-28' };
  const tool =
    '{"name":"any","inputSchema":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}';
  const answers: Answers = { 'tools/list': `{"tools":[${tool}]}`, 'tools/call': '{"content":[]}' };
  const { client, got } = await bridged(t, pair, { near: 'http', far: 'http', answers });
  const meta = JSON.stringify(withMeta()['_meta']);
  const call = (n: string, header: string): Promise<string> =>
    client.send(
      `{"jsonrpc":"2.0","id":${JSON.stringify(`${n} ${header}`)},"method":"tools/call","params":{"name":"any","arguments":{"n":${n}},"_meta":${meta}}}`,
      { 'mcp-protocol-version': pair.down, 'mcp-method': 'tools/call', 'mcp-name': 'any', 'mcp-param-n': header },
    );
  includes(await call('42.0', '42'), '"content":[]');
  includes(lastOf(got, 'tools/call'), '"n":42.0');
  includes(await call('4.2e1', '42.0'), '"content":[]');
  includes(await call('42.0', '43'), '"error"');
  const large = '12345678901234567890';
  includes(await call(large, large), '"content":[]');
  includes(lastOf(got, 'tools/call'), `"n":${large}`);
  includes(await call(large, '12345678901234567891'), '"error"');
});

describe('questions of a server in the middle of a call', () => {
  const schema = '{"type":"object","properties":{"n":{"type":"number","minimum":-0,"default":1.0}}}';
  const question = `{"message":"how many","requestedSchema":${schema},"more":1e2}`;
  const accepted = '{"action":"accept","content":{"n":2.0},"more":-0}';
  const can = { capabilities: { elicitation: {} } };

  /** A server of a handshake revision: it asks first. */
  const asking = (): Answers => {
    let call: unknown;
    return {
      'tools/call': (request) => {
        call = request['id'];
        return [`{"jsonrpc":"2.0","id":900,"method":"elicitation/create","params":${question}}`];
      },
      response: () => [`{"jsonrpc":"2.0","id":${String(call)},"result":{"content":[]}}`],
    };
  };

  /** A stateless server. */
  const wanting: Answers = {
    'tools/call': (request, text) => {
      const result = text.includes('"inputResponses"')
        ? '{"resultType":"complete","content":[]}'
        : `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":${question}}},"requestState":"s"}`;
      return [`{"jsonrpc":"2.0","id":${String(request['id'])},"result":${result}}`];
    },
  };

  it('a client of a handshake revision is asked in the same numbers, and so answers', async (t) => {
    for (const [up, answers] of [
      ['2025-11-25', asking()],
      ['2026-07-28', wanting],
    ] as const) {
      const pair: Pair = { down: '2025-11-25', up };
      const { client, ask, got } = await bridged(t, pair, { near: 'stdio', far: 'stdio', answers, ...can });
      const result = ask('tools/call', '{"name":"any","_meta":{}}');
      const asked = await client.asked('elicitation/create');
      includes(asked, `"requestedSchema":${schema}`, '"more":1e2');
      const { id } = JSON.parse(asked) as { readonly id: unknown };
      void client.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${accepted}}`);
      await result;
      includes(
        got.findLast((text) => text.includes('accept')),
        '"content":{"n":2.0}',
        '"more":-0',
      );
    }
  });

  it('a stateless client is asked in the same numbers, and so answers', async (t) => {
    for (const [up, answers] of [
      ['2025-11-25', asking()],
      ['2026-07-28', wanting],
    ] as const) {
      const pair: Pair = { down: '2026-07-28', up };
      const { ask, got } = await bridged(t, pair, { near: 'stdio', far: 'stdio', answers, ...can });
      const asked = await ask('tools/call', '{"name":"any","arguments":{"a":1.0},"_meta":{}}');
      includes(asked, `"requestedSchema":${schema}`, '"more":1e2');
      const { result } = JSON.parse(asked) as { readonly result: Json };
      const key = Object.keys(Object(result['inputRequests']))[0];
      const state = JSON.stringify(result['requestState']);
      const retry = `"inputResponses":{${JSON.stringify(key)}:${accepted}},"requestState":${state}`;
      // Another spelling of an argument would be another call.
      includes(
        await ask('tools/call', `{"name":"any","arguments":{"a":1.0},${retry},"_meta":{}}`),
        '"resultType":"complete"',
      );
      includes(
        got.findLast((text) => text.includes('accept')),
        '"content":{"n":2.0}',
        '"more":-0',
      );
    }
  });
});

it('a value that must be an object is refused when it is an oddly spelled number', async (t) => {
  const pair: Pair = { down: '2025-11-25', up: '2025-11-25' };
  const { client, ask } = await bridged(t, pair, { near: 'stdio', far: 'stdio', answers: {} });
  includes(await ask('tools/call', '{"name":"any","arguments":1.0,"_meta":{}}'), '"code":-32602');
  includes(await ask('tools/call', '{"name":1.0,"_meta":{}}'), '"code":-32602', 'must be a string');
  includes(await client.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":1.0}'), '"code":-32600');
});

it('a request whose id is spelled oddly is answered', async (t) => {
  const pair: Pair = { down: '2025-11-25', up: '2025-11-25' };
  const { client } = await bridged(t, pair, { near: 'stdio', far: 'stdio', answers: {} });
  includes(await client.send('{"jsonrpc":"2.0","id":5.0,"method":"ping"}'), '"id":5');
});

it('a server of this process behind a bridge has plain numbers', async (t) => {
  const server = serverAt('2025-11-25');
  const seen: unknown[] = [];
  server.tool('any', { input: { type: 'object' } }, (given: unknown) => {
    seen.push(given);
    return 'done';
  });
  const client = await textClient(t, 'stdio', await bridgeBefore(t, server));
  const params = JSON.stringify(initializeParams('2025-11-25'));
  await client.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`);
  includes(
    await client.send('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"any","arguments":{"n":1.0}}}'),
    'done',
  );
  assert.deepEqual(seen, [{ n: 1 }]);
});

it('a question keeps a token beyond 2^53, and so does its progress', async (t) => {
  const token = '"progressToken":9007199254740993';
  let call: unknown;
  const question = `{"message":"Go on?","requestedSchema":{"type":"object","properties":{}},"_meta":{${token}}}`;
  const answers: Answers = {
    'tools/call': ({ id }) => {
      call = id;
      return [`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":${question}}`];
    },
    response: () => [`{"jsonrpc":"2.0","id":${JSON.stringify(call)},"result":{"content":[]}}`],
  };
  const ways = { near: 'stdio', far: 'stdio', capabilities: { elicitation: {} } } as const;
  const { client, got, ask } = await bridged(t, { down: '2025-11-25', up: '2025-11-25' }, { ...ways, answers });
  const outcome = ask('tools/call', '{"name":"any","_meta":{}}');
  const asked = await client.asked('elicitation/create');
  includes(asked, token);
  const { id } = JSON.parse(asked) as Json;
  await client.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{${token},"progress":1}}`);
  await client.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"action":"decline"}}`);
  includes(await outcome, '"content":[]');
  includes(lastOf(got, 'notifications/progress'), token);
});
