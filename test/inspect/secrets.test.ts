/** Thirty-eight secrets, one at every place where one may stand, looked for wherever `parley inspect` shows, keeps or writes anything. */

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { configuredPlans } from '../../packages/cli/src/commands/inspect/plans.ts';
import { parseOptions } from '../../packages/cli/src/commands/options.ts';
import { run } from '../../packages/cli/src/commands/run.ts';
import type { ServerPlan } from '../../packages/cli/src/inspect/servers/shared.ts';
import type { EntryView, ServerView } from '../../packages/cli/src/inspect/view.ts';
import { recordTo } from '../../packages/cli/src/recorder/file.ts';
import { inspecting, noPage, outcomeOf, rowsOf, type InspectedScene } from '../support/inspected.ts';
import { signedInPlan } from '../support/signed-in-plan.ts';
import { stuckAfterMs } from '../support/stuck.ts';
import { repeating, tellingScript } from '../support/telling-servers.ts';

/** Secrets by their places; the part that is looked for is spelled alike in JSON, forms and addresses. */
const secret = (place: string): string => `${place}-7Qx4/"+ &é-${place}-7Qx41`;
const plain = (place: string): string => `${place}-7Qx41-0123456789`;
const sought = (place: string): RegExp => new RegExp(`${place}-7Qx4`);

/** Variables of the process, each of which its server says at another place. */
const said = ['TEXT', 'STRUCTURED', 'ERROR', 'LOG', 'PROGRESS', 'RESOURCE', 'PERCENT', 'ESCAPED', 'STDERR', 'SPLIT'];
/** Never configured: known by their keys in a text of JSON within JSON. */
const named = ['access_token', 'refresh_token', 'id_token', 'client_secret', 'code_verifier', 'device_code'];
const asked = ['code', 'code_verifier', 'client_secret', 'device_code', 'refresh_token'];
const given = ['access_token', 'refresh_token', 'id_token'];
/** Those of a login at the page, which is renewed and left. */
const ofLogin = ['code', 'verifier', 'access', 'refresh', 'renewed-access', 'renewed-refresh'];
const sentHeaders = { Authorization: 'Bearer ', Cookie: 'sid=', DPoP: '', 'X-Api-Key': '' };
/** Kept and hidden: whoever reveals an entry sees them. */
const hidden: readonly string[] = [...said, 'X-Api-Key', 'Query', 'Session', 'Argument'];
const places: readonly string[] = [
  ...hidden,
  ...named.map((key) => `said-${key}`),
  ...asked.map((key) => `asked-${key}`),
  ...given.map((key) => `given-${key}`),
  ...ofLogin.map((key) => `login-${key}`),
  'Authorization',
  'Cookie',
  'DPoP',
  'Given',
];

/** The same plan, with a login; where it is reached, somebody is signed in already. */
function withLogin(plan: ServerPlan): ServerPlan {
  const [
    code = '',
    code_verifier = '',
    access_token = '',
    refresh_token = '',
    renewed_access = '',
    renewed_refresh = '',
  ] = ofLogin.map((key) => secret(`login-${key}`));
  const renewed = { renewed_access_token: renewed_access, renewed_refresh_token: renewed_refresh };
  return { ...plan, login: signedInPlan(plan, { code, code_verifier, access_token, refresh_token, ...renewed }).login };
}

/** Asks a token endpoint before it connects. */
function signingIn(plan: ServerPlan): ServerPlan {
  const body = new URLSearchParams(asked.map((key) => [key, secret(`asked-${key}`)])).toString();
  const answer = Object.fromEntries(given.map((key) => [key, secret(`given-${key}`)]));
  return {
    ...plan,
    async reach(settings) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const rest = { redirect: 'error', credentials: 'omit', signal: AbortSignal.timeout(10_000) } as const;
      const send = settings.overheard(() => Promise.resolve(Response.json(answer)));
      const response = await send('https://issuer.example/token', { method: 'POST', headers, body, ...rest });
      const reader = response.body?.getReader();
      while ((await reader?.read())?.done === false);
      return await plan.reach(settings);
    },
  };
}

