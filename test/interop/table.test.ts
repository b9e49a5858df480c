import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteReport, StepReport } from '../../interop/harness/drive.ts';
import type { Fault } from '../../interop/harness/faults.ts';
import { loopIn, requestsIn } from '../../interop/harness/loops.ts';
import { page } from '../../interop/harness/page.ts';
import type { Peer } from '../../interop/harness/peer.ts';
import { exercises, judgeConnect } from '../../interop/harness/plan.ts';
import { unexplained, unseen, type PeerReport } from '../../interop/harness/report.ts';
import { routesOf } from '../../interop/harness/routes.ts';
import type { Outcome } from '../../interop/harness/step.ts';
import { printed, type WireLine } from '../../interop/harness/wire.ts';

const peer: Peer = {
  name: 'other',
  title: 'the other SDK',
  newest: '2026-07-28',
  client: ['stdio', 'http'],
  server: ['http'],
  lacks: { client: { roots: 'it has none' }, server: {} },
  build: () => Promise.reject(new Error('it is not built here')),
};
const fault: Fault = { peer: 'other', side: 'server', steps: ['unknown tool'], why: 'It says nothing.' };
const wrong: StepReport = { step: 'unknown tool', problem: 'no error', wire: ['→ {"id":1}', '← {"id":1,"result":{}}'] };

function reported(steps: readonly StepReport[], side: 'client' | 'server' = 'server'): readonly PeerReport[] {
  const route = { side, way: 'http', title: 'our client, its server, HTTP' } as const;
  const report: RouteReport = { route, revision: '2026-07-28', steps, complaints: '' };
  return [{ peer, version: 'other 1.0', routes: [report] }];
}

function judged(id: string, outcome: Omit<Outcome, 'step'>): string | undefined {
  return exercises.find(({ step }) => step.id === id)?.judge({ step: id, ...outcome });
}

test('a row counts what works, and numbers the faults of the peer', () => {
  const text = page({ reports: reported([{ step: 'connect' }, wrong]), missing: [], faults: [fault] });
  assert.match(text, /\| our client, its server, HTTP \| 2026-07-28 \| 1 of 2 \| unknown tool \[1\] \|/);
  assert.match(text, /### 1\. the other SDK, its server: unknown tool\n\nIt says nothing\.\n\n```text\n# our client/);
  assert.match(text, /← \{"id":1,"result":\{\}\}/);
  assert.match(text, /- its client: roots: it has none/);
  assert.doesNotMatch(text, /## Open/);
});

test('what no fault of a peer explains stands open, with its bytes', () => {
  const reports = reported([{ step: 'connect', problem: 'refused' }, wrong], 'client');
  const text = page({ reports, missing: [], faults: [fault] });
  assert.equal(unexplained(reports, [fault]).length, 2);
  assert.match(text, /0 of 2 \| \*\*connect\*\*, \*\*unknown tool\*\* \|/);
  assert.match(text, /## Open\n\n### the other SDK: connect/);
});

test('a fault that is met no more is told, unless its peer was not run', () => {
  assert.deepEqual(unseen(reported([{ step: 'connect' }]), [fault]), [fault]);
  assert.deepEqual(unseen(reported([wrong]), [fault]), []);
  assert.deepEqual(unseen([], [fault]), []);
});

test('a peer that cannot be had is named, and why', () => {
  const text = page({ reports: [], missing: [{ peer, why: 'cargo is not here' }], faults: [fault] });
  assert.match(text, /## Not run\n\n- the other SDK: cargo is not here/);
  assert.doesNotMatch(text, /## Faults/);
});

test('a fault may hold for some ways and revisions alone, or behind a bridge', () => {
  const reports = reported([wrong]);
  assert.equal(unexplained(reports, [{ ...fault, ways: ['stdio'] }]).length, 1);
  assert.equal(unexplained(reports, [{ ...fault, revisions: ['2025-11-25'] }]).length, 1);
  assert.equal(unexplained(reports, [{ ...fault, bridged: true }]).length, 1);
  assert.equal(unexplained(reports, [{ ...fault, ways: ['http'], bridged: false }]).length, 0);
});

test('a step is judged by its result, by its errors and by what was heard', () => {
  const text = (words: string): object => ({ content: [{ type: 'text', text: words }] });
  assert.equal(judged('sampling', { result: text('well met'), heard: ['asked sampling'] }), undefined);
  assert.match(judged('sampling', { result: text('well met') }) ?? '', /not heard: asked sampling/);
  assert.match(judged('sampling', { failed: 'nothing came in time' }) ?? '', /nothing came in time/);
  assert.equal(judged('unknown tool', { error: { code: -32602, message: 'x' } }), undefined);
  assert.match(judged('unknown tool', { result: text('x') }) ?? '', /no error/);
  assert.equal(judged('cancel', { failed: 'cancelled' }), undefined);
  assert.match(judged('cancel', { result: text('never given up') }) ?? '', /it was answered/);
  assert.match(judged('structured', { result: { structuredContent: { sum: 6 } } }) ?? '', /is 6/);
  assert.match(judgeConnect({ step: 'connect', result: { revision: '2020-01-01' } }) ?? '', /2020-01-01/);
});

test('a peer is driven in the ways that it has, directly and through a bridge', () => {
  const titles = routesOf(peer).map(({ title }) => title);
  assert.equal(new Set(titles).size, titles.length);
  assert.ok(titles.includes('its client, our server, stdio'));
  assert.ok(titles.some((title) => title.startsWith('our client at 2025-11-25, stdio, our bridge, HTTP')));
  assert.ok(!titles.some((title) => title.includes('HTTP+SSE')));
});

test('its client meets our server as three processes too, and without sessions at the revisions that have them', () => {
  const services = routesOf(peer).filter(({ service }) => service !== undefined);
  assert.deepEqual(
    services.map(({ side, way, service, revisions }) => [side, way, service, revisions?.at(-1)]),
    [
      ['client', 'http', 'shared', undefined],
      ['client', 'http', 'shared', '2025-11-25'],
      ['client', 'http', 'alone', '2025-11-25'],
    ],
  );
  // What nobody could be asked or told is not counted there; all else is.
  const left = exercises.filter(({ needsSession }) => needsSession !== true).map(({ step }) => step.id);
  assert.ok(['tools', 'progress', 'large result', 'together'].every((id) => left.includes(id)));
  assert.ok(!left.some((id) => ['elicitation', 'watch', 'updated'].includes(id)));
});

test('a client that comes back to the same event again and again is a problem of the step in which it does', () => {
  const line = (text: string): WireLine => ({ at: 1, arrow: '→', text });
  const back = line('GET /mcp; accept: text/event-stream; last-event-id: a-1:2; mcp-session-id: s');
  assert.equal(loopIn([back, back], []), undefined);
  assert.match(loopIn([back], [back, back]) ?? '', /came back 3 times to the same event/);
  assert.equal(loopIn([line('POST /mcp')], [back, back, back]), undefined);
  const many = Array.from({ length: 61 }, () => line('POST /mcp'));
  assert.equal(requestsIn([...many, line('{"jsonrpc":"2.0"}')]), 61);
  assert.match(loopIn(many, []) ?? '', /61 requests were sent in one step/);
});

test('a printed line of the wire names what differs from run to run', () => {
  const text = 'GET http://127.0.0.1:4711/mcp; mcp-session-id: 0f8fad5b-d9cb-469f-a165-70867728950e';
  assert.equal(printed({ at: 1, arrow: '→', text }), '→ GET http://127.0.0.1:PORT/mcp; mcp-session-id: UUID');
});
