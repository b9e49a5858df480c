import type { Loss, ThroughBridge } from '../../compatibility/offer.ts';
import { table, wrapped } from './text.ts';

type Word = 'refused' | 'left out' | 'changed';

/** Clients that get the same. */
interface Group {
  readonly clients: readonly string[];
  readonly losses: readonly Loss[];
}

/** Writes what clients get through a bridge; one that fares worse than a newer one has the difference alone. */
export function renderBridge(bridge: readonly ThroughBridge[], width: number): string {
  const parts = groupsOf(bridge).map(({ clients, losses }, at, all) => {
    const newer = all[at - 1]?.losses ?? [];
    const isWorse =
      newer.some(isShown) && newer.filter(isShown).every(({ id }) => losses.some((loss) => loss.id === id));
    const known = new Set(isWorse ? newer.map(keyOf) : []);
    const own = losses.filter((loss) => !known.has(keyOf(loss)));
    const words = losses.length === 0 ? 'everything' : isWorse ? 'the same, but also' : 'everything, but';
    return `  ${clients.join(', ')}  ${words}\n${table(rowsOf(own), width, 4)}`;
  });
  const closing =
    'What each connection has for itself (its revision, ping, headers, …) is not counted. --json tells how and why.';
  return [
    `through a bridge, which speaks ${bridge[0]?.server} to this server, a client gets\n`,
    ...parts,
    ...wrapped(closing, width - 2).map((line) => `  ${line}\n`),
  ].join('');
}

/** Neighbours that fare alike. */
function groupsOf(bridge: readonly ThroughBridge[]): readonly Group[] {
  const groups: Group[] = [];
  for (const { client, losses } of bridge) {
    const last = groups.at(-1);
    if (last !== undefined && alike(last.losses, losses))
      groups[groups.length - 1] = { ...last, clients: [...last.clients, client] };
    else groups.push({ clients: [client], losses });
  }
  return groups;
}

function alike(one: readonly Loss[], another: readonly Loss[]): boolean {
  return JSON.stringify(one.map(keyOf)) === JSON.stringify(another.map(keyOf));
}

function keyOf(loss: Loss): string {
  return `${wordOf(loss)} ${loss.id}`;
}

function wordOf({ kind, why }: Loss): Word {
  return kind === 'changed' && why.startsWith('left out') ? 'left out' : kind;
}

/** A field that nothing was seen of is counted alone. */
function isShown({ id, seen }: Loss): boolean {
  return seen === true || !id.includes('.');
}

function rowsOf(losses: readonly Loss[]): readonly (readonly string[])[] {
  const words: readonly Word[] = ['refused', 'left out', 'changed'];
  return words.flatMap((word) => {
    const these = losses.filter((loss) => wordOf(loss) === word);
    const shown = these.filter(isShown).map(titleOf);
    const unseen = these.length - shown.length;
    const fields = unseen === 0 ? [] : [`${unseen} field${unseen === 1 ? '' : 's'} that messages may have`];
    return these.length === 0 ? [] : [[word, [...shown, ...fields].join('; ')]];
  });
}

function titleOf({ id, title, group }: Loss): string {
  if (id.includes('.')) return id;
  const plain = title.replaceAll('`', '');
  return group === 'Tasks' ? `Tasks: ${plain}` : plain;
}
