/** Histories of several processes that use one record at once: each must be one that a single process could have had. */

import { after } from '../../jsonrpc/timeout.ts';
import type { StoredRecord } from '../../storage/records.ts';
import type { Store } from '../../storage/store.ts';
import { lasting, type StoreCheck, type TestedStore } from './checks.ts';

/** An operation on the record: what was asked, what came back, and when it began and ended among all. */
interface HistoryStep {
  readonly kind: 'add' | 'get' | 'put' | 'touch' | 'delete';
  readonly text: string;
  /** Of a put, as it was asked for. */
  readonly version: number | undefined;
  readonly began: number;
  readonly ended: number;
  readonly result: unknown;
}

/** State of the record. The version that an `add` made is not known before it is read: it is above `top` then. */
interface State {
  readonly text: string | undefined;
  readonly version: number | undefined;
  /** The highest version that was seen. */
  readonly top: number;
}

/** Operations of each process in one history. */
const each = 5;

/** Promises that every history of a record is linearizable. */
export function historyChecks(histories: number, seed: number): readonly StoreCheck[] {
  return [2, 3, 4].map((processes) => ({
    title: `${histories} histories of ${processes} processes with one record each are those of one process`,
    processes,
    async check(tested) {
      for (let at = 0; at < histories; at++) {
        const random = randomFrom(seed + at * 4 + processes);
        const history = await historyOf(tested, `${tested.name} ${at}`, { processes, random });
        if (!isLinearizable(history))
          throw new Error(`with the seed ${seed} no order explains ${JSON.stringify(history)}`);
      }
    },
  }));
}

async function historyOf(
  { one, stores }: TestedStore,
  key: string,
  { processes, random }: { readonly processes: number; random(): number },
): Promise<readonly HistoryStep[]> {
  const operations: HistoryStep[] = [];
  let time = 0;
  const live = async (store: Store, who: number): Promise<void> => {
    let seen: number | undefined;
    for (let count = 0; count < each; count++) {
      const pauses = Math.floor(random() * 3);
      for (let turn = 0; turn < pauses; turn++) await new Promise<void>((resolve) => void after(0, resolve, true));
      const asked = askedFrom(random, `${who}.${count}`, seen);
      const began = ++time;
      const result = await ask(store, key, asked);
      operations.push({ ...asked, began, ended: ++time, result });
      // What is known of the version is what the next put may be in the place of.
      if (asked.kind === 'get') seen = (result as StoredRecord | undefined)?.version;
      if (asked.kind === 'put' && typeof result === 'number') seen = result;
    }
  };
  await Promise.all(stores.slice(0, processes).map(live));
  await one.records.delete(key);
  return operations;
}

type Asked = Pick<HistoryStep, 'kind' | 'text' | 'version'>;

function askedFrom(random: () => number, text: string, seen: number | undefined): Asked {
  const kinds = ['add', 'get', 'get', 'put', 'put', 'put', 'touch', 'delete'] as const;
  const kind = kinds[Math.floor(random() * kinds.length)] ?? 'get';
  const way = random();
  return { kind, text, version: kind !== 'put' || way < 0.2 ? undefined : way < 0.4 ? 0 : seen };
}

async function ask({ records }: Store, key: string, { kind, text, version }: Asked): Promise<unknown> {
  if (kind === 'add') return await records.add(key, text, lasting);
  if (kind === 'get') return await records.get(key);
  if (kind === 'put') return await records.put(key, text, lasting, version);
  if (kind === 'touch') return await records.touch(key, lasting);
  return await records.delete(key);
}

/** Looks for an order of the operations, each between its beginning and its end, in which every result is right. */
function isLinearizable(operations: readonly HistoryStep[]): boolean {
  const dead = new Set<string>();
  const search = (left: readonly HistoryStep[], state: State): boolean => {
    if (left.length === 0) return true;
    const place = JSON.stringify([left.map(({ began }) => began), state]);
    if (dead.has(place)) return false;
    const firstEnd = Math.min(...left.map(({ ended }) => ended));
    for (const operation of left) {
      if (operation.began > firstEnd) continue;
      const next = stateAfter(state, operation);
      const others = left.filter((other) => other !== operation);
      if (next !== undefined && search(others, next)) return true;
    }
    dead.add(place);
    return false;
  };
  return search(operations, { text: undefined, version: undefined, top: 0 });
}

/** State after an operation; `undefined` where its result was not possible. */
function stateAfter(state: State, { kind, text, version, result }: HistoryStep): State | undefined {
  const isThere = state.text !== undefined;
  if (kind === 'delete') return { ...state, text: undefined, version: undefined };
  if (kind === 'touch') return result === isThere ? state : undefined;
  if (kind === 'add') {
    if (result === isThere) return undefined;
    return isThere ? state : { text, version: undefined, top: state.top };
  }
  if (kind === 'get') {
    // A get gives records, by its type.
    const kept = result as StoredRecord | undefined;
    if (kept === undefined || !isThere) return (kept === undefined) !== isThere ? state : undefined;
    if (kept.text !== state.text) return undefined;
    return withVersion(state, kept.version);
  }
  return stateAfterPut(state, { text, version, result });
}

function stateAfterPut(
  state: State,
  { text, version, result }: Pick<HistoryStep, 'text' | 'version' | 'result'>,
): State | undefined {
  const isThere = state.text !== undefined;
  if (result === undefined) {
    const must = version === undefined || (version === 0 ? !isThere : isThere && state.version === version);
    return must ? undefined : state;
  }
  const replaced = version === undefined || version === 0 ? state : withVersion(state, version);
  const may = version === undefined || (version === 0 ? !isThere : isThere);
  if (!may || replaced === undefined || typeof result !== 'number' || result <= replaced.top) return undefined;
  return { text, version: result, top: result };
}

/** State in which the record has a version; `undefined` where it cannot. */
function withVersion(state: State, version: number): State | undefined {
  if (state.version !== undefined) return state.version === version ? state : undefined;
  return version > state.top ? { ...state, version, top: version } : undefined;
}

/** Numbers from 0 to 1 that are the same for one seed. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
