import type { Harness } from '../../harness/harness.ts';
import { keyOfEntry, listOffer, type PageWalk } from '../../harness/offer.ts';
import { rowOf } from '../../register.ts';
import type { ProbeRule } from '../../rule.ts';
import { apartWords } from '../common/listed.ts';
import { breaks, holds, notApplicable, notJudged, type RuleVerdict } from '../../harness/verdict.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about lists as a whole, over all of their pages. */

/** Judges each list by the walk that was made over its pages; a fault is looked for in another one, since a list may change while one walks. */
async function overLists(
  harness: Harness,
  isAbout: (walk: PageWalk) => boolean,
  fault: (walk: PageWalk) => RuleVerdict | undefined,
): Promise<RuleVerdict> {
  const isFound = (walk: PageWalk): boolean => fault(walk) !== undefined;
  const known = (await harness.offer()).walks.filter(isAbout);
  if (known.length === 0) return notApplicable('it lists nothing of the kind');
  if (!known.some(isFound)) return holds;
  const { walks } = await listOffer(await harness.shared());
  const found = walks.filter(isAbout).map(fault);
  return found.find((one) => one !== undefined) ?? notJudged('the list changed meanwhile');
}

const ends: ProbeRule = {
  id: 'harden-endless-list',
  message: 'The cursors of a list lead to its end',
  fix: 'give with each page the cursor of the next one, and none with the last',
  probe: (harness) =>
    overLists(
      harness,
      () => true,
      ({ method, endless, last }) =>
        endless === undefined ? undefined : breaks(last, `${method}: ${endless}`, method),
    ),
};

const apart: ProbeRule = {
  ...apartWords,
  needs: 'tools',
  probe: (harness) =>
    overLists(
      harness,
      ({ method }) => method === 'tools/list',
      (walk) => {
        // Pages that come again and again have a row of their own.
        const parts = walk.endless === undefined ? [walk.pages.flat()] : walk.pages;
        const again = parts.map(doubled).find((name) => name !== undefined);
        const name = wholeText(again).slice(0, 100);
        return again === undefined
          ? undefined
          : breaks(walk.last, `${name}: it is listed more than once`, `tools/${name}`);
      },
    ),
};

/** A name that several entries have. */
function doubled(entries: PageWalk['pages'][number]): unknown {
  const seen = new Set<unknown>();
  for (const { name } of entries) {
    if (typeof name === 'string' && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** The first entry that stands on two pages; `undefined` where there is none. */
function onTwoPages({ pages }: PageWalk): unknown {
  const before = new Set<unknown>();
  for (const page of pages) {
    const keys = page.map(keyOfEntry).filter((key) => typeof key === 'string');
    const again = keys.find((key) => before.has(key));
    if (again !== undefined) return again;
    for (const key of keys) before.add(key);
  }
  return undefined;
}

/** A page that comes again and again has its own row. */
function listedTwice(walk: PageWalk): RuleVerdict | undefined {
  const again = walk.endless === undefined ? onTwoPages(walk) : undefined;
  if (again === undefined) return undefined;
  const name = wholeText(again).slice(0, 100);
  return breaks(
    walk.last,
    `${name} stands on two pages of ${walk.method}`,
    `${walk.method.split('/', 1).join()}/${name}`,
  );
}

const onePage: ProbeRule = {
  id: 'harden-listed-twice',
  message: 'No entry is on two pages of a list',
  fix: 'begin each page with the entry that comes after the last one of the page before',
  probe: (harness) => {
    const ofTools = rowOf('tools-020').lives(harness.revision);
    return overLists(harness, ({ method }) => !(ofTools && method === 'tools/list'), listedTwice);
  },
};

/** Rules about pages. */
export const listRules: readonly ProbeRule[] = [ends, apart, onePage];
