import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { Harness } from '../../harness/harness.ts';
import type { RequestExchange, ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged } from '../../harness/verdict.ts';
import { ownMeta } from '../common/own-meta.ts';

/** Names of clients that a server may know, and of one that nobody knows. */
const names = ['claude-code', 'cursor-vscode', 'Visual Studio Code', 'parley-check-nobody'];

const lists = [
  ['tools', 'name'],
  ['prompts', 'name'],
  ['resources', 'uri'],
] as const;

/** Asks for the first page of a list as a client of some name, which says nothing else of itself. */
async function listAs(
  harness: Harness,
  probeClient: ProbeClient,
  list: string,
  name: string,
): Promise<RequestExchange> {
  const meta = ownMeta(harness, { [metaKey.clientInfo]: { name, version: '1.0.0' } });
  return await harness.works(probeClient, `${list}/list`, {}, { meta });
}

/** Entries of a list, whatever their order. */
function entriesOf({ result }: RequestExchange, list: string, key: string): string {
  const entries: unknown = result?.[list];
  const texts = [entries].flat().map((one: unknown) => JSON.stringify(isObject(one) ? one[key] : one) ?? '');
  return texts.toSorted().join();
}

/**
 * Order in which the two clients ask. Servers behind one address may take turns: of each number of them up to eight, both come to the same one.
 * What changes in time is seen by whoever asks first, and last.
 */
const order = 'own other other own other other other own other own'.split(' ');

/** Tells whether two clients get different lists, and each the same each time, however often they ask. */
export async function isSteady(
  entries: (name: string) => Promise<string>,
  own: string,
  other: string,
): Promise<boolean> {
  const [ofOwn, ofOther] = [new Set<string>(), new Set<string>()];
  for (const who of order)
    if (who === 'own') ofOwn.add(await entries(own));
    else ofOther.add(await entries(other));
  return ofOwn.size === 1 && ofOther.size === 1 && [...ofOwn][0] !== [...ofOther][0];
}

const ownName = 'parley-check';

/** Rule that asks again, so that a list that changes by itself is no fault: names of clients are for people to read. */
const sameForAll: ProbeRule = {
  id: 'meta-017',
  message: 'A list does not depend on the name of the client',
  fix: 'look at what a client declares that it can do, and not at clientInfo',
  async probe(harness) {
    const probeClient = await harness.shared();
    const known = lists.filter(([list]) => probeClient.capabilities[list] !== undefined);
    if (known.length === 0) return notApplicable('it lists nothing');
    for (const [list, key] of known) {
      const entries = async (name: string): Promise<string> =>
        entriesOf(await listAs(harness, probeClient, list, name), list, key);
      const own = await entries(ownName);
      for (const name of names) {
        const other = await listAs(harness, probeClient, list, name);
        if (entriesOf(other, list, key) === own) continue;
        if (!(await isSteady(entries, ownName, name))) return notJudged(`${list}/list changes by itself`);
        const why = `to ${JSON.stringify(name)} it lists other ${list} than to "${ownName}"`;
        return breaks(other, why, `${list}/list`);
      }
    }
    return holds;
  },
};

/** Rules about names of clients. */
export const byNameRules: readonly ProbeRule[] = [sameForAll];
