/** Shows polls and notifications of a task as one row: they repeat often, and would hide other rows. */

import type { RowView } from '../../view.ts';

/** Rows of one task that stand behind the first of them. */
export interface TaskFold {
  readonly key: string;
  /** Rows behind the first. */
  readonly behind: number;
  /** Requests that ask how the task stands. */
  readonly polls: number;
  /** Words of the server on the task: by messages of its own. */
  readonly told: number;
  /** The last reported state of the task. */
  readonly last?: string;
  readonly isOpen: boolean;
  /** True where a row behind the first is chosen. */
  readonly hasChosen: boolean;
}

/** Rows of which some stand for others. */
export interface FoldedRows {
  readonly rows: readonly RowView[];
  /** Folds by the numbers of their first rows. */
  readonly folds: ReadonlyMap<number, TaskFold>;
}

/** Circumstances of folding. */
export interface Folding {
  rowAt(n: number | undefined): RowView | undefined;
  /** Keys of the folds that the person opened. */
  readonly open: ReadonlySet<string>;
  /** Row that is chosen, and must be seen. */
  readonly chosen: number | undefined;
}

/** Messages with the state of a task, and requests to receive it. */
const standing: ReadonlySet<string> = new Set([
  'tasks/get',
  'notifications/tasks/status',
  'notifications/tasks',
  'subscriptions/listen',
  'notifications/subscriptions/acknowledged',
]);

interface Counted {
  readonly first: number;
  behind: number;
  polls: number;
  told: number;
  last: string | undefined;
  hasChosen: boolean;
}

/** Folds the rows of each task that say how it stands. What breaks something, or failed, keeps a row of its own. */
export function foldRows(rows: readonly RowView[], { rowAt, open, chosen }: Folding): FoldedRows {
  const counts = new Map<string, Counted>();
  const keys = rows.map((row) => {
    const key = keyOf(row, rowAt);
    if (key !== undefined) count(counts, key, row, chosen);
    return key;
  });
  if (counts.size === 0) return { rows, folds: new Map() };
  const isOpen = (key: string, { hasChosen }: Counted): boolean => hasChosen || open.has(key);
  const folds = [...counts].flatMap(([key, counted]): [number, TaskFold][] => {
    const { first, behind, polls, told, last, hasChosen } = counted;
    if (behind === 0) return [];
    const fold = {
      key,
      behind,
      polls,
      told,
      isOpen: isOpen(key, counted),
      hasChosen,
      ...(last === undefined ? {} : { last }),
    };
    return [[first, fold]];
  });
  const seen = rows.filter(({ n }, at) => {
    const key = keys[at];
    const counted = key === undefined ? undefined : counts.get(key);
    return key === undefined || counted === undefined || counted.first === n || isOpen(key, counted);
  });
  return { rows: seen, folds: new Map(folds) };
}

function count(counts: Map<string, Counted>, key: string, row: RowView, chosen: number | undefined): void {
  const { n, what, kind, about } = row;
  const known = counts.get(key);
  const counted = known ?? { first: n, behind: 0, polls: 0, told: 0, last: undefined, hasChosen: false };
  if (known === undefined) counts.set(key, counted);
  else counted.behind += 1;
  if (what === 'tasks/get' && kind === 'request') counted.polls += 1;
  if (what.startsWith('notifications/tasks')) counted.told += 1;
  // The first row is seen whether it is folded or not.
  if (known !== undefined && n === chosen) counted.hasChosen = true;
  if (about === undefined) return;
  if (what === 'tasks/get' && kind === 'result') counted.last = about;
  else if (what.startsWith('notifications/tasks')) counted.last = about.replace(/^\S+ /, '');
}

/** The task of which a row says how it stands; `undefined` for every other row. */
function keyOf(row: RowView, rowAt: Folding['rowAt']): string | undefined {
  const { what, kind, lane, broken, problem, failed, pair, s, c } = row;
  const isPlain = broken === undefined && problem !== true && failed !== true && kind !== 'error';
  if (lane !== 'message' || !standing.has(what) || !isPlain) return undefined;
  const { about } = (kind === 'result' ? rowAt(pair) : row) ?? {};
  const id = what.includes('subscriptions/') ? /^task (\S+)$/.exec(about ?? '')?.[1] : about?.split(' ')[0];
  return id === undefined || id === '' ? undefined : `${s} ${c} ${id}`;
}
