import type { Fetch } from '../../../parley/src/jsonrpc/fetch.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Receiver, Transport } from '../../../parley/src/jsonrpc/transport.ts';
import type { RecordingEntry } from './entry.ts';
import { createLog } from './log.ts';
import { tapHttp } from './tap-http.ts';
import { tapLines } from './tap-lines.ts';

const log = (): ReturnType<typeof createLog> => createLog({ server: 'a', now: () => 0 });

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const pong = '{"jsonrpc":"2.0","id":1,"result":{}}';

const post = {
  method: 'POST',
  headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  body: ping,
  redirect: 'manual',
  signal: new AbortController().signal,
} as const;

async function exchanged(response: Response | Error, read = true): Promise<readonly RecordingEntry[]> {
  const recorder = log();
  const fetch: Fetch = async () => {
    if (response instanceof Error) throw response;
    return response;
  };
  try {
    const { body } = await tapHttp(fetch, { recorder, connection: 1 })('https://a.example/mcp', post);
    const reader = body?.getReader();
    if (!read) await reader?.cancel();
    while (read && (await reader?.read())?.done === false);
  } catch {
    // What broke off is recorded.
  }
  return recorder.since(0);
}

const brief = ({ lane, text, problem, event }: RecordingEntry): unknown => [lane, text, problem, event];

