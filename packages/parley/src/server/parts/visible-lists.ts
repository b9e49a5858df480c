/** Lists that differ between callers. */

import { setNewest } from '../../jsonrpc/newest.ts';
import type { Call } from '../runtime/call.ts';
import type { ServerParts } from './parts.ts';
import type { Visible } from '../definition/restrictions.ts';
import { Listing } from '../features/listing.ts';
import { isListed } from '../features/needed-scopes.ts';
import type { ListPage, Registry } from '../definition/registry.ts';

/** Number of rule sets whose lists are cached. The set that was used longest ago is dropped first. */
const maxSets = 64;

/**
 * The list of one registry for each set of rules that callers pass. Callers that pass the same rules get the same list.
 */
interface Kept {
  readonly generation: number;
  /** The rules of the enabled entries, without duplicates. */
  readonly rules: readonly Visible[];
  readonly sets: Map<string, Pick<Listing<unknown, object>, 'page'>>;
}

const kept = new WeakMap<object, Kept>();

/** Names a list and the request for a page of it. */
interface Asked {
  readonly parts: ServerParts;
  /** The field of the result. */
  readonly name: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly call: Call;
}

/**
 * Returns the page of a list for the cursor of a request, as its sender may see it.
 *
 * @param item Makes the list item of an entry.
 * @throws McpError invalidParams for a cursor that this server did not make.
 */
export function visiblePage<T>(registry: Registry<T>, item: (entry: T) => unknown, asked: Asked): object {
  const { params, call } = asked;
  const { rules, sets } = keptOf(registry);
  const passed = new Set(rules.filter((visible) => isListed(registry, { visible }, call.auth)));
  const key = rules.map((rule) => (passed.has(rule) ? 1 : 0)).join('');
  const list = sets.get(key) ?? listOf(registry, item, { ...asked, passed });
  setNewest(sets, maxSets, [key, list]);
  // The conversation read it by the row of the method.
  return list.page(params['cursor'] as string | undefined);
}

/** The cache scope for values made from registries: `private` if there are visibility rules. */
export function ownScope(...registries: readonly Registry<unknown>[]): { readonly cacheScope?: 'private' } {
  return registries.some((registry) => keptOf(registry).rules.length > 0) ? { cacheScope: 'private' } : {};
}

function keptOf(registry: Registry<unknown>): Kept {
  const known = kept.get(registry);
  if (known?.generation === registry.generation) return known;
  const rules = new Set(registry.entries().flatMap(({ restrictions }) => restrictions.visible ?? []));
  const fresh: Kept = { generation: registry.generation, rules: [...rules], sets: new Map() };
  kept.set(registry, fresh);
  return fresh;
}

/** Makes the list of who passes some of the rules. */
function listOf<T>(
  registry: Registry<T>,
  item: (entry: T) => unknown,
  { parts, name, passed }: Asked & { readonly passed: ReadonlySet<Visible> },
): Listing<T, object> {
  const { cache, pageSize } = parts.options;
  const pages = {
    generation: registry.generation,
    page: (cursor: string | undefined, size: number): ListPage<T> =>
      registry.page(cursor, size, ({ restrictions: { visible } }) => visible === undefined || passed.has(visible)),
  };
  const own = ownScope(registry);
  return new Listing(pages, pageSize, ({ items, ...next }) => ({ [name]: items.map(item), ...next, ...cache, ...own }));
}
