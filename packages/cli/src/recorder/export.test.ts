import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { revisionOf } from '../../../parley/src/protocol/revision.ts';
import { differences, parseTranscripts, valueToSend } from '../../../parley/src/testing/transcript.ts';
import { toCurl } from './curl.ts';
import { readRecording, recordTo } from './file.ts';
import { toHar } from './har.ts';
import { createLog } from './log.ts';
import { toTranscript } from './transcript-of.ts';

const secret = 'planted-0123456789-secret';
const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it's"}}`;
const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[],"taskId":"t-1"}}';

function recorded(): ReturnType<typeof createLog> {
  let time = 1_000;
  const log = createLog({ server: 'a', now: () => (time += 10) });
  log.note({
    lane: 'message',
    from: 'client',
    text: call,
    connection: log.connect(),
    http: {
      method: 'POST',
      url: 'https://a.example/mcp?key=k&x=1',
      headers: { authorization: `Bearer ${secret}`, 'mcp-session-id': secret, 'mcp-protocol-version': '2025-06-18' },
    },
  });
  const head = { status: 200, headers: { 'content-type': 'application/json' } };
  const body = log.note({ lane: 'http', from: 'server', http: head, exchange: 1, connection: 1 });
  log.grow(body, answer);
  log.end(body, { lane: 'message' });
  log.note({ lane: 'message', from: 'server', text: 'no json', connection: 1 });
  return log;
}

