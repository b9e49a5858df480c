/** State of the page: what the process told, and where the person is. */

import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type {
  CallView,
  FeedLine,
  ListName,
  ListsView,
  LogView,
  OutcomeView,
  QuestionView,
  RowView,
  ServerView,
} from '../view.ts';
import { announce } from './announce.ts';
import { takeWish, type AddressWish } from './address.ts';
import { createApi, type Api } from './api.ts';
import { foldRows, type FoldedRows, type TaskFold } from './wire/fold.ts';
import { focusSoon } from './look/focus.ts';
import { showPane } from './look/panes.ts';
import { withoutNoise } from './wire/noise.ts';
import { HeldRows } from './wire/rows.ts';
import { parseFilter, type ParsedFilter } from './wire/filter.ts';
import { plain } from './plain.ts';
import { takeToken } from './token.ts';

/** Tabs of a server. */
export const tabs = ['tools', 'prompts', 'resources', 'tasks', 'calls', 'log', 'about'] as const;
export type Tab = (typeof tabs)[number];

/** Parts of the page where it is too narrow for all of them. */
export const places = ['servers', 'use', 'wire', 'lens', 'questions'] as const;
export type PagePlace = (typeof places)[number];

/** Limits of what the page holds: rows that wait for a frame, lines of logs, calls, and resources that were updated. */
const most = { waiting: 5_000, logs: 2_000, calls: 264, updated: 1_000 };

const token = await takeToken();
export const api: Api = createApi(token);
/** Things that the address wished when the page was opened. */
export const wish: AddressWish = await takeWish(token);

/** Tool whose app runs without a click, since the address had the token. */
export const wishedApp: Signal<string | undefined> = signal(undefined);

export const hello: Signal<Extract<FeedLine, { kind: 'hello' }> | undefined> = signal(undefined);
/** Words about the process, where it does not answer. */
export const trouble: Signal<string | undefined> = signal(undefined);
export const servers: Signal<ReadonlyMap<string, ServerView>> = signal(new Map());
export const waitingQuestions: Signal<ReadonlyMap<number, QuestionView>> = signal(new Map());
export const calls: Signal<ReadonlyMap<number, CallView>> = signal(new Map());
export const logs: Signal<readonly LogView[]> = signal([]);
export const outcomes: Signal<ReadonlyMap<number, OutcomeView>> = signal(new Map());
export const lists: Signal<ReadonlyMap<string, ListsView>> = signal(new Map());
/** Resources that were updated since they were read last. */
export const updated: Signal<ReadonlySet<string>> = signal(new Set());
/** Rows that left the memory of the process. */
export const droppedRows: Signal<ReadonlyMap<string, number>> = signal(new Map());

export const chosenServer: Signal<string> = signal('');
export const tab: Signal<Tab> = signal('tools');
export const place: Signal<PagePlace> = signal('use');
/** Choice in each tab: the name of a tool or a prompt, the address of a resource. */
export const chosen: Signal<Readonly<Record<string, string>>> = signal({});
export const row: Signal<number | undefined> = signal(undefined);
export const filterText: Signal<string> = signal('');
/** Rows that hold a text, and the last row when they were looked for. */
export const found: Signal<
  { readonly text: string; readonly rows: ReadonlySet<number>; readonly until: number } | undefined
> = signal(undefined);
export const isPaused: Signal<boolean> = signal(false);
/** Dialog that is open. */
export const dialog: Signal<'palette' | 'help' | 'compare' | 'capabilities' | undefined> = signal(undefined);
export const singleKeys: Signal<boolean> = signal(localStorage.getItem('parley-keys') !== 'off');

/** Rows; `rowsVersion` says that they changed. */
const held = new HeldRows();
export const rowsVersion: Signal<number> = signal(0);

export const server: ReadonlySignal<ServerView | undefined> = computed(() => servers.value.get(chosenServer.value));
export const filter: ReadonlySignal<ParsedFilter> = computed(() => {
  const search = found.value;
  const parsed = parseFilter(filterText.value, undefined, rowAt);
  return search !== undefined && search.text === parsed.text
    ? parseFilter(filterText.value, search.rows, rowAt)
    : parsed;
});

/** Tasks whose rows the person wants to see one by one. */
export const openFolds: Signal<ReadonlySet<string>> = signal(new Set());

/** Opens or closes a fold, which is that of a first row; a row that is chosen in it gives way to that one. */
export function toggleFold({ key, isOpen, hasChosen }: TaskFold, first: number): void {
  const others = [...openFolds.value].filter((one) => one !== key);
  openFolds.value = new Set(isOpen ? others : [...others, key].slice(-most.calls));
  if (isOpen && hasChosen) row.value = first;
}

/** True if the wire shows the messages of all servers, and not only those of the chosen one. */
export const isOfAll: Signal<boolean> = signal(false);
/** True if keep-alives and lists that were read before are shown. */
export const hasNoise: Signal<boolean> = signal(false);

