/** Callers of whom there are many at once, and what was begun with the token of somebody else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries, type Received, type Wire } from '../../../../../test/support/http-entries.ts';
import { bearer, call, open, said } from '../../../../../test/support/guarded-entrance.ts';
import { meta } from '../../../../../test/support/stateless-call.ts';

const who = (token: string): Wire => call('tools/call', { name: 'who' }, bearer(token));

function statuses(answers: readonly Received[]): readonly number[] {
  return [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b);
}

for (const [name, entry] of Object.entries(entries)) {
  test(`keys change under load at ${name}: whoever has a token of either key passes, and keys are fetched twice`, async (t) => {
    let time = Date.now();
    const now = (): number => time;
    const { send, issuer } = await open(t, entry, { issuer: { now }, protect: { now } });
    const olds = await Promise.all(Array.from({ length: 30 }, (_, at) => issuer.issue({ subject: `old-${at}` })));
    const asked: Promise<Received>[] = olds.slice(0, 15).map((token) => send(who(token)));
    await asked[0];
    issuer.rotate({ keep: true });
    time += 31_000;
    const news = await Promise.all(Array.from({ length: 30 }, (_, at) => issuer.issue({ subject: `new-${at}` })));
    for (const token of [...olds, ...news]) asked.push(send(who(token)));
    assert.deepEqual(statuses(await Promise.all(asked)), [200]);
    assert.equal(issuer.asked.get('/jwks'), 2);
  });

  test(`keys are out of reach under load at ${name}: what is known passes, nobody is refused for it, and few look for them`, async (t) => {
    const { send, issuer } = await open(t, entry);
    const known = await issuer.issue();
    assert.equal((await send(who(known))).status, 200);
    issuer.outage(true);
    const before = issuer.asked.get('/jwks') ?? 0;
    const fresh = await Promise.all(Array.from({ length: 30 }, (_, at) => issuer.issue({ subject: `s-${at}` })));
    assert.deepEqual(statuses(await Promise.all([known, ...fresh].map((token) => send(who(token))))), [200]);
    const strange = await Promise.all(
      Array.from({ length: 30 }, (_, at) => issuer.issue({ header: { kid: `unknown-${at}` } })),
    );
    const answers = await Promise.all(strange.map((token) => send(who(token))));
    // They were fetched a moment ago, so that what is not among them is none.
    assert.deepEqual(statuses(answers), [401]);
    assert.ok((issuer.asked.get('/jwks') ?? 0) - before <= 1);
  });

  test(`nobody reached the keys yet under load at ${name}: all are asked to come again, and are let in then`, async (t) => {
    let time = Date.now();
    const now = (): number => time;
    const { send, issuer } = await open(t, entry, { issuer: { now }, protect: { now } });
    issuer.outage(true);
    const tokens = await Promise.all(Array.from({ length: 30 }, (_, at) => issuer.issue({ subject: `s-${at}` })));
    const answers = await Promise.all(tokens.map((token) => send(who(token))));
    assert.deepEqual(statuses(answers), [503]);
    assert.ok(answers.every(({ headers }) => headers['retry-after'] !== undefined));
    assert.ok([...issuer.asked.values()].every((times) => times <= 2));
    issuer.outage(false);
    time += 10_000;
    assert.deepEqual(statuses(await Promise.all(tokens.map((token) => send(who(token))))), [200]);
  });

  test(`the state of a question is for who was asked, at ${name}: somebody else begins anew [elicit-040] [mrtr-012] [security-020] [security-022]`, async (t) => {
    const { send, issuer } = await open(t, entry, {
      define: (server) =>
        void server.tool('ask', {}, async (_, ctx) => {
          const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
          const { action } = await ctx.elicit({ message: 'Who?', schema: form });
          return `${ctx.auth?.subject} ${action}`;
        }),
    });
    const capable = { ...meta(), 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
    const ask = async (subject: string, more: object = {}): Promise<Received> => {
      const { headers } = call('tools/call', { name: 'ask' }, bearer(await issuer.issue({ subject })));
      const params = { name: 'ask', ...more, _meta: capable };
      return send({
        headers: headers ?? {},
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
    };
    const asked = resultOf(await ask('anna'));
    const key = Object.keys(asked.inputRequests ?? {})[0] ?? assert.fail('nothing was asked');
    const more = {
      requestState: asked.requestState,
      inputResponses: { [key]: { action: 'accept', content: { name: 'x' } } },
    };
    const stolen = await ask('eve', more);
    assert.equal(said(stolen), '', stolen.text);
    assert.doesNotMatch(stolen.text, /anna/);
    assert.equal(said(await ask('anna', more)), 'anna accept');
  });
}

interface Asked {
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
}

function resultOf({ text }: Received): Asked {
  const json = text.startsWith('{') ? text : (/^data: (\{.*\})$/m.exec(text)?.[1] ?? '{}');
  return (JSON.parse(json) as { readonly result?: Asked }).result ?? {};
}