function shown(log = recorded()): ReturnType<typeof log.since> {
  return log.since(0).map((entry) => log.redaction.toShow(entry));
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'parley-recording-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

describe('a recording as a file', () => {
  test('has every entry as it was in the end, no secret, and one reader', async (t) => {
    const path = join(folder(t), 'a.ndjson');
    const log = createLog({ server: 'a', now: () => 5 });
    writeFileSync(path, 'old', { mode: 0o644 });
    const file = await recordTo(path);
    file.add(log);
    const sequence = log.note({
      lane: 'message',
      from: 'client',
      text: call,
      connection: 1,
      http: { headers: { 'mcp-session-id': secret } },
    });
    log.note({ lane: 'message', from: 'server', text: answer, connection: 1 });
    log.judge(sequence, ['basic-001']);
    await file.close();
    await file.close();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.equal(readFileSync(path, 'utf8').includes(secret), false);
    const { entries, lost } = await readRecording(path);
    assert.deepEqual(
      entries,
      log.since(0).map((entry) => log.redaction.toShow(entry)),
    );
    assert.deepEqual([entries[0]?.broken, entries[0]?.pair, lost], [['basic-001'], 2, 0]);
  });

  test('is not written through a link', async (t) => {
    const path = folder(t);
    writeFileSync(join(path, 'target'), 'mine');
    symlinkSync(join(path, 'target'), join(path, 'link'));
    await assert.rejects(recordTo(join(path, 'link')), { code: 'ELOOP' });
    assert.equal(readFileSync(join(path, 'target'), 'utf8'), 'mine');
  });

  test('is read whatever its lines are, and what is no entry is counted', async (t) => {
    const path = join(folder(t), 'a.ndjson');
    const entry = { sequence: 1, time: 1, server: 'a', connection: 1, bytes: 0, lane: 'message', from: 'client' };
    const hostile: readonly unknown[] = [
      { ...entry, text: 7 },
      { ...entry, lane: 'own' },
      { ...entry, time: 1e300 },
      { ...entry, sequence: 2 ** 53 },
      { ...entry, sequence: 0.5 },
      { ...entry, http: { headers: { a: 1 } } },
      { ...entry, sequence: '__proto__' },
      { ...entry, broken: [1] },
      [],
      null,
    ];
    const lines = [...hostile.map((value) => JSON.stringify(value)), '{"a":'.repeat(10_000), '}{'];
    writeFileSync(
      path,
      ['{"recording":"parley","version":1}', ...lines, JSON.stringify(entry), '{"lost":3}'].join('\n'),
    );
    const { entries, lost } = await readRecording(path);
    assert.deepEqual([entries, lost], [[entry], lines.length + 3]);
    writeFileSync(path, '{"mcpServers":{}}');
    await assert.rejects(readRecording(path), /is no recording/);
  });
});

test('of a recording that is longer than what is kept, the newest entries of each server are read', async (t) => {
  const path = join(folder(t), 'long.ndjson');
  const entry = (sequence: number, server: string): string =>
    JSON.stringify({ sequence, time: 1, server, connection: 1, bytes: 0, lane: 'message', from: 'server' });
  const entries = Array.from({ length: 20_010 }, (_, at) => entry(at + 1, 'A'));
  // What came late to be known of an entry makes it no newer, and brings none back.
  const lines = [...entries, entry(20_011, 'B'), entry(20_009, 'A'), entry(3, 'A')];
  writeFileSync(path, ['{"recording":"parley","version":1}', ...lines].join('\n'));
  const read = await readRecording(path);
  assert.deepEqual([read.entries.length, read.lost], [20_001, 10]);
  assert.deepEqual([read.entries[0]?.sequence, read.entries.at(-1)?.server], [11, 'B']);
});

test('curl gets a variable in the place of each secret, and words that the shell leaves as they are', () => {
  const [request, response] = shown();
  assert.ok(request && response);
  const command = toCurl(request) ?? assert.fail();
  assert.equal(command.includes(secret), false);
  assert.match(command, /'authorization: Bearer '"\$TOKEN"/);
  assert.equal(toCurl(response), undefined);
  const words = execFileSync('/bin/sh', ['-c', command.replace(/^curl/, `printf '%s\\n'`)], {
    encoding: 'utf8',
    env: { TOKEN: 't', MCP_SESSION_ID: 's', SECRET: 'k' },
  }).split('\n');
  for (const word of ['https://a.example/mcp?key=k&x=1', 'authorization: Bearer t', 'mcp-session-id: s', call])
    assert.equal(words.includes(word), true, `${word} in ${command}`);
});

test('an archive has each exchange with its answer, and no secret', () => {
  const har = toHar(shown(), { name: 'parley', version: '1' });
  assert.equal(JSON.stringify(har).includes(secret), false);
  assert.partialDeepStrictEqual(JSON.parse(JSON.stringify(har)), {
    log: {
      version: '1.2',
      entries: [
        {
          time: 10,
          request: { method: 'POST', postData: { text: call } },
          response: { status: 200, content: { text: answer } },
        },
      ],
    },
  });
});

test('an archive of a stream of many events is written without holding anybody up', () => {
  const log = createLog({ server: 'a', now: () => 1, entries: 30_000 });
  const connection = log.connect();
  const http = { method: 'GET', url: 'https://a.example/mcp', headers: {} };
  const exchange = log.note({ lane: 'http', from: 'client', http, connection });
  const seen = { lane: 'message', from: 'server', text: answer, connection, exchange } as const;
  const entries = [...log.since(0), ...Array.from({ length: 30_000 }, (_, at) => ({ ...seen, sequence: at + 2 }))];
  const begun = process.cpuUsage();
  const har = toHar(
    entries.map((entry) => ({ time: 1, server: 'a', bytes: 1, ...entry })),
    { name: 'test', version: '1' },
  );
  const { user, system } = process.cpuUsage(begun);
  // It takes a tenth of a second of the processor; what copies all for each takes half a minute.
  assert.ok(user + system < 10_000_000);
  assert.equal(JSON.stringify(har).split('taskId').length, 30_001);
});

test('a transcript is one that can be read, with what differs each time left open', () => {
  const [transcript] = parseTranscripts(toTranscript('A call\nthat is made', shown()));
  assert.deepEqual(
    transcript?.lines.map(({ kind, text }) => [kind, text]),
    [
      ['client', call],
      ['server', '{"jsonrpc":"2.0","id":1,"result":{"content":[],"taskId":"<task1>"}}'],
    ],
  );
  assert.deepEqual(
    [transcript?.title, transcript?.revisions.map(({ date }) => date)],
    ['A call that is made', ['2025-06-18']],
  );
});

test('a transcript of a server that refused the newest revision is of the one that was settled then', () => {
  const log = createLog({ server: 'a', now: () => 1 });
  const connection = log.connect();
  const say = (from: 'client' | 'server', text: string): number =>
    log.note({ lane: 'message', from, text, connection });
  const meta = '{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
  say('client', `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":${meta}}}`);
  say('server', '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}');
  say('client', '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}');
  say('server', '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18"}}');
  say('client', '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const [transcript] = parseTranscripts(toTranscript('An older server', shown(log)));
  assert.deepEqual(
    transcript?.revisions.map(({ date }) => date),
    ['2025-06-18'],
  );
});

test('a transcript is matched by what crossed, whatever is hidden in it and whatever reads like a place', () => {
  const log = createLog({ server: 'a', now: () => 1 });
  const connection = log.connect();
  const texts = ['$revision, dear', '<number>', '…'];
  const asked = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { arguments: { password: secret, said: texts[0] } },
  };
  const answered = { jsonrpc: '2.0', id: 1, result: { token: 'b-0123456789-secret', texts } };
  log.note({ lane: 'message', from: 'client', text: JSON.stringify(asked), connection });
  log.note({ lane: 'message', from: 'server', text: JSON.stringify(answered), connection });
  const text = toTranscript('A secret', shown(log));
  assert.equal(text.includes('-secret'), false);
  // Whoever plays it has to know what to fill in.
  assert.match(text, /^\/\/ .*•••.*\nC: /m);
  const [transcript] = parseTranscripts(text);
  const [sent, came] = transcript?.lines ?? [];
  const revision = revisionOf('2025-06-18') ?? assert.fail();
  assert.deepEqual(valueToSend(sent?.text ?? '', revision, new Map()), {
    ...asked,
    params: { arguments: { password: '•••', said: texts[0] } },
  });
  assert.deepEqual(differences(came?.text ?? '', answered, revision, new Map()), []);
  assert.notDeepEqual(
    differences(came?.text ?? '', { ...answered, result: { ...answered.result, texts: [] } }, revision, new Map()),
    [],
  );
});
