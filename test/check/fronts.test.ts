/** What stands in front of a server, and what it cannot help, is no fault of it. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { CheckReport } from '../../src/check/report.ts';
import { faulty, type Fault, type Returning } from './faulty.ts';
import { judgedAt } from './judging.ts';

async function judged(t: TestContext, fault: Fault): Promise<CheckReport> {
  return await judgedAt(t, await faulty(t, fault));
}

const json = { 'content-type': 'application/json' };

const answers: Readonly<Record<string, Returning>> = {
  'a limit of requests, in JSON': { status: 429, headers: json, text: '{"error":"too many requests"}' },
  'a limit of requests, as an error of JSON-RPC': {
    status: 429,
    headers: json,
    text: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Too many requests"},"id":null}',
  },
  'a gateway, in JSON': { status: 504, headers: json, text: '{"message":"Endpoint request timed out"}' },
};

for (const [what, answer] of Object.entries(answers))
  test(`${what} says nothing of a server, whenever it comes`, async (t) => {
    let count = 0;
    const { findings, counts } = await judged(t, {
      request: () => (++count > 60 && (answer.status === 429 || count % 2 === 0) ? { ...answer } : undefined),
    });
    assert.deepEqual(findings, []);
    assert.ok(counts.judged > 10 && counts.notJudged > 10, JSON.stringify(counts));
  });

test('an answer of which no more is read is no refusal', async (t) => {
  const { findings } = await judged(t, {
    response(returning, { message }) {
      if (message['method'] !== 'prompts/list' || returning.status !== 200) return;
      returning.text = returning.text.replace('"prompts":[', `"prompts":[{"name":"${'a'.repeat(3_000_000)}"},`);
    },
  });
  assert.deepEqual(
    findings.map(({ id, why }) => [id, why]),
    [],
  );
});

test('a challenge that names no URL is judged, and ends nothing', async (t) => {
  const challenge = 'Bearer resource_metadata="http://[none"';
  const { findings, cut } = await judged(t, {
    request: () => ({ status: 401, headers: { 'www-authenticate': challenge }, text: '' }),
  });
  assert.equal(cut, undefined);
  assert.ok(findings.every(({ id }) => id.startsWith('auth-')));
});
