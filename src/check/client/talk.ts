import { isObject } from '../../jsonrpc/message.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { Revision } from '../../protocol/revision.ts';

/** Question that was put to a client. */
export interface Put {
  readonly method: string;
  readonly params: JsonObject;
}

/** Answer that wants input first, in the stateless revision, as long as it is not answered. */
export interface Round {
  /** Id of the request that it answered. */
  readonly id: unknown;
  readonly tool: string;
  readonly asked: ReadonlyMap<string, Put>;
  /** State that was given with it; `undefined` for none. */
  readonly state: string | undefined;
}

/** Limit of the ids that are remembered of one conversation. */
const mostIds = 10_000;

/** Transport of a conversation, of which `sse` is HTTP+SSE. */
export type TalkOver = 'http' | 'stdio' | 'sse';

/** State of one conversation with a client: a session, or all that a stateless client says. */
export class Talk {
  readonly over: TalkOver;
  /** The revision that both speak, once it is settled. */
  revision: Revision | undefined;
  /** Id of the session over HTTP. */
  session: string | undefined;
  /** Stage of its opening. */
  stage: 'new' | 'answered' | 'ready' = 'new';
  /** True when the session was taken away, and the client was told so. */
  isLost = false;
  /** True where it was opened after another was taken away. */
  isAfterLoss = false;
  /** True when the client ended the session. */
  isDeleted = false;
  /** Capabilities that the client declared: when it opened, or with its last request. */
  capabilities: JsonObject = {};
  /** Ids of all requests. */
  readonly ids: Set<string> = new Set();
  /** Requests that have no answer yet, by their ids. */
  readonly open: Map<string, JsonObject> = new Map();
  /** Questions of ours that have no answer yet, by their ids. */
  readonly put: Map<string, Put> = new Map();
  /** Rounds that wait to be answered. */
  readonly rounds: Round[] = [];
  roundCount = 0;
  /** Cursors that were given, and those that were used. */
  readonly cursors: Set<string> = new Set();
  readonly usedCursors: Set<string> = new Set();
  /** Methods that were asked, and tools that were called. */
  readonly done: Set<string> = new Set();
  /** Message that was posted to where no endpoint is, over HTTP+SSE. */
  misplaced: string | undefined;
  /** Text that was said last. */
  said = '';

  constructor(over: TalkOver, revision?: Revision) {
    this.over = over;
    this.revision = revision;
    if (revision?.sessions === false) this.stage = 'ready';
  }

  /** Remembers a request. */
  asked(message: JsonObject): void {
    const key = idText(message['id']);
    if (this.ids.size < mostIds) this.ids.add(key);
    if (this.open.size < mostIds) this.open.set(key, message);
  }

  /** Remembers that a request was answered. */
  answered(id: unknown, text: string): void {
    this.open.delete(idText(id));
    this.said = text;
  }
}

/** An id with its type: 1 and "1" are two. */
export function idText(id: unknown): string {
  return `${typeof id} ${String(id)}`;
}

/** The params of a message; empty where it has none. */
export function paramsOf({ params }: JsonObject): JsonObject {
  return isObject(params) ? params : {};
}

/** The `_meta` of the params of a message; empty where it has none. */
export function metaOf(message: JsonObject): JsonObject {
  const { _meta: meta } = paramsOf(message);
  return isObject(meta) ? meta : {};
}

/** Tells whether a message asks something. */
export function isAsking(message: JsonObject): boolean {
  return typeof message['method'] === 'string' && 'id' in message;
}
