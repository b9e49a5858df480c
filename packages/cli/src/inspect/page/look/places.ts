/** The place of the user as the fragment of the address, so that back, forward, reload and a link keep it. */

import { effect } from '@preact/signals';
import { showPane } from './panes.ts';
import { chosen, chosenServer, place, places, row, servers, tab, tabs, type PagePlace } from '../state.ts';

interface PlaceInPage {
  readonly server: string;
  readonly tab: string;
  readonly chosen: string | undefined;
  readonly part: PagePlace;
  readonly row: number | undefined;
}

/** `#/A/tools/get-sum?part=wire&message=14` */
export function fragmentOf({ server, tab: of, chosen: key, part, row: n }: PlaceInPage): string {
  const path = [server, of, ...(key === undefined ? [] : [key])].map(encodeURIComponent).join('/');
  const query = [...(part === 'use' ? [] : [`part=${part}`]), ...(n === undefined ? [] : [`message=${n}`])].join('&');
  return `#/${path}${query === '' ? '' : `?${query}`}`;
}

/** Reads a fragment. @returns `undefined` if it is no place. */
export function placeOfFragment(fragment: string): PlaceInPage | undefined {
  if (!fragment.startsWith('#/')) return undefined;
  const [path = '', query = ''] = fragment.slice(2).split('?', 2);
  try {
    const [server = '', of = '', key] = path.split('/').map(decodeURIComponent);
    if (!tabs.some((one) => one === of)) return undefined;
    const given = new URLSearchParams(query);
    const n = Number(given.get('message') ?? '');
    return {
      server,
      tab: of,
      chosen: key,
      part: places.find((one) => one === given.get('part')) ?? 'use',
      row: Number.isInteger(n) && n > 0 ? n : undefined,
    };
  } catch {
    // It is not encoded as an address is.
    return undefined;
  }
}

function now(): PlaceInPage {
  return {
    server: chosenServer.value,
    tab: tab.value,
    chosen: chosen.value[tab.value],
    part: place.value,
    row: row.value,
  };
}

function go(wanted: PlaceInPage): void {
  const of = tabs.find((one) => one === wanted.tab) ?? 'tools';
  if (servers.value.has(wanted.server) || servers.value.size === 0) chosenServer.value = wanted.server;
  tab.value = of;
  place.value = wanted.part;
  row.value = wanted.row;
  if (wanted.row !== undefined) showPane('wire');
  const { [of]: _, ...others } = chosen.value;
  chosen.value = wanted.chosen === undefined ? others : { ...others, [of]: wanted.chosen };
}

/** Goes to the place of the address, and keeps the address at the place of the user. */
export function followAddress(): void {
  const first = placeOfFragment(location.hash);
  if (first !== undefined) go(first);
  addEventListener('popstate', () => {
    const wanted = placeOfFragment(location.hash);
    if (wanted !== undefined) go(wanted);
  });
  effect(() => {
    const next = now();
    if (next.server === '') return;
    const fragment = fragmentOf(next);
    if (fragment === location.hash) return;
    const before = placeOfFragment(location.hash);
    // A message is looked at on the way through many of them: only another place is a step back.
    const isStep =
      before !== undefined &&
      (before.server !== next.server || before.tab !== next.tab || before.chosen !== next.chosen);
    history[isStep ? 'pushState' : 'replaceState'](null, '', location.pathname + fragment);
  });
}
