/** Clients that act for themselves: each planted mistake is found in its row, and nothing in those that make none, ours among them. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { checkAuthorizedClient } from '../../packages/cli/src/check/client/authorization/check-authorized-client.ts';
import { machineRules } from '../../packages/cli/src/check/client/authorization/rules-machine.ts';
import { proofRules } from '../../packages/cli/src/check/client/authorization/rules-proofs.ts';
import { scenarios, type Scenario } from '../../packages/cli/src/check/client/authorization/scenarios.ts';
import { AuthorizationLog } from '../../packages/cli/src/check/client/authorization/authorization-log.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import type { Authorization } from '../../packages/parley/src/auth/common/authorizer.ts';
import { connect } from '../../packages/parley/src/client.ts';
import { clientCredentials, workloadIdentity } from '../../packages/parley/src/oauth.ts';
import { RawMachineClient, type MachineKind, type MachineMistake } from './raw-machine-client.ts';

async function judged(t: TestContext, run: (scenario: Scenario, url: string) => Promise<void>): Promise<CheckReport> {
  return await checkAuthorizedClient({
    port: 0,
    info: { name: 'parley-check', version: '1.0.0' },
    limitMs: 120_000,
    signal: t.signal,
    // Where it has to refuse it throws.
    drive: (scenario, url) => run(scenario, url).catch(() => undefined),
  });
}

const mistakes: Readonly<Record<MachineMistake, readonly [row: string, kind: MachineKind]>> = {
  'no-secret': ['auth-131', 'secret'],
  'untyped-assertion': ['auth-131', 'key'],
  'other-subject': ['auth-132', 'key'],
  'other-issuer': ['auth-132', 'key'],
  'other-audience': ['auth-132', 'key'],
  'stale-assertion': ['auth-132', 'key'],
  'plain-assertion': ['auth-132', 'key'],
  'plain-workload': ['auth-153', 'workload'],
  'asks-again': ['auth-155', 'workload'],
  'tries-another-grant': ['auth-155', 'workload'],
  'identity-as-token': ['auth-138', 'identity'],
  'same-id-elsewhere': ['auth-082', 'key'],
  'bound-as-bearer': ['auth-140', 'proof'],
  'same-proof': ['auth-140', 'proof'],
  'proof-of-nothing': ['auth-140', 'proof'],
  'proof-of-another-url': ['auth-140', 'proof'],
  'no-proof-for-token': ['auth-141', 'proof'],
  'deaf-to-issuer': ['auth-142', 'proof'],
  'deaf-to-server': ['auth-143', 'proof'],
  'symmetric-proof': ['auth-144', 'proof'],
};

describe('a client that acts for itself with one fault', { concurrency: 4 }, () => {
  for (const [mistake, [row, kind]] of Object.entries(mistakes) as [
    MachineMistake,
    (typeof mistakes)[MachineMistake],
  ][])
    test(`is found out: ${mistake} breaks ${row}`, async (t) => {
      const { findings } = await judged(t, ({ tools }, url) => new RawMachineClient(url, kind, mistake).run(tools));
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(findings, undefined, 1),
      );
    });
});

const own = ['auth-082', 'auth-119', 'auth-131'];
const held: Readonly<Record<MachineKind, readonly string[]>> = {
  secret: own,
  key: [...own, 'auth-132'],
  workload: ['auth-153', 'auth-155'],
  identity: ['auth-138', 'auth-153', 'auth-155'],
  url: ['auth-131', 'auth-132'],
  proof: ['auth-131', 'auth-140', 'auth-141', 'auth-142', 'auth-143', 'auth-144'],
};

for (const kind of Object.keys(held) as MachineKind[])
  test(`nothing is found in a client that acts for itself by ${kind} without a fault`, async (t) => {
    const { findings, missing, rows } = await judged(t, ({ tools }, url) => new RawMachineClient(url, kind).run(tools));
    assert.deepEqual([findings, missing], [[], undefined]);
    const holding = new Set(rows.filter(({ verdict }) => verdict === 'holds').map(({ id }) => id));
    assert.deepEqual(
      held[kind].filter((row) => !holding.has(row)),
      [],
    );
  });

test('an assertion is as fresh as it was when it came, however long the run lasts after that', async (t) => {
  const { now } = Date;
  let later = 0;
  t.mock.method(Date, 'now', () => now() + later);
  const { findings, rows } = await judged(t, async ({ name, tools }, url) => {
    if (name !== 'machine') return;
    await new RawMachineClient(url, 'key').run(tools);
    later = 600_000;
  });
  assert.deepEqual(
    findings.filter(({ id }) => id === 'auth-132'),
    [],
  );
  assert.ok(rows.some(({ id, verdict }) => id === 'auth-132' && verdict === 'holds'));
});

test('nothing is found in a client with proofs that has several calls under way before it can know the nonce', async (t) => {
  const { findings, rows } = await judged(t, async ({ tools }, url) => {
    const client = new RawMachineClient(url, 'proof');
    if (tools.includes('again')) await client.atOnce('echo', 6);
    await client.run(tools);
  });
  assert.deepEqual(findings, []);
  for (const row of ['auth-142', 'auth-143'])
    assert.ok(rows.some(({ id, verdict }) => id === row && verdict === 'holds'));
});

test('proofs without the nonce are counted from when it could be known', () => {
  const proofs = scenarios.find(({ takesProofs }) => takesProofs === true) ?? assert.fail('there is one');
  const rule = proofRules.find(({ id }) => id === 'auth-143') ?? assert.fail('it is judged');
  const found = (...times: readonly number[]): unknown => {
    const authorizationLog = new AuthorizationLog(proofs, 'http://127.0.0.1:1/mcp', ['http://127.0.0.1:2/tenant']);
    for (const at of times)
      authorizationLog.steps.push({
        place: 'endpoint',
        method: 'POST',
        url: new URL(authorizationLog.resource),
        headers: { dpop: 'e30.e30.x' },
        fields: {},
        status: 401,
        came: '',
        at,
        clock: at,
      });
    return rule.judge(authorizationLog, []);
  };
  assert.equal(found(0, 10, 20, 30, 40, 1_900), 'not-seen');
  assert.equal(found(0, 5_000, 6_000, 7_000), 'not-seen');
  assert.notEqual(found(0, 5_000, 6_000, 7_000, 8_000), 'not-seen');
});

test('every row about clients without a person has a fault that breaks it', () => {
  const broken = Object.values(mistakes).map(([row]) => row);
  assert.deepEqual(
    [...machineRules, ...proofRules].map(({ id }) => id).filter((id) => !broken.includes(id)),
    [],
  );
});

const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
const text = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const assertion = `${text({ alg: 'ES256', typ: 'JWT' })}.${text({ sub: 'workload' })}.c2lnbmF0dXJl`;

const ours: Readonly<Record<string, () => Authorization>> = {
  'its key': () => clientCredentials({ id: 'parley-check', key: pair.privateKey }),
  'its key, with proofs': () => clientCredentials({ id: 'parley-check', key: pair.privateKey, dpop: 'always' }),
  'its secret': () => clientCredentials({ id: 'parley-check', secret: 'sesame' }),
  'the token of its workload': () => workloadIdentity({ clientId: 'parley-check', assertion: () => assertion }),
};

for (const [what, auth] of Object.entries(ours))
  for (const date of ['2025-11-25', '2026-07-28'])
    test(`nothing is found in our client at ${date} that signs in by ${what}`, async (t) => {
      const report = await judged(t, async ({ tools }, url) => {
        const client = await connect(url, { auth: auth(), revisions: [date] });
        try {
          for (const tool of tools) await client.callTool(tool, {});
        } finally {
          await client.close();
        }
      });
      assert.deepEqual([report.findings, report.cut], [[], undefined]);
      const rows = report.rows.filter(({ verdict }) => verdict === 'holds');
      const wanted = what.includes('workload') ? 'auth-153' : what.includes('proofs') ? 'auth-143' : 'auth-131';
      assert.ok(rows.some(({ id }) => id === wanted));
    });
