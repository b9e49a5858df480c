import type { RecordingEntry } from '../../recorder/entry.ts';
import { rowOf } from '../../check/register.ts';
import type { RowView } from '../view.ts';
import { isToolFailure } from './failed.ts';
import { subjectOf } from './subject.ts';

/**
 * Characters of a text in a row: one more than the page shows, which marks what is longer. With a mark of ours in it, a
 * text of Latin letters would take twice the room in the page.
 */
const widest = 80;

/** Makes the row of an entry, which must hold nothing secret: it is given as it is shown. */
export function rowOfEntry(entry: RecordingEntry): RowView {
  const { sequence, time, server, connection, from, lane, http, bytes, ms, pair, over, cancelled, broken, problem } =
    entry;
  const kind = kindOf(entry);
  const isStray = answersNothing(entry, kind);
  const failed = isToolFailure(entry);
  const about = subjectOf(entry) ?? (failed ? 'the tool failed' : isStray ? 'answers no request' : undefined);
  return {
    n: sequence,
    t: time,
    s: server,
    c: connection,
    from,
    lane,
    what: labelOf(entry),
    bytes,
    ...(kind === undefined ? {} : { kind }),
    ...(about === undefined ? {} : { about: clip(about) }),
    ...(http?.status === undefined ? {} : { status: http.status }),
    ...(ms === undefined ? {} : { ms }),
    ...(pair === undefined ? {} : { pair }),
    ...(over === undefined ? {} : { over }),
    ...(cancelled === undefined ? {} : { cancelled: true }),
    ...requirementsIn(broken),
    ...(problem === undefined && !isStray ? {} : { problem: true }),
    ...(failed ? { failed: true } : {}),
  };
}

/** Ids of broken requirements, apart from those of recommendations. */
function requirementsIn(ids: readonly string[] = []): Pick<RowView, 'broken' | 'advised'> {
  const [advised, broken] = [ids.filter(isAdvice), ids.filter((id) => !isAdvice(id))];
  return {
    ...(broken.length === 0 ? {} : { broken: broken.slice(0, 8) }),
    ...(advised.length === 0 ? {} : { advised: advised.slice(0, 8) }),
  };
}

/** Tells whether the specification only recommends something: SHOULD, and not MUST. */
export function isAdvice(id: string): boolean {
  return !rowOf(id).level.startsWith('MUST');
}

function kindOf({ lane, id, method, pair, text = '' }: RecordingEntry): RowView['kind'] {
  if (lane !== 'message' && lane !== 'app') return undefined;
  if (method !== undefined && !isAnswer(text)) return id === undefined ? 'notice' : 'request';
  if (id === undefined && pair === undefined) return undefined;
  const [, said] = answerHead.exec(text) ?? [];
  if (said !== undefined) return said === 'error' ? 'error' : 'result';
  return /"error"\s*:/.test(text.slice(0, 4_096)) && !/"result"\s*:/.test(text.slice(0, 4_096)) ? 'error' : 'result';
}

/** Tells whether an answer has the id of no request that waited for one. */
function answersNothing({ lane, id, pair }: RecordingEntry, kind: RowView['kind']): boolean {
  const isAnswer = lane === 'message' && (kind === 'result' || kind === 'error');
  return isAnswer && pair === undefined && id !== undefined && id !== null;
}

/** Beginning of an answer up to the member that says which it is: the version and the id come before it, in any order, or after it. */
const answerHead =
  /^\s*\{\s*(?:(?:"jsonrpc"\s*:\s*"[^"]{0,9}"|"id"\s*:\s*(?:"(?:[^"\\]|\\.){0,999}"|[^\s",{}[\]]{1,99}))\s*,\s*){0,2}"(result|error)"\s*:/;

/** A message that has a method says so itself; an answer was given that of its request. */
function isAnswer(text: string): boolean {
  return !/"method"\s*:/.test(text) || answerHead.test(text);
}

function labelOf({ lane, method, http, text, problem, event, exit }: RecordingEntry): string {
  if (exit !== undefined) return `the process ended: ${exit.signal ?? `code ${String(exit.code)}`}`;
  if ((lane === 'message' || lane === 'app') && method !== undefined) return clip(method);
  if (http?.method !== undefined && http.url !== undefined) return clip(`${http.method} ${pathOf(http.url)}`);
  if (lane === 'event' && event !== undefined)
    return clip(event.comment === undefined ? `event ${event.type ?? 'message'}` : `comment ${event.comment}`);
  if (problem !== undefined) return clip(problem);
  if (text !== undefined && text !== '') return clip(text);
  if (http?.status !== undefined) return `status ${http.status}`;
  return lane;
}

function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function clip(text: string): string {
  return text
    .slice(0, 4 * widest)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, widest);
}
