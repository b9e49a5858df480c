/** Servers that want a proof of the key of a token (DPoP): the planted faults are found, and nothing in one that has none. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { DpopProver, type DpopKeys } from '../../packages/parley/src/auth/client/dpop.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { testIssuer } from '../../packages/parley/src/testing.ts';
import { cleanServer, serveFaulty, type Fault, type Passing } from './faulty.ts';
import { judgedAt } from './judging.ts';

const rows = ['auth-144', 'auth-145', 'auth-147'];

/** Gives a right proof for the next request. */
type NextProof = () => string;

async function keys(): Promise<DpopKeys> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey);
  return { privateKey: pair.privateKey, jwk: { kty, crv, x, y } };
}

interface Wished {
  /** False for a user whose token is bound to no key. */
  readonly isBound?: boolean;
  /** False for a server that takes no proofs. */
  readonly takes?: boolean;
  readonly only?: readonly string[];
  readonly waitTimeoutMs?: number;
}

async function judged(
  t: TestContext,
  fault: (next: NextProof) => Fault = () => ({}),
  { isBound = true, takes = true, only = rows, waitTimeoutMs = 5_000 }: Wished = {},
): Promise<CheckReport> {
  const issuer = testIssuer();
  const spare: string[] = [];
  const { url, close } = await serveFaulty(
    fault(() => spare.pop() ?? assert.fail('no proof is left')),
    (resource) =>
      protect(cleanServer(), {
        ...issuer.options,
        resource,
        scopes: [],
        ...(takes && { dpop: { required: isBound } }),
      }),
  );
  t.after(close);
  const pair = await keys();
  const { kty, crv, x, y } = pair.jwk;
  const jkt = createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
  const token = await issuer.issue({ subject: 'ann', audience: url, ...(isBound && { claims: { cnf: { jkt } } }) });
  const prover = new DpopProver(() => Promise.resolve(pair), Date.now);
  const proof = (method: string, at: URL): Promise<string> => prover.proof({ method, url: at, token });
  for (let count = 0; count < 40; count++) spare.push(await proof('POST', new URL(url)));
  const bound = async ({ method, url: at }: { method: string; url: URL }): Promise<Record<string, string>> => ({
    Authorization: `DPoP ${token}`,
    DPoP: await proof(method, at),
  });
  const credentials = isBound ? { authorize: bound } : { headers: { Authorization: `Bearer ${token}` } };
  return await judgedAt(t, url, { credentials, only, waitTimeoutMs });
}

function verdictsOf({ rows: all }: CheckReport): readonly string[] {
  return rows.map((row) => all.find(({ id }) => id === row)?.verdict ?? 'none');
}

test('nothing is found in a server that verifies proofs, and each rule about them holds', async (t) => {
  const report = await judged(t, undefined, { only: [...rows, 'auth', 'basic', 'tools'] });
  assert.deepEqual(report.findings, []);
  assert.deepEqual(verdictsOf(report), ['holds', 'holds', 'holds'], JSON.stringify(report.rows));
});

test('of a token that is bound to no key, and of a server without proofs, nothing is said', async (t) => {
  assert.deepEqual(verdictsOf(await judged(t, undefined, { isBound: false })), ['holds', 'not-allowed', 'not-allowed']);
  const without = await judged(t, undefined, { isBound: false, takes: false });
  assert.deepEqual(verdictsOf(without), Array(3).fill('not-applicable'));
});

const proofOf = ({ headers }: Passing): string => headers['dpop'] ?? '';

function said(passing: Passing, part: 0 | 1): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(proofOf(passing).split('.')[part] ?? '', 'base64url').toString());
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Takes some proofs for right ones. */
const taking =
  (isTaken: (passing: Passing) => boolean) =>
  (next: NextProof): Fault => ({
    request(passing) {
      const isOf = passing.headers['authorization']?.startsWith('DPoP ') === true && passing.method === 'POST';
      if (isOf && isTaken(passing)) passing.headers['dpop'] = next();
    },
  });

/** Alters refusals for proofs. */
const refusing = (alter: Fault['response']) => (): Fault => ({
  response(returning, passing) {
    if (returning.status === 401 && proofOf(passing) !== '') return alter?.(returning, passing);
  },
});

const faults: Readonly<Record<string, readonly [row: string, fault: (next: NextProof) => Fault]>> = {
  'takes-none': ['auth-144', taking((passing) => said(passing, 0)['alg'] === 'none')],
  'takes-symmetric': ['auth-144', taking((passing) => said(passing, 0)['alg'] === 'HS256')],
  'names-symmetric': [
    'auth-144',
    () => ({
      response({ headers }) {
        headers['www-authenticate'] = (headers['www-authenticate'] ?? '').replace('algs="', 'algs="HS256 ');
      },
    }),
  ],
  'needs-no-proof': ['auth-145', taking((passing) => proofOf(passing) === '')],
  'verifies-no-signature': ['auth-145', taking((passing) => /[AB]{12}$/.test(proofOf(passing)))],
  'of-any-method': ['auth-145', taking((passing) => said(passing, 1)['htm'] === 'PUT')],
  'of-any-address': ['auth-145', taking((passing) => String(said(passing, 1)['htu']).includes('parley-check'))],
  'refuses-by-400': ['auth-147', refusing((returning) => void (returning.status = 400))],
  'refuses-without-challenge': ['auth-147', refusing(({ headers }) => void delete headers['www-authenticate'])],
  'says-no-error': [
    'auth-147',
    refusing(({ headers }) => {
      headers['www-authenticate'] = (headers['www-authenticate'] ?? '').replaceAll(/,? ?error\w*="[^"]*"/g, '');
    }),
  ],
};

test('of a refusal that does not come in time nothing is said', async (t) => {
  const late = refusing(() => new Promise<void>((resolve) => void setTimeout(resolve, 60_000).unref()));
  const report = await judged(t, late, { waitTimeoutMs: 700 });
  assert.deepEqual(report.findings, []);
  assert.deepEqual(verdictsOf(report), Array(3).fill('not-judged'), JSON.stringify(report.rows));
  assert.match(report.rows.find(({ id }) => id === 'auth-147')?.why ?? '', /was not answered in time$/);
});

describe('a server that wants proofs, with one fault', { concurrency: 4 }, () => {
  for (const [name, [row, fault]] of Object.entries(faults))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows: all } = await judged(t, fault, { only: [row] });
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(all),
      );
    });
});
