import { throughLens, type Lens } from '../../compatibility/lens.ts';
import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { ServerCapabilities } from '../../../../parley/src/protocol/capability.ts';
import { declaredExtensions, withExtensions } from '../../../../parley/src/protocol/extension.ts';
import { metaKey } from '../../../../parley/src/protocol/meta-key.ts';
import { revisionOf, revisions, type Revision } from '../../../../parley/src/protocol/revision.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import type { JsonView, LensView } from '../view.ts';
import { protocolHeadersOf } from './headers.ts';

/** Part of a message that the lens looks through, and how the rest of it is put around what comes out. */
interface LensPart {
  readonly method: string;
  readonly part: 'params' | 'result';
  readonly value: unknown;
  around(value: unknown): unknown;
}

/** Shows a message as a client of another revision would get it from this server, or as the server would get it from that client. */
export function lensOf(entry: RecordingEntry, to: string): LensView {
  const server = entry.revision === undefined ? undefined : revisionOf(entry.revision);
  const client = revisionOf(to);
  const from = entry.revision ?? '';
  const none = (why: string): LensView => ({ from, to, kind: 'none', why, changes: [] });
  if (client === undefined) return none(`there is no revision ${to}`);
  if (entry.lane !== 'message') return none('this is no message');
  if (server === undefined) return none('it crossed before a revision was settled');
  if (entry.cut !== undefined) return none('it was too long to be kept whole');
  const message = messageOf(entry.text);
  if (message === undefined) return none('this is no single message');
  const seen = partOf(message, entry.method);
  if (seen === undefined) return none('an error crosses as it is, but for codes that a revision does not have');
  if (seen.method === 'initialize' || seen.method === 'server/discover')
    return opening(message, seen, { client, server });
  // What the client sent in the revision of the server, a client of the other would have sent in its own.
  const sides = entry.from === 'server' ? { client, server } : { client: server, server: client };
  const lens = throughLens({ method: seen.method, part: seen.part, from: entry.from, value: seen.value }, sides);
  const view = viewOf(lens, { seen, message, from, to });
  const headers = view.kind === 'arrives' ? protocolHeadersOf(entry, view.right, client) : undefined;
  return headers === undefined ? view : { ...view, headers };
}

function viewOf(
  lens: Lens,
  { seen, message, from, to }: { seen: LensPart; message: JsonView; from: string; to: string },
): LensView {
  const common = { from, to, kind: lens.kind, left: message };
  switch (lens.kind) {
    case 'arrives':
      return { ...common, right: seen.around(lens.value), changes: lens.changes };
    case 'refused':
      return { ...common, why: lens.why, changes: lens.changes };
    case 'wrong':
    case 'bridge':
    case 'unknown':
      return { ...common, why: lens.why, changes: [] };
  }
}

/** A bridge speaks all of them to its clients, whatever the server does. */
const supportedVersions = revisions.map(({ date }) => date).toReversed();

/** Each revision opens in its own way: the same facts stand in another message. */
function opening(
  message: JsonView,
  { method, part, value }: LensPart,
  { client, server }: { readonly client: Revision; readonly server: Revision },
): LensView {
  const common = { from: server.date, to: client.date, left: message };
  if (part !== 'result')
    return {
      ...common,
      kind: 'none',
      why: `a client of ${client.date} opens in its own way, to the bridge`,
      changes: [],
    };
  const facts = isObject(value) ? value : {};
  // What it was read as. Extensions stand where the revision of the client has a place for them.
  const said = (isObject(facts['capabilities']) ? facts['capabilities'] : {}) as ServerCapabilities;
  const capabilities = withExtensions(client, said, declaredExtensions(server, said));
  const meta = isObject(facts['_meta']) ? facts['_meta'] : {};
  const isSame = methodFor(client) === method;
  const result = isSame
    ? { ...facts, capabilities, ...(client.resultTypes ? { supportedVersions } : { protocolVersion: client.date }) }
    : client.resultTypes
      ? {
          supportedVersions,
          capabilities,
          instructions: facts['instructions'],
        }
      : {
          protocolVersion: client.date,
          capabilities,
          serverInfo: facts['serverInfo'] ?? meta[metaKey.serverInfo],
          ...(facts['instructions'] === undefined ? {} : { instructions: facts['instructions'] }),
        };
  const sides = { client, server: client };
  const lens = throughLens({ method: methodFor(client), part, from: 'server', value: result }, sides);
  const right = lens.kind === 'arrives' ? lens.value : result;
  return {
    ...common,
    kind: 'arrives',
    right: { ...message, result: right },
    changes: isSame
      ? []
      : [
          {
            path: '',
            kind: 'adapted',
            title: `${method} is ${methodFor(client)}`,
            why: 'the same facts, in the message that opens a conversation of that revision',
          },
        ],
  };
}

function methodFor({ clientDescribed }: Revision): string {
  return clientDescribed === 'once' ? 'initialize' : 'server/discover';
}

function partOf(message: JsonView, known: string | undefined): LensPart | undefined {
  const { method, params, result } = message;
  if (typeof method === 'string')
    return {
      method,
      part: 'params',
      value: params ?? {},
      around: (value) => ({ ...message, ...(params === undefined && isEmpty(value) ? {} : { params: value }) }),
    };
  if (result === undefined || known === undefined) return undefined;
  return { method: known, part: 'result', value: result, around: (value) => ({ ...message, result: value }) };
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function messageOf(text: string | undefined): JsonView | undefined {
  const value = text === undefined ? undefined : jsonIn(text);
  return isObject(value) ? value : undefined;
}
