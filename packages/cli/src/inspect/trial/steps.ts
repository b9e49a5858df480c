/** A conversation through a bridge, message by message, beside what the lens said that it would be. */

import { standsForTask, madeUp } from '../../compatibility/by-bridge.ts';
import { placeIn } from '../../../../parley/src/json/place.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';
import { metaKey } from '../../../../parley/src/protocol/meta-key.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import type { JsonView, TrialStepView } from '../view.ts';
import { lensOf } from '../wire/through.ts';
import type { HopMessage } from './hops.ts';

/** Revisions of the two hops. */
export interface HopRevisions {
  readonly client: string;
  readonly server: string;
}

/** Most places of a message that are named as other than they were predicted. */
const maxPlaces = 20;

/** Makes steps of what was heard: a message of one hop beside that of the other which was made of it. */
export function stepsOf(messages: readonly HopMessage[], revisions: HopRevisions): readonly TrialStepView[] {
  return pairsOf(messages).map((pair) => stepOf(pair, revisions));
}

interface Crossing {
  readonly client?: HopMessage;
  readonly server?: HopMessage;
}

/** Each message with the first of the other hop that is of the same kind and has none yet. */
function pairsOf(messages: readonly HopMessage[]): readonly Crossing[] {
  const pairs: Crossing[] = [];
  const alone = new Map<string, number[]>();
  for (const message of messages) {
    const { hop, from, kind } = message;
    const key = `${from} ${kind} ${nameOf(message)}`;
    const other = alone.get(`${hop === 'client' ? 'server' : 'client'} ${key}`)?.shift();
    if (other !== undefined) {
      pairs[other] = { ...pairs[other], [hop]: message };
      continue;
    }
    const own = `${hop} ${key}`;
    alone.set(own, [...(alone.get(own) ?? []), pairs.length]);
    pairs.push({ [hop]: message });
  }
  return pairs;
}

/** Each revision opens in its own way. */
function nameOf({ method }: HopMessage): string {
  return method === 'initialize' || method === 'server/discover' ? 'opening' : method;
}

function stepOf({ client, server }: Crossing, revisions: HopRevisions): TrialStepView {
  const any = client ?? server;
  const shown = {
    from: any?.from ?? 'client',
    what: any === undefined ? '' : labelOf(any),
    ...(client === undefined ? {} : { client: valueOf(client) }),
    ...(server === undefined ? {} : { server: valueOf(server) }),
  };
  if (client === undefined || server === undefined)
    return { ...shown, verdict: client === undefined ? 'server-only' : 'client-only', changes: [], differences: [] };
  const [sent, got, to] =
    shown.from === 'client' ? [client, server, revisions.server] : [server, client, revisions.client];
  const lens = lensOf(entryOf(sent, revisions[sent.hop]), to);
  if (lens.kind === 'bridge')
    return { ...shown, verdict: 'by-bridge', changes: [], differences: [], why: lens.why ?? '' };
  if (lens.kind === 'none') return { ...shown, verdict: 'not-predicted', changes: [], differences: [] };
  const waits = waited(valueOf(server), valueOf(client), revisions);
  if (waits !== undefined) return { ...shown, verdict: 'by-bridge', changes: [], differences: [], why: waits };
  const all = lens.kind === 'arrives' ? differencesOf(contentOf(lens.right), contentOf(valueOf(got))) : [''];
  const differences = all.filter((place) => !isOfBridge(got, place)).slice(0, maxPlaces);
  const byBridge = all.filter((place) => isOfBridge(got, place)).slice(0, maxPlaces);
  return {
    ...shown,
    verdict: differences.length === 0 ? 'as-predicted' : 'differs',
    changes: lens.changes,
    differences,
    ...(byBridge.length === 0 ? {} : { byBridge }),
    ...(differences.length === 0 || lens.right === undefined ? {} : { predicted: lens.right }),
  };
}

/** Words for a task of the server where the client, which asked for none, got a result: the bridge waited for it. */
function waited(server: JsonView, client: JsonView, { server: date }: HopRevisions): string | undefined {
  const revision = revisionOf(date);
  if (revision === undefined || !standsForTask(server['result'], revision) || !isObject(client['result']))
    return undefined;
  const { task, resultType } = client['result'];
  return task === undefined && resultType !== 'task'
    ? 'the client asked for no task: the bridge waits for its end, and answers with the result'
    : undefined;
}

/** Places of which a bridge speaks for itself: what it declares, and that tools may be tasks where it makes tasks of one kind of the others. */
function isOfBridge(got: HopMessage, place: string): boolean {
  if (nameOf(got) === 'opening') return /^\.result\.capabilities\.(completions|tasks|extensions)\b/.test(place);
  // It asks for a task in the place of a client that cannot, and for none where the server has none.
  if (got.method === 'tools/call' && got.from === 'client') return place === '.params.task';
  return got.method === 'tools/list' && /^\.result\.tools\[\d+\]\.execution\b/.test(place);
}

function labelOf({ method, kind }: HopMessage): string {
  if (kind === 'round') return `${method} asks for input`;
  return kind === 'result' || kind === 'error' ? `${kind} of ${method}` : method;
}

function valueOf({ text }: HopMessage): JsonView {
  try {
    // It was read as an object before.
    return JSON.parse(text) as JsonView;
  } catch {
    // What is secret was replaced in it, in a place where no text can stand.
    return { hidden: 'it holds a secret in a place where it cannot be hidden; see the wire' };
  }
}

function entryOf({ from, method, text }: HopMessage, revision: string): RecordingEntry {
  return { sequence: 0, time: 0, server: '', connection: 1, bytes: 0, lane: 'message', from, method, text, revision };
}

/** Keys of `_meta` that describe the hop, and are of nobody else. */
const ofTheHop: ReadonlySet<string> = new Set([
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
  metaKey.serverInfo,
  metaKey.logLevel,
  metaKey.subscriptionId,
  metaKey.relatedTask,
  'progressToken',
]);

/** Parts of a message that are carried: each hop has numbers and an envelope of its own. */
function contentOf(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { method, params, result, error } = message;
  return { params: carried(params), result: carried(result), error, isNamed: method !== undefined };
}

function carried(part: unknown): unknown {
  if (!isObject(part)) return part;
  const { _meta: meta, progressToken: _, ...rest } = part;
  const kept = Object.entries(isObject(meta) ? meta : {}).filter(([key]) => !ofTheHop.has(key));
  // Parameters that hold nothing, and none, are the same.
  if (kept.length === 0 && Object.keys(rest).length === 0) return undefined;
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
}

/** Places at which a value differs from what was predicted, in which an id that the bridge makes up stands for any. */
function differencesOf(one: unknown, other: unknown, path = ''): readonly string[] {
  if (Object.is(one, other) || one === madeUp) return [];
  if (Array.isArray(one) && Array.isArray(other))
    return Array.from({ length: Math.max(one.length, other.length) }, (_, at) =>
      differencesOf(one[at], other[at], placeIn(path, at)),
    ).flat();
  if (!isObject(one) || !isObject(other)) return [path];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differencesOf(one[key], other[key], placeIn(path, key)));
}
