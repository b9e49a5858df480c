/** What two people's tokens must not see of each other: each leak is found, and nothing in the server without one. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';
import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { protect } from '../../packages/parley/src/protect.ts';
import { chosenRevisions, type RevisionDate } from '../../packages/parley/src/protocol/revision.ts';
import { testIssuer } from '../../packages/parley/src/testing.ts';
import { eachMessage, serveFaulty, type Fault, type Passing } from './faulty.ts';
import { taskServer } from './task-server.ts';
import { judgedAt } from './judging.ts';

const [core, newest] = ['2025-11-25', '2026-07-28'] as const;
const form = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] } as const;

interface Tokens {
  readonly own: string;
  readonly another: string;
}

/** Judges a row of a server with tasks and a tool that asks, as one person who has the token of another. */
async function judged(
  t: TestContext,
  [row, date]: readonly [string, RevisionDate],
  fault: (tokens: () => Tokens) => Fault = () => ({}),
): Promise<CheckReport> {
  const issuer = testIssuer();
  const scopes = ['read'];
  const held: { tokens?: Tokens } = {};
  const told = (): Tokens => held.tokens ?? assert.fail('it is asked before there are tokens');
  const { url, close } = await serveFaulty(
    fault(told),
    (resource) => {
      // Its work lasts while a slow machine asks about it.
      const server = taskServer(3_000);
      server.tool('ask', {}, async (_, ctx) => {
        if (!ctx.client.supports('elicitation')) return 'nobody can be asked';
        return (await ctx.elicit({ message: 'Sure?', schema: form })).action;
      });
      return protect(server, { ...issuer.options, resource, scopes });
    },
    { asks: (name) => name === 'ask' || name === 'tasks/result' },
  );
  t.after(close);
  const issue = (subject: string): Promise<string> => issuer.issue({ subject, audience: url, scopes });
  const tokens = (held.tokens = { own: await issue('ann'), another: await issue('bob') });
  return await judgedAt(t, url, {
    credentials: { headers: { Authorization: `Bearer ${tokens.own}` }, another: tokens.another },
    revisions: chosenRevisions([date]),
    only: [row],
    calls: [{ name: 'solo' }, { name: 'ask' }],
  });
}

/** Takes somebody else for the user, where they send something, and their session for one of the user's. */
function taken(isWanted: (passing: Passing) => boolean): (tokens: () => Tokens) => Fault {
  let session: string | undefined;
  return (tokens) => ({
    request(passing) {
      const { headers } = passing;
      const isOther =
        headers['authorization'] === `Bearer ${tokens().another}` || headers['authorization'] === undefined;
      if (!isOther || !isWanted(passing)) return;
      headers['authorization'] = `Bearer ${tokens().own}`;
      if (session !== undefined) headers['mcp-session-id'] = session;
    },
    response({ headers }, passing) {
      const isOwn = passing.headers['authorization'] === `Bearer ${tokens().own}`;
      if (isOwn && passing.message['method'] === 'initialize') session = headers['mcp-session-id'];
    },
  });
}

const says = (...methods: readonly string[]): ((passing: Passing) => boolean) => {
  return ({ message: { method } }) => methods.includes(String(method));
};

const goesOn = ({ message: { params } }: Passing): boolean => isObject(params) && params['requestState'] !== undefined;

const leaks: Readonly<
  Record<string, readonly [row: string, date: RevisionDate, fault: (tokens: () => Tokens) => Fault]>
> = {
  'reads-tasks-of-others': ['tasks-043', core, taken(says('tasks/get'))],
  'lists-tasks-of-others': ['tasks-043', core, taken(says('tasks/list'))],
  'cancels-tasks-of-others': ['tasks-043', core, taken(says('tasks/cancel'))],
  'reads-tasks-of-others-now': ['tasks-096', newest, taken(says('tasks/get'))],
  'cancels-tasks-of-others-now': ['tasks-096', newest, taken(says('tasks/cancel'))],
  'state-of-anybody': ['mrtr-012', newest, taken(goesOn)],
  'question-of-anybody': ['elicit-047', newest, taken(goesOn)],
};

for (const [row, date] of [
  ['tasks-043', core],
  ['tasks-096', newest],
  ['mrtr-012', newest],
  ['elicit-047', newest],
] as const)
  test(`${row} holds in a server that tells people apart`, async (t) => {
    const { findings, rows } = await judged(t, [row, date]);
    assert.deepEqual(findings, []);
    assert.deepEqual(
      rows.map(({ verdict }) => verdict),
      ['holds'],
      JSON.stringify(rows),
    );
  });

