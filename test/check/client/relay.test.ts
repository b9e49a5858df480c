/** A server over lines that dies and is begun again, judged by who outlives it; each planted mistake is found in its row, and nothing in clients that make none. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { checkClient } from '../../../packages/cli/src/check/client/run/check-client.ts';
import { relay } from '../../../packages/cli/src/check/client/run/relay.ts';
import {
  dyingTimes,
  ServedProcesses,
  type ServedProcess,
} from '../../../packages/cli/src/check/client/served-process.ts';
import { processRules } from '../../../packages/cli/src/check/client/rules/processes.ts';
import { ClientSession } from '../../../packages/cli/src/check/client/client-session.ts';
import type { CheckReport } from '../../../packages/cli/src/check/report.ts';
import { UsageError } from '../../../packages/cli/src/commands/io.ts';
import { ownCommand } from '../../../packages/cli/src/commands/own-command.ts';
import { connect, type ConnectOptions } from '../../../packages/parley/src/client.ts';
import { monotonicNow } from '../../../packages/parley/src/jsonrpc/timeout.ts';
import { revisionOf, revisions } from '../../../packages/parley/src/protocol/revision.ts';
import { spawn } from '../../../packages/parley/src/stdio.ts';
import { quickly } from '../../support/programs.ts';
import { root } from '../../support/sources.ts';
import { commanded } from '../commanded.ts';
import { RawLines, runRawLines, type LinesMistake } from './raw-lines-client.ts';

const info = { name: 'parley-check', version: '1.0.0' };
const rows = ['stdio-012', 'stdio-013', 'stdio-015', 'stdio-016', 'subs-011'];

const commandAt = (path: string): readonly string[] => ownCommand('check', '--client', '--stdio', '--judge', path);

async function judged(t: TestContext, run: (command: readonly string[]) => Promise<void>): Promise<CheckReport> {
  let isOver = false;
  const report = await checkClient({
    door: { isRelayed: true },
    info,
    limitMs: 40_000,
    isStarted: true,
    signal: t.signal,
    async onOpen(path) {
      await run(commandAt(path));
      isOver = true;
    },
  });
  assert.ok(isOver, 'the client came to its end');
  return report;
}

const idsOf = ({ findings }: CheckReport): readonly string[] => findings.map(({ id }) => id);
const heldIn = ({ rows: all }: CheckReport): readonly string[] =>
  all.filter(({ id, verdict }) => verdict === 'holds' && rows.includes(id)).map(({ id }) => id);

const mistakes: Readonly<Record<LinesMistake, string>> = {
  'starts-no-other': 'stdio-015',
  'never-listens-again': 'subs-011',
  'ends-by-signal': 'stdio-013',
  kills: 'stdio-013',
};

describe('a client that starts its server, with one fault', { concurrency: 4 }, () => {
  for (const [mistake, row] of Object.entries(mistakes) as [LinesMistake, string][])
    test(`is found out: ${mistake} breaks ${row}`, async (t) => {
      const report = await judged(t, (command) => runRawLines(command, mistake));
      assert.deepEqual(idsOf(report), [row], JSON.stringify(report.findings));
      // Which connection a process is begun for is not certain.
      assert.equal(report.findings[0]?.severity, row === 'subs-011' ? 'note' : 'warning');
    });

  test('is not there where nothing is wrong', async (t) => {
    const report = await judged(t, (command) => runRawLines(command));
    assert.deepEqual(idsOf(report), []);
    assert.deepEqual(heldIn(report).toSorted(), ['stdio-013', 'stdio-015', 'stdio-016', 'subs-011']);
  });
});

for (const { date, subscribing } of revisions)
  test(`nothing is found in our client at ${date} whose server dies, and it does all steps`, async (t) => {
    const options: ConnectOptions = {
      revisions: [date],
      roots: [{ uri: 'file:///tmp' }],
      ...(date === '2025-11-25' && { clientTasks: { elicitation: true, sampling: true } }),
      onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      onSample: () => ({ role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'any' }),
    };
    const report = await judged(t, async ([file = '', ...args]) => {
      const client = await connect(spawn(file, args, { env: quickly }), options);
      const tools = (await client.listTools()).map(({ name }) => name);
      await client.callTool('echo', { text: 'hello' });
      await client.callTool('ask', {});
      await client.callTool('slow', {});
      await assert.rejects(client.callTool('endless', {}, { signal: AbortSignal.timeout(400) }));
      if (subscribing === 'listen') {
        assert.ok(tools.includes('dies'), tools.join());
        let hear = (): void => undefined;
        const reopened = new Promise<void>((resolve) => (hear = resolve));
        const watched = await client.subscribe({ tools: true }, ({ type }) =>
          type === 'reopened' ? hear() : undefined,
        );
        await client.callTool('change', {});
        await assert.rejects(client.callTool('dies', {}));
        await client.callTool('echo', { text: 'again' });
        await reopened;
        await watched.close();
      }
      await client.close();
    });
    assert.deepEqual([report.findings, report.missing, report.cut], [[], undefined, undefined]);
    assert.deepEqual(
      heldIn(report).toSorted(),
      subscribing === 'listen' ? ['stdio-013', 'stdio-015', 'stdio-016', 'subs-011'] : ['stdio-012'],
    );
  });

test('a stream that was cancelled before is not missed, nor one that another program had, nor one of several', async (t) => {
  const cancelled = await judged(t, async (command) => {
    const first = new RawLines(command);
    await first.ask('tools/list');
    first.cancel(first.listens());
    await first.call('dies');
    const next = new RawLines(command);
    await next.call('echo', { text: 'hello' });
    await next.close();
  });
  assert.deepEqual([idsOf(cancelled), heldIn(cancelled)], [[], ['stdio-013', 'stdio-015']]);
  const several = await judged(t, async (command) => {
    const other = new RawLines(command);
    await other.ask('tools/list');
    const first = new RawLines(command);
    await first.ask('tools/list');
    first.listens();
    await first.call('dies');
    const next = new RawLines(command);
    await next.call('echo', { text: 'hello' });
    for (const one of [other, next]) await one.close();
  });
  assert.deepEqual([idsOf(several), heldIn(several)], [[], ['stdio-013']]);
});

/** What rules find of a process, by its row. */
function foundIn(process: ServedProcess, isGone: boolean, isStarted = true): Readonly<Record<string, unknown>> {
  const clientSession = new ClientSession('stdio', revisionOf('2026-07-28'));
  clientSession.process = process;
  const seen = { fetches: 0, icons: 0, pages: [], listed: new Set<string>(), isGone, isStarted };
  return Object.fromEntries(processRules.map((rule) => [rule.id, rule.atEnd?.(clientSession, seen)]));
}

