/** One official client visits one server and does all that its plan says. */

import { audioContentShape, resourceLinkShape } from '../packages/parley/src/protocol/features/content.ts';
import { isAlive } from '../packages/parley/src/protocol/lifetime.ts';
import { revisionOf } from '../packages/parley/src/protocol.ts';
import type { Door, Listed, Official, OfficialClient, Paging } from './demo-clients.ts';
import { shortcomings, type Plan, type Wanted } from './demo-plans.ts';
import { tap } from './demo-wire.ts';

/** What came of a visit. */
export interface Visit {
  readonly client: string;
  readonly way: string;
  /** What was seen on the wire. */
  readonly revision: string;
  /** Tools, resources, templates and prompts listed. */
  readonly listed: string;
  /** How many calls, reads, prompts and completions did what they must, of how many. */
  readonly called: string;
  readonly read: string;
  readonly got: string;
  readonly completed: string;
  /** How many progress notifications were heard. */
  readonly progress: number;
  /** Everything that went wrong, in words. */
  readonly failures: readonly string[];
}

/** Visits a server; whatever goes wrong is in the result. */
export async function visit(official: Official, door: Door, plan: Plan): Promise<Visit> {
  const failures: string[] = [];
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await within(25_000, work());
    } catch (error) {
      failures.push(
        `${what}: ${error instanceof Error ? error.message.replaceAll(/\s+/g, ' ').slice(0, 400) : String(error)}`,
      );
      return undefined;
    }
  };
  const { client, transport } = await official.create(door);
  const wire = tap(transport);
  await attempt('connect', () => client.connect(transport));
  const revision = [...wire.revisions].join('+') || 'none';
  if (revision !== official.revision)
    failures.push(`the revision on the wire is ${revision}, not ${official.revision}`);
  const facts = { official, client, plan, attempt, revision };
  const listed = await list(facts);
  const { called, progress } = await callAll(facts);
  const rest = { read: await readAll(facts), got: await getAll(facts), completed: await completeAll(facts) };
  await attempt('close', () => client.close());
  return { client: official.name, way: official.way, revision, listed, called, progress, ...rest, failures };
}

interface Facts {
  readonly official: Official;
  readonly client: OfficialClient;
  readonly plan: Plan;
  readonly revision: string;
  attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined>;
}

async function list({ client, plan, attempt }: Facts): Promise<string> {
  const counts: string[] = [];
  const pages: Readonly<Record<keyof Plan['lists'], (cursor?: Paging) => Promise<Listed>>> = {
    tools: (cursor) => client.listTools(cursor),
    resources: (cursor) => client.listResources(cursor),
    resourceTemplates: (cursor) => client.listResourceTemplates(cursor),
    prompts: (cursor) => client.listPrompts(cursor),
  };
  for (const [kind, expected] of Object.entries(plan.lists)) {
    // The keys of a plan's lists are the keys of `pages`.
    const key = kind as keyof Plan['lists'];
    const found = await attempt(`list ${kind}`, async () => {
      const items = await allPages(pages[key], key);
      if (items !== expected) throw new Error(`${items} of ${expected} came`);
      return items;
    });
    counts.push(String(found ?? '-'));
  }
  return counts.join('+');
}

async function allPages(page: (cursor?: Paging) => Promise<Listed>, key: string): Promise<number> {
  let items = 0;
  let cursor: Paging | undefined;
  do {
    const result = await page(cursor);
    const list = result[key];
    items += Array.isArray(list) ? list.length : 0;
    cursor = result.nextCursor === undefined ? undefined : { cursor: result.nextCursor };
  } while (cursor !== undefined);
  return items;
}

async function callAll({
  official,
  client,
  plan,
  attempt,
  revision,
}: Facts): Promise<{ called: string; progress: number }> {
  let progress = 0;
  const called = await each(plan.calls, attempt, (call) => ({
    what: `call ${call.name}`,
    work: async () => {
      let heard = 0;
      const result = await official.call(client, { name: call.name, arguments: call.arguments ?? {} }, () => heard++);
      progress += heard;
      const wrong = [...shortcomings(call, result, (kind) => hasKind(kind, revision))];
      const least = official.hearsAllProgress ? (call.progress ?? 0) : 0;
      if (heard < least) wrong.push(`progress came ${heard} times, not ${least}`);
      if (wrong.length > 0) throw new Error(wrong.join('; '));
    },
  }));
  return { called, progress };
}

/** Whether a revision has a kind of content at all. */
function hasKind(kind: Wanted['kind'], date: string): boolean {
  const revision = revisionOf(date);
  if (revision === undefined) return true;
  if (kind === 'structured') return revision.structuredContent !== 'none';
  if (kind === 'audio') return isAlive(audioContentShape.life, revision);
  return kind !== 'resource_link' || isAlive(resourceLinkShape.life, revision);
}

function readAll({ client, plan, attempt }: Facts): Promise<string> {
  return each(plan.reads, attempt, ({ uri, holds }) => ({
    what: `read ${uri}`,
    work: async () => {
      const { contents } = await client.readResource({ uri });
      if (typeof contents[0]?.[holds] !== 'string') throw new Error(`it holds no ${holds}`);
    },
  }));
}

function getAll({ client, plan, attempt }: Facts): Promise<string> {
  return each(plan.prompts, attempt, ({ name, says, ...given }) => ({
    what: `prompt ${name}`,
    work: async () => {
      const { messages } = await client.getPrompt({ name, ...given });
      if (!says.test(JSON.stringify(messages))) throw new Error(`it does not say ${says.source}`);
    },
  }));
}

function completeAll({ client, plan, attempt }: Facts): Promise<string> {
  return each(plan.completions, attempt, ({ ref, argument, values }) => ({
    what: `complete ${JSON.stringify(argument)}`,
    work: async () => {
      const { completion } = await client.complete({ ref, argument });
      if (completion.values.join() !== values.join())
        throw new Error(`it suggests ${completion.values.join(', ')}, not ${values.join(', ')}`);
    },
  }));
}

async function each<T>(
  items: readonly T[],
  attempt: Facts['attempt'],
  of: (item: T) => { what: string; work: () => Promise<void> },
): Promise<string> {
  let done = 0;
  for (const item of items) {
    const { what, work } = of(item);
    const worked = await attempt(what, async () => {
      await work();
      return true;
    });
    if (worked === true) done++;
  }
  return `${done}/${items.length}`;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