async function used(scene: InspectedScene): Promise<Readonly<Record<string, string>>> {
  for (const id of ['A', 'B']) {
    await scene.line('server', ({ server }) => server.id === id && server.state === 'connected' && server.version > 0);
  }
  await scene.json('connect', { server: 'A', asks: true });
  const isIn = (view: ServerView): boolean => view.id === 'A' && view.state === 'connected' && view.login !== undefined;
  await scene.line('server', ({ server }) => isIn(server));
  await scene.json('refresh', { server: 'A' });
  const tokens = JSON.stringify(Object.fromEntries(named.map((key) => [key, secret(`said-${key}`)])));
  const text = JSON.stringify({ text: tokens, password: secret('Argument') });
  const lists = [await scene.json('lists', { server: 'A' }), await scene.json('lists', { server: 'B' })];
  const outcomes = [
    await outcomeOf(scene, { server: 'A', name: 'repeat' }),
    await outcomeOf(scene, { server: 'B', name: 'say', text }),
    await outcomeOf(scene, { server: 'B', name: 'fail' }),
    await outcomeOf(scene, { server: 'B', name: 'file:///r', kind: 'resource' }),
  ];
  await scene.json('sign-out', { server: 'A' });
  const entries = await Promise.all(rowsOf(scene).map(({ n }) => scene.json<EntryView>('entry', { n })));
  const lenses = await Promise.all(
    rowsOf(scene).map(async ({ n }) => (await scene.post('lens', { n, revision: '2024-11-05' })).text()),
  );
  const exports = ['recording', 'transcript', 'har'].map(
    async (what) => [`export ${what}`, (await scene.json<{ readonly text: string }>('export', { what })).text] as const,
  );
  return {
    lists: JSON.stringify(lists),
    outcomes: JSON.stringify(outcomes),
    entries: JSON.stringify(entries.map(({ entry }) => entry)),
    curl: entries.map(({ curl }) => curl ?? '').join('\n'),
    'parley call': entries.map(({ line }) => line ?? '').join('\n'),
    lens: lenses.join('\n'),
    ...Object.fromEntries(await Promise.all(exports)),
    feed: JSON.stringify(scene.lines),
  };
}

test(
  'no secret stands in a page, an answer, a recording, an export or what is printed',
  { skip: noPage },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const at = (name: string): string => join(folder, name);
    await writeFile(at('near.mjs'), tellingScript);
    const env = Object.fromEntries(said.map((place) => [`${place}_KEY`, secret(place)]));
    const headers = Object.fromEntries(
      Object.entries(sentHeaders).map(([name, before]) => [name, before + plain(name)]),
    );
    const url = await repeating(t, { session: plain('Session'), cookie: plain('Given') });
    const mcpServers = {
      far: { type: 'http', url: `${url}?api_key=${plain('Query')}`, headers },
      near: { command: process.execPath, args: [at('near.mjs')], env },
    };
    await writeFile(at('mcp.json'), JSON.stringify({ mcpServers }));
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const ending = new AbortController();
    const io = { stdin, stdout, stderr, env: {}, signal: ending.signal };
    const plans = await configuredPlans(at('mcp.json'), undefined, parseOptions([], {}), io);
    const file = await recordTo(at('by-plans'));
    const scene = await inspecting(
      t,
      plans.map((plan) => (plan.kind === 'http' ? withLogin(signingIn(plan)) : signingIn(plan))),
      { revision: '2025-11-25', begun: (log) => file.add(log) },
    );
    const found = await used(scene);
    // One after the other: the process takes no more than 64 connections.
    const revealed: EntryView[] = [];
    for (const { n } of rowsOf(scene)) revealed.push(await scene.json<EntryView>('entry', { n, reveal: true }));
    await file.close();
    const ran = run(['inspect', '--config', at('mcp.json'), '--no-open', '--record', at('by-command')], io);
    let printed = '';
    for await (const piece of stdout) if ((printed += String(piece)).includes('shows it')) break;
    // What was said to the servers is recorded a moment later.
    const patience = AbortSignal.timeout(stuckAfterMs);
    while (!/•••/.test(await readFile(at('by-command'), 'utf8'))) {
      patience.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    ending.abort();
    assert.equal(await ran, 0);
    const seen: Readonly<Record<string, string>> = {
      ...found,
      '--record': await readFile(at('by-plans'), 'utf8'),
      'the file of the command': await readFile(at('by-command'), 'utf8'),
      printed: printed + String(stderr.read() ?? ''),
    };
    const placesIn = (text: string): readonly string[] => places.filter((place) => sought(place).test(text));
    assert.deepEqual(
      Object.entries(seen).flatMap(([where, text]) => placesIn(text).map((place) => `${place} in ${where}`)),
      [],
    );
    assert.deepEqual(placesIn(JSON.stringify(revealed.map(({ entry }) => entry))), hidden);
    for (const [where, text] of Object.entries(seen))
      assert.ok(text.length > 100 && (where === 'printed' || /•••|\$TOKEN/.test(text)), where);
  },
);