let shown: readonly RowView[] = [];
const passingRows: ReadonlySignal<readonly RowView[]> = computed(() => {
  void rowsVersion.value;
  if (isPaused.value) return shown;
  const { test } = filter.value;
  const isFiltered = filterText.value.trim() !== '';
  const isOfOne = !isOfAll.value && servers.value.size > 1 && !filterText.value.includes('server:');
  const of = chosenServer.value;
  shown = held.all.filter((one) => (!isOfOne || one.s === of) && (!isFiltered || test(one)));
  return shown;
});

/** The same without noise, and how much is hidden. */
export const quietRows: ReadonlySignal<ReturnType<typeof withoutNoise>> = computed(() =>
  hasNoise.value || filterText.value.trim() !== ''
    ? { rows: passingRows.value, hidden: 0 }
    : withoutNoise(passingRows.value, row.value),
);

/** Rows that the filter lets through; without one, those of a task are folded. */
export const visibleRows: ReadonlySignal<FoldedRows> = computed(() =>
  filterText.value.trim() === ''
    ? foldRows(quietRows.value.rows, { rowAt, open: openFolds.value, chosen: row.value })
    : { rows: passingRows.value, folds: new Map() },
);

/** The row with a number. */
export function rowAt(n: number | undefined): RowView | undefined {
  return held.at(n);
}

/** All rows that are held. */
export function allRows(): readonly RowView[] {
  return held.all;
}

/** Number of the youngest row; 0 where there is none. */
export function lastRow(): number {
  return held.all.at(-1)?.n ?? 0;
}

/** Number of all rows. */
export function rowCount(): number {
  return held.all.length;
}

let waiting: RowView[] = [];
let frame = 0;

function takeRows(rows: readonly RowView[]): void {
  waiting.push(...rows);
  // A burst is drawn once per frame. A hidden page gets no frames.
  if (waiting.length > most.waiting) settleRows();
  else if (frame === 0) frame = requestAnimationFrame(settleRows);
}

function settleRows(): void {
  cancelAnimationFrame(frame);
  frame = 0;
  held.take(waiting);
  waiting = [];
  rowsVersion.value++;
}

function forgetRows(is: (one: RowView) => boolean): void {
  settleRows();
  const chosenRow = rowAt(row.value);
  if (chosenRow === undefined || is(chosenRow)) row.value = undefined;
  held.forget(is);
  rowsVersion.value++;
}

function changed<Key, Value>(
  map: ReadonlyMap<Key, Value>,
  key: Key,
  value: Value | undefined,
): ReadonlyMap<Key, Value> {
  const next = new Map(map);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
}

/** Takes a line of the feed. */
export function hear(line: FeedLine): void {
  switch (line.kind) {
    case 'hello':
      return begin(line);
    case 'server':
      return serverChanged(line.server);
    case 'gone':
      servers.value = changed(servers.value, line.server, undefined);
      forgetRows((one) => one.s === line.server);
      logs.value = logs.value.filter((log) => log.server !== line.server);
      lists.value = changed(lists.value, line.server, undefined);
      callAgain(line.server, undefined);
      if (chosenServer.value === line.server) chosenServer.value = [...servers.value.keys()][0] ?? '';
      return;
    case 'rows':
      return takeRows(line.rows);
    case 'left':
      droppedRows.value = changed(droppedRows.value, line.server, line.entries);
      return;
    case 'cleared':
      forgetRows(() => true);
      logs.value = [];
      return;
    case 'question':
      if (!waitingQuestions.value.has(line.question.id))
        announce(`${plain(serverNameOf(line.question.server)).slice(0, 80)} asks something`);
      waitingQuestions.value = changed(waitingQuestions.value, line.question.id, line.question);
      return;
    case 'answered':
      waitingQuestions.value = changed(waitingQuestions.value, line.id, undefined);
      return;
    case 'call':
      return callChanged(line.call);
    case 'logs':
      logs.value = [...logs.value, ...line.logs].slice(-most.logs);
      return;
    case 'updated':
      updated.value = new Set([...updated.value, `${line.server} ${line.uri}`].slice(-most.updated));
      announce(`${line.uri} was updated`);
      return;
  }
}

/** The process told who it is: all that it has follows, so what was is forgotten where another process began. */
function begin(line: Extract<FeedLine, { kind: 'hello' }>): void {
  if (hello.value !== undefined && hello.value.run !== line.run) {
    held.forget(() => true);
    waiting = [];
    outcomes.value = new Map();
    lists.value = new Map();
  }
  waitingQuestions.value = new Map();
  servers.value = new Map();
  calls.value = new Map();
  logs.value = [];
  hello.value = line;
}

/** Calls that are made again whenever their servers start, at the wish of the person: one for each server. */
export const again: Signal<ReadonlyMap<string, { readonly name: string; readonly text: string }>> = signal(new Map());