test('who goes on without what it listened to is found once that is sure, and not before', () => {
  const all = new ServedProcesses();
  const first = all.started(() => undefined);
  all.placed(first, 7);
  first.die(1);
  const next = all.started(() => undefined);
  all.placed(next, 7);
  assert.equal(next.before, first);
  const wentOn = (ms: number, isOver: boolean): unknown => {
    next.beganAt = monotonicNow() - ms;
    next.inputEndedAt = isOver ? monotonicNow() : undefined;
    return foundIn(next, true)['subs-011'];
  };
  assert.deepEqual(
    [wentOn(dyingTimes.ended - 100, true), wentOn(dyingTimes.goesOn - 100, false)],
    ['not-seen', 'not-seen'],
  );
  for (const found of [wentOn(dyingTimes.ended + 100, true), wentOn(dyingTimes.goesOn + 100, false)])
    assert.equal(typeof found, 'object');
  first.listening = 0;
  assert.equal(wentOn(60_000, true), 'not-seen');
  // Another program that comes next has nothing to take up, and has the process started again all the same.
  const dead = all.started(() => undefined);
  all.placed(dead, 7);
  assert.equal(dead.before, undefined);
  next.inputEndedAt = monotonicNow();
  dead.die(1);
  const foreign = all.started(() => undefined);
  all.placed(foreign, 8);
  assert.deepEqual([foreign.before, dead.isSucceeded], [undefined, true]);
});

test('a process beside another of its parent, or before one that listens, may be another connection', () => {
  /** What is found of the process after one that died while its client listened. */
  const found = (more: (all: ServedProcesses, next: ServedProcess) => void): unknown => {
    const all = new ServedProcesses();
    const begun = (): ServedProcess => {
      const process = all.started(() => undefined);
      all.placed(process, 7);
      return process;
    };
    begun().die(1);
    const next = begun();
    next.beganAt = monotonicNow() - 60_000;
    more(all, next);
    return foundIn(next, true)['subs-011'];
  };
  const later = (all: ServedProcesses, parent: number): ServedProcess => {
    const process = all.started(() => undefined);
    all.placed(process, parent);
    return process;
  };
  const ended = (process: ServedProcess): void => void (process.inputEndedAt = monotonicNow());
  assert.equal(typeof found(() => undefined), 'object');
  assert.equal(typeof found((all) => void later(all, 8)), 'object', 'that of another program');
  assert.equal(
    found((all) => void later(all, 7)),
    'not-seen',
    'both run at once',
  );
  const after = (isListening: boolean): unknown =>
    found((all, next) => {
      ended(next);
      ended(later(all, 7));
      later(all, 7).hasListened = isListening;
    });
  assert.deepEqual([typeof after(false), after(true)], ['object', 'not-seen']);
});

test('who starts no other is found when it lived on, and had one alone', () => {
  const all = new ServedProcesses();
  const dead = (ms: number): ServedProcess => {
    const process = all.started(() => undefined);
    process.die(0);
    process.diedAt = monotonicNow() - ms;
    return process;
  };
  assert.equal(foundIn(dead(1_000), true)['stdio-015'], 'not-seen');
  assert.equal(foundIn(dead(60_000), false)['stdio-015'], 'not-seen');
  assert.equal(typeof foundIn(dead(60_000), true)['stdio-015'], 'object');
  all.started(() => undefined);
  assert.equal(foundIn(dead(60_000), true)['stdio-015'], 'not-seen');
});

