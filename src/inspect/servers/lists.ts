import type { Client } from '../../client/client.ts';
import type { JsonView, ListsView } from '../view.ts';

/** Reads all lists of a server; one that fails says why, and the others are read. */
export async function readLists(client: Client, words: (error: unknown) => string): Promise<ListsView> {
  const { tools, prompts, resources } = client.capabilities;
  const problems: Record<string, string> = {};
  const list = async (
    name: string,
    has: unknown,
    read: () => Promise<readonly object[]>,
  ): Promise<readonly JsonView[]> => {
    if (has === undefined) return [];
    try {
      return (await read()).map((item) => ({ ...item }));
    } catch (error) {
      problems[name] = words(error);
      return [];
    }
  };
  const fresh = { cache: 'refresh' } as const;
  // One after another: each is a row of the wire that a person reads.
  const found = {
    tools: await list('tools', tools, () => client.listTools(fresh)),
    prompts: await list('prompts', prompts, () => client.listPrompts(fresh)),
    resources: await list('resources', resources, () => client.listResources(fresh)),
    templates: await list('templates', resources, () => client.listResourceTemplates(fresh)),
  };
  return { ...found, problems };
}

/** Names of what is new or other in lists than before. */
export function newsIn(before: ListsView | undefined, now: ListsView): readonly string[] {
  if (before === undefined) return [];
  return (['tools', 'prompts', 'resources', 'templates'] as const).flatMap((list) => {
    const known = new Map(before[list].map((item) => [keyOf(item), JSON.stringify(item)]));
    return now[list].flatMap((item) =>
      known.get(keyOf(item)) === JSON.stringify(item) ? [] : [`${list} ${keyOf(item)}`],
    );
  });
}

function keyOf(item: JsonView): string {
  const key = item['uri'] ?? item['uriTemplate'] ?? item['name'];
  return typeof key === 'string' ? key : '';
}