/** Wishes that a call is made again at each start of its server, or no more. */
export function callAgain(id: string, wish: { readonly name: string; readonly text: string } | undefined): void {
  again.value = changed(again.value, id, wish);
}

/** Tells whether a request may still be answered. */
export function isOpen({ s, n }: RowView): boolean {
  const { state, endedAt = 0 } = servers.value.get(s) ?? {};
  return isUp(state) && n > endedAt;
}

function isUp(state: ServerView['state'] | undefined): boolean {
  return state === 'connected' || state === 'connecting';
}

function serverChanged(view: ServerView): void {
  const before = servers.value.get(view.id);
  servers.value = changed(servers.value, view.id, view);
  // A recording only has a wire. It is not selected again if the user has moved elsewhere.
  if (view.state === 'recording' && chosenServer.value === '') {
    place.value = 'wire';
    showPane('wire');
  }
  if (chosenServer.value === '' || !servers.value.has(chosenServer.value)) chosenServer.value = view.id;
  if (before !== undefined && before.state !== view.state) announce(`${view.name}: ${view.state}`);
  else if (view.silent !== undefined && before?.silent === undefined) announce(`${view.name} does not answer`);
  else if (view.silent === undefined && before?.silent !== undefined) announce(`${view.name} answers again`);
  const waits = view.signIn?.findLast(({ state }) => state === 'waits');
  if (waits !== undefined && before?.signIn?.some(({ id, state }) => id === waits.id && state === 'waits') !== true)
    announce(`${view.name}: the sign-in waits before ${waits.part}`);
  const wish = again.value.get(view.id);
  if (wish !== undefined && before !== undefined && before.state !== 'connected' && view.state === 'connected')
    void act('call', { server: view.id, kind: 'tool', ...wish });
  const isNews = view.state === 'connected' && view.version > 0 && before?.version !== view.version;
  if (isNews) void loadLists(view.id);
}

/** Reads the lists of a server. */
export async function loadLists(id: string): Promise<void> {
  try {
    const own = await api.post<ListsView>('lists', { server: id });
    // Another server may have been read meanwhile.
    lists.value = changed(lists.value, id, own);
  } catch (error) {
    // A server that went away meanwhile says so itself.
    if (isUp(servers.value.get(id)?.state)) problem.value = messageOf(error);
  }
}

function callChanged(call: CallView): void {
  const before = calls.value.get(call.id);
  const ended = [...calls.value.values()].find(({ state }) => state !== 'running');
  // The process forgets the oldest that ended, and so does the page.
  const kept =
    calls.value.size < most.calls || ended === undefined ? calls.value : changed(calls.value, ended.id, undefined);
  calls.value = changed(kept, call.id, call);
  if (call.state === 'running' || before?.state === call.state) return;
  if (before !== undefined) announce(`${call.name}: ${call.state}`);
}

/** Reads the end of a call. */
export async function loadOutcome(id: number): Promise<void> {
  if (outcomes.value.has(id)) return;
  try {
    const { outcome } = await api.post<{ readonly outcome: OutcomeView | null }>('outcome', { call: id });
    if (outcome === null) return;
    const next = new Map([...outcomes.value].slice(-49));
    outcomes.value = next.set(id, outcome);
  } catch (error) {
    problem.value = messageOf(error);
  }
}

/** Name of a server, for people. */
export function serverNameOf(id: string): string {
  return servers.value.get(id)?.name ?? id;
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Reads the next page of a list. */
export async function loadMore(id: string, list: ListName): Promise<void> {
  try {
    lists.value = changed(lists.value, id, await api.post<ListsView>('more', { server: id, list }));
  } catch (error) {
    problem.value = messageOf(error);
  }
}

/** Runs an action at the process. Errors are shown. */
export async function act(verb: string, body: object): Promise<boolean> {
  try {
    await api.post(verb, body);
    return true;
  } catch (error) {
    problem.value = messageOf(error);
    return false;
  }
}

/** Adds an HTTP server and shows it. Errors are shown. */
export async function addServer(url: string): Promise<boolean> {
  try {
    const { server } = await api.post<{ readonly server: string }>('add', { url });
    chosenServer.value = server;
    return true;
  } catch (error) {
    problem.value = messageOf(error);
    return false;
  }
}

/** Text that is shown over the whole window. */
export const large: Signal<{ readonly title: string; readonly text: string } | undefined> = signal(undefined);

/** Last failure of something that the person did. */
export const problem: Signal<string | undefined> = signal(undefined);

/** Chooses a row, and shows it. */
export function showRow(n: number): void {
  row.value = n;
  place.value = 'wire';
  showPane('wire');
  focusSoon('.message-pane');
}

/** Reads all lists of a server again, which may have changed in silence, in the way that is wished. */
export async function readAgain({ id, pagesByOne }: ServerView): Promise<void> {
  await act('pages-by-one', { server: id, on: pagesByOne });
}

/** Revision of the client whom the lens shows; the oldest where it is empty. */
export const lensRevision: Signal<string> = signal('');