test('how a process ends is judged where nobody else could have ended it', () => {
  const process = new ServedProcesses().started(() => undefined);
  const found = (isStarted = true): unknown => foundIn(process, true, isStarted)['stdio-013'];
  assert.equal(found(), 'not-seen');
  Object.assign(process, { beganAt: 0, signal: 'SIGTERM', signalledAt: 5, goneAt: 10 });
  assert.deepEqual([typeof found(), found(false)], ['object', 'not-seen']);
  // A person at the keyboard signals all that runs there.
  process.signal = 'SIGINT';
  assert.equal(found(), 'not-seen');
  Object.assign(process, { signal: 'SIGTERM', inputEndedAt: 6 });
  assert.equal(found(), 'not-seen');
  process.inputEndedAt = 4;
  assert.equal(found(false), 'holds');
});

/** A judge that does nothing by itself. */
async function judgeAt(t: TestContext): Promise<{ readonly path: string; readonly came: Promise<Socket> }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-relay-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\parley-test-${crypto.randomUUID()}` : join(folder, 'judge');
  const server = createServer();
  const came = once(server, 'connection').then(([socket]) => socket as Socket);
  server.listen(path);
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { path, came };
}

test('a relay ends with its judge, with its client, by a signal, and by the wish that it dies', async (t) => {
  const { path, came } = await judgeAt(t);
  const parts = () => ({ stdin: new PassThrough(), stdout: new PassThrough(), parent: 1, signal: t.signal });
  const withJudge = relay(path, parts());
  (await came).destroy();
  assert.equal(await withJudge, 0);
  const dying = await judgeAt(t);
  const dies = relay(dying.path, parts());
  (await dying.came).write('no frame\n{"dies":true}\n');
  assert.equal(await dies, 1);
  const ending = await judgeAt(t);
  const controller = new AbortController();
  const signalled = relay(ending.path, { ...parts(), signal: controller.signal });
  const told = textOf(await ending.came);
  controller.abort(new Error('ended by SIGTERM'));
  assert.equal(await signalled, 0);
  assert.match(await told, /^\{"parent":1\}\n\{"signal":"SIGTERM"\}\n$/);
  await assert.rejects(relay(`${path}-none`, parts()), /ENOENT/);
});

test('a relay whose judge says nothing more ends when its client does', { timeout: 20_000 }, async (t) => {
  const { path } = await judgeAt(t);
  const stdin = new PassThrough();
  const running = relay(path, { stdin, stdout: new PassThrough(), parent: 1, signal: t.signal });
  stdin.end('{}\n');
  assert.equal(await running, 0);
});

test('a relay that is signalled hears what its client says then, which may be signalled as well', async (t) => {
  const judge = await judgeAt(t);
  const controller = new AbortController();
  const stdin = new PassThrough();
  const running = relay(judge.path, { stdin, stdout: new PassThrough(), parent: 1, signal: controller.signal });
  const told = textOf(await judge.came);
  controller.abort(new Error('ended by SIGTERM'));
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  stdin.end();
  assert.equal(await running, 0);
  assert.match(await told, /\{"signal":"SIGTERM"\}\n\{"isEnded":true\}\n$/);
});

test('what is said passes in whole, be it long, or no ASCII', async (t) => {
  const text = '\u{1f600}é'.repeat(300_000);
  const report = await judged(t, async (command) => {
    const server = new RawLines(command);
    const answer = await server.call('echo', { text });
    const { content } = (answer?.['result'] ?? {}) as { readonly content?: readonly { readonly text: string }[] };
    assert.equal(content?.[0]?.text, text);
    assert.equal(await server.close(), 0);
  });
  assert.deepEqual(idsOf(report), []);
});

const program = join(root, 'test/check/client/raw-lines-client.ts');

test('the command gives its client the command of the server, and judges how that is used', async (t) => {
  const argv = ['--client', '--relay', '--json', '--', process.execPath, program];
  const wrong = await commanded(t, [...argv, 'ends-by-signal', '{command}']);
  const { findings, transport } = JSON.parse(wrong.out) as CheckReport;
  assert.deepEqual([transport, findings.map(({ id }) => id)], ['stdio', ['stdio-013']]);
  assert.match(wrong.told, /done: where there is a tool dies/);
  const alone = await commanded(t, ['--client', '--relay', '--wait', '1']);
  assert.equal(alone.code, 3);
  assert.match(
    alone.told,
    /start its server by this command:\n {2}[^\n]+main\.ts"? check --client --stdio --judge [^\n]+\n/,
  );
});

test('options that go with nothing are refused', async (t) => {
  for (const argv of [
    ['--relay', 'http://127.0.0.1:1/'],
    ['--client', '--relay', '--stdio'],
    ['--client', '--relay', '--port', '1'],
    ['--client', '--relay', '--auth'],
    ['--judge', 'x'],
    ['--client', '--judge', 'x'],
    ['--client', '--stdio', '--judge', 'x', '--', 'y'],
  ])
    await assert.rejects(commanded(t, argv), UsageError);
});
