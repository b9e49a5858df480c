/** A server that takes its time for each answer is judged side by side, by as many messages at once as are allowed, and by the same measure. */

import assert from 'node:assert/strict';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { toNodeHandler } from '../../packages/parley/src/node.ts';
import { chosenRevisions } from '../../packages/parley/src/protocol/revision.ts';
import { faults } from './faults.ts';
import { asStream, cleanServer, serveFaulty, type Fault } from './faulty.ts';
import { judgedAt } from './judging.ts';

const only = ['basic', 'caching', 'page', 'tools', 'harden-no-json', 'harden-depth'];
const chosen = { only, revisions: chosenRevisions(['2026-07-28']) };

/** Serves a clean server that begins to answer after a time, and counts what it has to answer at once. */
async function slow(
  t: TestContext,
  ms: number | (() => number),
): Promise<{ readonly url: string; readonly most: () => number }> {
  const handler = toNodeHandler(cleanServer(), { onWarning: () => undefined });
  let [now, most] = [0, 0];
  const http = createHttp((request: IncomingMessage, response: ServerResponse) => {
    most = Math.max(most, ++now);
    response.once('close', () => now--);
    void rest(typeof ms === 'number' ? ms : ms()).then(() => handler(request, response));
  });
  await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
    return handler.close();
  });
  // A server that listens on a port has such an address.
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, most: () => most };
}

const verdicts = ({ rows }: CheckReport): readonly string[] => rows.map(({ id, verdict }) => `${id} ${verdict}`);

// They wait for slow servers nearly all of their time.
describe('a slow server', { concurrency: true }, () => {
  test('a slow server gets up to eight requests at once, no more messages than a quick one, and the same verdicts', async (t) => {
    const quick = await judgedAt(t, (await slow(t, 0)).url, chosen);
    const server = await slow(t, 1_050);
    const report = await judgedAt(t, server.url, chosen);
    assert.deepEqual(report.findings, []);
    assert.deepEqual(verdicts(report), verdicts(quick));
    assert.ok(server.most() >= 6 && server.most() <= 8, `${server.most()} at once`);
    assert.ok(
      report.counts.messages < 0.9 * quick.counts.messages,
      `${report.counts.messages} messages, and ${quick.counts.messages}`,
    );
  });

  test('a server that is slow while it starts, and quick from then on, is judged as a quick one', async (t) => {
    const startsAt = performance.now() + 1_300;
    const server = await slow(t, () => Math.max(0, startsAt - performance.now()));
    const report = await judgedAt(t, server.url, chosen);
    assert.deepEqual(report.findings, []);
    const { messages } = (await judgedAt(t, server.url, chosen)).counts;
    // One more tells that it has started; where answers take long, fewer are asked for.
    assert.equal(report.counts.messages, messages + 1);
  });

  test('a fault of a slow server is found by the rule that finds it in a quick one', async (t) => {
    const [row, quick] = faults['missing-is-empty'] ?? assert.fail();
    const fault: Fault = {
      async response(returning, passing) {
        await rest(1_050);
        await quick.response?.(returning, passing);
      },
      ...(quick.request && { request: (passing) => quick.request?.(passing) }),
    };
    const { url, close } = await serveFaulty(fault, cleanServer);
    t.after(close);
    const { findings } = await judgedAt(t, url, { ...chosen, only: [row] });
    assert.deepEqual(
      findings.map(({ id }) => id),
      [row],
    );
  });

  test('the events of two answers of a slow server are two, and the same id for both is a fault', async (t) => {
    const judged = async (idOf: () => string) => {
      const fault: Fault = {
        async response(returning) {
          await rest(1_050);
          if (returning.status === 200) asStream(returning, idOf());
        },
      };
      const { url, close } = await serveFaulty(fault, cleanServer);
      t.after(close);
      const report = await judgedAt(t, url, { only: ['http-037'], revisions: chosenRevisions(['2025-11-25']) });
      return report.rows.flatMap(({ id, verdict }) => (id === 'http-037' ? [verdict] : []));
    };
    let count = 0;
    assert.deepEqual(await Promise.all([judged(() => `e-${++count}`), judged(() => 'one')]), [['holds'], ['breaks']]);
  });

  test('a request that a slow server never answers is a fault, however long each answer takes', async (t) => {
    const over = new AbortController();
    t.after(() => over.abort());
    const fault: Fault = {
      async response(_, { message: { method } }) {
        await rest(method === 'ping' ? 600_000 : 1_050, undefined, { signal: over.signal }).catch(() => undefined);
      },
    };
    const { url, close } = await serveFaulty(fault, cleanServer);
    t.after(close);
    const of = { only: ['ping-001'], revisions: chosenRevisions(['2025-11-25']) };
    let report = await judgedAt(t, url, { ...of, waitTimeoutMs: 10_000 });
    // On a busy machine each answer takes longer, and the report names the time that is enough.
    for (let more = 0; more < 3 && report.cut !== undefined; more += 1) {
      const [, timeout] = /--timeout (\d+) /.exec(report.cut) ?? assert.fail(report.cut);
      report = await judgedAt(t, url, { ...of, waitTimeoutMs: Number(timeout) });
    }
    const { findings, cut } = report;
    assert.deepEqual(
      [findings.map(({ id, revisions }) => [id, ...revisions]), cut],
      [[['ping-001', '2025-11-25']], undefined],
    );
  });

  test('what a very slow server does not answer cuts a run short, and it is said what waits long enough', async (t) => {
    const over = new AbortController();
    t.after(() => over.abort());
    const fault: Fault = {
      async response(_, { message: { method } }) {
        await rest(method === 'ping' ? pingMs : 3_800, undefined, { signal: over.signal }).catch(() => undefined);
      },
    };
    let pingMs = 60_000;
    const { url, close } = await serveFaulty(fault, cleanServer);
    t.after(close);
    const of = { only: ['ping-001'], revisions: chosenRevisions(['2025-11-25']) };
    const { findings, cut, rows } = await judgedAt(t, url, { ...of, waitTimeoutMs: 15_000 });
    assert.deepEqual(findings, []);
    const why = rows.map((row) => row.why).join();
    const [, takes, timeout] =
      /not answered in 15 s, and each answer takes (\d+\.\d) s: --timeout (\d+)/.exec(why) ?? assert.fail(why);
    // On a busy machine answers take longer than the 3.8 s of this server.
    assert.ok(Number(takes) >= 3.8 && Math.abs(Number(timeout) / 16_000 - Number(takes)) <= 0.1, why);
    assert.match(cut ?? '', new RegExp(`not waited for as long as the server may need: --timeout ${timeout} `));
    pingMs = 15_500;
    const waitTimeoutMs = Number(timeout);
    const patient = await judgedAt(t, url, { ...of, waitTimeoutMs });
    assert.deepEqual(verdicts(patient), ['ping-001 holds']);
  });
});
