/**
 * A client by hand that is asked in rounds: by handlers that say more than rounds remember, at other places than before, and in their effects; it answers what it
 * was not asked, and its states are lost, or cannot be kept.
 */

import type { Server } from '../../../packages/parley/src/server.ts';
import type { Process } from '../world.ts';
import { sample } from './handling.ts';
import type { GuestParts } from './raw.ts';
import { isAway, Shop, type ShopOptions, type Visit } from './shop.ts';

/** More messages than rounds remember. */
const many = 1_005;

/** Runs all of it. */
export async function beAskedInRounds(process: Process, parts: GuestParts): Promise<void> {
  const revision = '2026-07-28';
  const few: ShopOptions = { revision };
  const large: ShopOptions = {
    ...few,
    nodes: 2,
    server: { rounds: { keys: [new Uint8Array(32).fill(7)], singleUse: true, maxStateLength: 200 } },
  };
  for (const [name, options, clientSession] of [
    ['words of several rounds', few, words],
    ['states that are lost', large, states],
  ] as const) {
    const shop = new Shop(process, parts, name, options);
    await clientSession(shop).catch((error: unknown) => shop.violated(`fails: ${String(error)}`));
    await shop.close();
  }
}

async function words(shop: Shop): Promise<void> {
  stock(shop.nodes[0]!.server);
  const first = await call(shop, 'many');
  shop.expect('everything is said once', said(first, 'many') === many, first);
  const last = await call(shop, 'many', answersOf(first));
  shop.expect('what was said is not said again', said(last, 'many') === 0 && said(last, 'later') === 1, last);
  shop.expect('it is answered', last.text.includes('"text":"yes"'), last);
  // What an effect said is not said again where it does not run, also by the handler itself, and what comes at another place is known by its words.
  let visit = await call(shop, 'effects');
  const all = [visit];
  for (let round = 0; round < 3 && stateOf(visit) !== undefined; round++)
    all.push((visit = await call(shop, 'effects', answersOf(visit))));
  for (const text of ['in effect', 'moved', 'side'])
    shop.expect(`"${text}" is said once`, all.reduce((sum, one) => sum + said(one, text), 0) === 1, visit);
  shop.expect('it is answered at last', visit.text.includes('"text":"yes"'), visit);
  // An answer to another kind of question is none.
  const asked = await call(shop, 'effects');
  const wrong = { ...answersOf(asked), inputResponses: { [keysOf(asked)[0] ?? '']: { action: 'accept' } } };
  const again = await call(shop, 'effects', wrong);
  shop.expect('it is asked again', stateOf(again) !== undefined, again);
}

async function states(shop: Shop): Promise<void> {
  for (const { server } of shop.nodes) stock(server);
  const [one] = shop.nodes;
  const first = await call(shop, 'long');
  const answers = answersOf(first);
  one?.before.set('records.add', isAway);
  const busy = await call(shop, 'long', answers);
  shop.expect('a state that cannot be marked is not used', busy.status === 503 || busy.text.includes('"error"'), busy);
  one?.before.delete('records.add');
  const answered = await call(shop, 'long', answers);
  shop.expect('it is used afterwards', answered.text.includes('"text":"yes"'), answered);
  const other = answersOf(await call(shop, 'long'));
  one?.before.set('records.get', async (key) => await shop.store.records.delete(String(key)));
  const lost = await call(shop, 'long', other);
  one?.before.delete('records.get');
  shop.expect('a state that is lost is refused', lost.text.includes('-32602'), lost);
}

function stock(server: Server): void {
  server.tool('many', {}, async (_, ctx) => {
    for (let at = 0; at < many; at++) ctx.log('error', `many ${at}`);
    const answer = await sample(ctx, 'many');
    ctx.log('error', 'later');
    return answer;
  });
  let runs = 0;
  server.tool('effects', {}, async (_, ctx) => {
    runs++;
    if (runs === 1) ctx.log('error', 'moved');
    const answer = await sample(ctx, 'one');
    if (runs > 1) ctx.log('error', 'moved');
    await ctx.once('effect', () => ctx.log('error', 'in effect'));
    if (runs > 2) ctx.log('error', 'in effect');
    const [other] = await Promise.all([sample(ctx, 'two'), sample(ctx, 'three')]);
    ctx.log('error', 'side');
    return answer === other ? answer : 'others';
  });
  server.tool('long', {}, async (_, ctx) => {
    const kept = await ctx.once('long', () => '.'.repeat(900));
    const answer = await sample(ctx, 'long');
    return kept.length === 900 ? answer : 'not kept';
  });
}

function said({ text }: Visit, begins: string): number {
  return text.split(`"data":"${begins}`).length - 1;
}

interface Round {
  readonly requestState?: string;
  readonly inputRequests?: object;
}

function roundOf({ text }: Visit): Round {
  const json = text.startsWith('{') ? text : (/^data: (\{.*"result".*)$/m.exec(text)?.[1] ?? '{}');
  return (JSON.parse(json) as { readonly result?: Round }).result ?? {};
}

function stateOf(visit: Visit): string | undefined {
  return roundOf(visit).requestState;
}

function keysOf(visit: Visit): readonly string[] {
  return Object.keys(roundOf(visit).inputRequests ?? {});
}

function answersOf(visit: Visit): object {
  const yes = { role: 'assistant', model: 'm', content: { type: 'text', text: 'yes' } };
  const inputResponses = Object.fromEntries(keysOf(visit).map((key) => [key, yes]));
  return { requestState: stateOf(visit), inputResponses };
}

async function call(shop: Shop, name: string, more: object = {}): Promise<Visit> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { sampling: {}, elicitation: { form: {} } },
    'io.modelcontextprotocol/logLevel': 'debug',
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  return await shop.ask('tools/call', { _meta, name, arguments: {}, ...more }, { headers });
}