/** Acknowledges what is about a task that the sender does not have, as about one that nobody has. */
function acknowledging(isWanted: (passing: Passing) => boolean): (tokens: () => Tokens) => Fault {
  const take = taken(isWanted);
  return (tokens) => {
    const { request, response } = take(tokens);
    return {
      ...(request && { request }),
      async response(returning, passing) {
        await response?.(returning, passing);
        const isAbout = says('tasks/update', 'tasks/cancel')(passing);
        if (!isAbout || passing.headers['authorization'] === undefined) return;
        eachMessage(returning, (message) => {
          if (message['error'] === undefined) return;
          delete message['error'];
          message['result'] = { resultType: 'complete' };
          returning.status = 200;
        });
      },
    };
  };
}

/** Says of its list of tools that anybody may keep it, and gives the other person one less, as often as it is asked. */
function listed(isLess: (asked: number) => boolean): (tokens: () => Tokens) => Fault {
  let asked = 0;
  return (tokens) => ({
    response(returning, { message: { method }, headers }) {
      if (method !== 'tools/list') return;
      const isOther = headers['authorization'] === `Bearer ${tokens().another}`;
      eachMessage(returning, ({ result }) => {
        if (!isObject(result) || !Array.isArray(result['tools'])) return;
        result['cacheScope'] = 'public';
        if (isOther ? isLess(-1) : isLess(asked++)) result['tools'].pop();
      });
    },
  });
}

test('a list that says public is compared with that of somebody else, where it stays as it is', async (t) => {
  const cases = [
    ['holds', () => false],
    ['disputed', (asked: number) => asked < 0],
    ['not-judged', (asked: number) => asked % 2 === 1],
    ['not-judged', (asked: number) => asked < 0 || asked % 2 === 0],
  ] as const;
  for (const [verdict, isLess] of cases) {
    const { rows, findings } = await judged(t, ['caching-018', newest], listed(isLess));
    assert.deepEqual(
      findings.map(({ severity }) => severity),
      verdict === 'disputed' ? ['note'] : [],
    );
    assert.deepEqual(
      rows.map((row) => row.verdict),
      [verdict],
    );
  }
  const { rows } = await judged(t, ['caching-018', newest]);
  assert.deepEqual(
    rows.map(({ verdict }) => verdict),
    ['not-applicable'],
  );
});

test('two servers behind one address whose lists differ are no leak', async (t) => {
  let asked = 0;
  const turns = (): Fault => ({
    response(returning, { message: { method } }) {
      if (method !== 'tools/list') return;
      const isSecond = asked++ % 2 === 1;
      eachMessage(returning, ({ result }) => {
        if (!isObject(result) || !Array.isArray(result['tools'])) return;
        result['cacheScope'] = 'public';
        if (isSecond) result['tools'].pop();
      });
    },
  });
  const { rows, findings } = await judged(t, ['caching-018', newest], turns);
  assert.deepEqual(findings, []);
  assert.deepEqual(
    rows.map(({ verdict }) => verdict),
    ['not-judged'],
  );
});

test('a task that somebody else names may be acknowledged like one that nobody has', async (t) => {
  const { findings, rows } = await judged(
    t,
    ['tasks-096', newest],
    acknowledging(() => false),
  );
  assert.deepEqual(findings, []);
  assert.deepEqual(
    rows.map(({ verdict }) => verdict),
    ['holds'],
    JSON.stringify(rows),
  );
});

test('a task that somebody else cancels is found out where all that is named is acknowledged', async (t) => {
  const { findings, rows } = await judged(t, ['tasks-096', newest], acknowledging(says('tasks/cancel')));
  assert.deepEqual(
    findings.map(({ id }) => id),
    ['tasks-096'],
    JSON.stringify(rows),
  );
});

describe('a server that takes one for another', { concurrency: 4 }, () => {
  for (const [name, [row, date, fault]] of Object.entries(leaks))
    test(`is found out: ${name} breaks ${row}`, async (t) => {
      const { findings, rows } = await judged(t, [row, date], fault);
      assert.deepEqual(
        findings.map(({ id }) => id),
        [row],
        JSON.stringify(rows),
      );
    });
});