function stream(...pieces: readonly (string | Error)[]): Response {
  const queue = [...pieces];
  const body = new ReadableStream({
    pull(controller) {
      const piece = queue.shift();
      if (piece === undefined) controller.close();
      else if (piece instanceof Error) controller.error(piece);
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

describe('a tap at fetch', () => {
  test('tells each cookie that is set, and takes the echo of each out', async () => {
    const cookies = ['a=first-0123456789', 'b=second-0123456789; Path=/'].map((value): [string, string] => [
      'Set-Cookie',
      value,
    ]);
    const recorder = log();
    const fetch: Fetch = async () => new Response('first-0123456789 second-0123456789', { headers: cookies });
    const { body } = await tapHttp(fetch, { recorder })('https://a.example/mcp', post);
    const reader = body?.getReader();
    while ((await reader?.read())?.done === false);
    assert.equal(recorder.since(0).at(-1)?.text, '••• •••');
  });

  test('tells the request, and the answer in its exchange with all headers', async () => {
    const answer = new Response(pong, { headers: { 'Content-Type': 'application/json', 'X-Own': '1' } });
    const [request, response] = await exchanged(answer);
    assert.deepEqual([request?.lane, request?.text, request?.http?.url], ['message', ping, 'https://a.example/mcp']);
    assert.deepEqual(request?.http?.headers['content-type'], 'application/json');
    assert.deepEqual([response?.lane, response?.text, response?.exchange], ['message', pong, 1]);
    assert.deepEqual([response?.http?.status, response?.http?.headers['x-own']], [200, '1']);
    assert.deepEqual([request?.pair, response?.pair], [2, 1]);
  });

  test('tells messages, ids, types, comments and times to wait of an event stream, wherever it was cut', async () => {
    const text = `: hello\nid: 7\nretry: 500\ndata: ${ping}\n\nevent: endpoint\ndata: /m\n\ndata: ${pong}\n\n`;
    const [, head, ...rest] = await exchanged(stream(...text.match(/[^]{1,7}/g)!));
    assert.equal(head?.lane, 'http');
    assert.deepEqual(rest.map(brief), [
      ['event', undefined, undefined, { comment: 'hello' }],
      ['event', undefined, undefined, { retry: 500 }],
      ['message', ping, undefined, { id: '7' }],
      ['event', '/m', undefined, { type: 'endpoint' }],
      ['message', pong, undefined, {}],
      ['event', undefined, undefined, { type: 'end' }],
    ]);
  });

  test('says where a stream was cut', async () => {
    const within = await exchanged(stream('data: {"half'));
    assert.equal(within.at(-1)?.problem, 'the stream ended within an event');
    const broken = await exchanged(stream(`data: ${ping}\n\n`, new Error('gone')));
    assert.equal(broken.at(-1)?.problem, 'it broke off: gone');
  });

  test('keeps the beginning of a body that broke off or was not wanted', async () => {
    const body = (type: string): Response => {
      const { body: bytes } = stream('<h1>', new Error('gone'));
      return new Response(bytes, { status: 502, headers: { 'Content-Type': type } });
    };
    const [, response] = await exchanged(body('text/html'));
    assert.deepEqual([response?.lane, response?.text, response?.problem], ['http', '<h1>', 'it broke off: gone']);
    const [, unread] = await exchanged(body('text/html'), false);
    assert.deepEqual([unread?.text, unread?.problem], ['<h1>', 'it broke off: gone']);
  });

  test('reads a moment of what was not wanted, however much or little of it comes', async () => {
    const page = await exchanged(new Response('<h1>Hello</h1>', { headers: { 'Content-Type': 'text/html' } }), false);
    assert.deepEqual([page[1]?.text, page[1]?.problem], ['<h1>Hello</h1>', undefined]);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new TextEncoder().encode('x')) });
    const [, much] = await exchanged(new Response(endless), false);
    assert.deepEqual([much?.text, much?.problem], ['xxxx', 'it was not read to its end']);
    const [, silent] = await exchanged(new Response(new ReadableStream({})), false);
    assert.deepEqual([silent?.text, silent?.problem], [undefined, 'it was not read to its end']);
  });

  test('tells that no answer came', async () => {
    const [, nothing] = await exchanged(new Error('connect ECONNREFUSED'));
    assert.equal(nothing?.problem, 'no answer came: connect ECONNREFUSED');
  });
});

describe('a tap at a transport', () => {
  test('tells lines both ways, such as are no JSON, standard error, and the end of the process', async () => {
    const recorder = log();
    const heard: unknown[] = [];
    let receiver: Receiver | undefined;
    const inner: Transport = {
      description: 'inner',
      ownsProcess: true,
      async open(given) {
        receiver = given;
        return { send: async () => {}, close: async () => {} };
      },
    };
    const tap = tapLines(recorder);
    const channel = await tap.listen(inner).open({
      message: (value) => heard.push(value),
      problem: (error) => heard.push(error.message),
      closed: () => heard.push('closed'),
    });
    await channel.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    receiver?.line?.('Server started');
    receiver?.problem(new Error('no JSON'), { text: 'Server started' });
    tap.onStderr('warn');
    tap.onStderr('ing\nand');
    receiver?.line?.(` ${pong}`);
    receiver?.message(JSON.parse(pong));
    receiver?.exited?.(null, 'SIGTERM');
    assert.deepEqual(
      recorder
        .since(0)
        .map(({ from, lane, text, problem, exit, pair, connection }) => [
          `${from} ${lane} ${connection}`,
          text,
          problem ?? exit ?? pair,
        ]),
      [
        ['client message 1', ping, 4],
        ['server message 1', 'Server started', 'no JSON'],
        ['server stderr 1', 'warning\n', undefined],
        ['server message 1', ` ${pong}`, 1],
        ['server stderr 1', 'and', undefined],
        ['server process 1', undefined, { code: null, signal: 'SIGTERM' }],
      ],
    );
    assert.deepEqual(heard, ['no JSON', JSON.parse(pong)]);
  });
});

describe('standard error', () => {
  test('is told in whole lines, so that no secret is cut in two, and a prompt after a while', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const recorder = log();
    recorder.redaction.forget(['planted-0123456789-secret']);
    const tap = tapLines(recorder);
    tap.onStderr('it is plan');
    tap.onStderr('ted-0123456789-secret\nName? ');
    t.mock.timers.tick(49);
    assert.deepEqual(
      recorder.since(0).map(({ text }) => text),
      ['it is •••\n'],
    );
    t.mock.timers.tick(1);
    tap.onStderr('x'.repeat(70_000));
    assert.deepEqual(
      recorder.since(0).map(({ text }) => text?.length),
      [10, 6, 70_000],
    );
  });

  test('the beginning of a secret waits for its rest, however late that comes', (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const recorder = log();
    recorder.redaction.hide(['planted-0123456789-secret']);
    const tap = tapLines(recorder);
    const shown = (): readonly (string | undefined)[] =>
      recorder.since(0).map((entry) => recorder.redaction.toShow(entry).text);
    tap.onStderr('a key is p');
    t.mock.timers.tick(10_000);
    assert.deepEqual(shown(), ['a key is ']);
    tap.onStderr('lanted-0123');
    t.mock.timers.tick(10_000);
    assert.deepEqual(shown(), ['a key is ']);
    tap.onStderr('456789-secret, no more');
    t.mock.timers.tick(10_000);
    assert.deepEqual(shown(), ['a key is ', '•••, no more']);
    tap.onStderr(`${'x'.repeat(70_000)}planted-0`);
    tap.onStderr('123456789-secret');
    t.mock.timers.tick(10_000);
    assert.deepEqual(shown().slice(2), ['x'.repeat(70_000), '•••']);
  });
});
