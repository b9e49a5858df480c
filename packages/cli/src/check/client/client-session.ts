import { createHash } from 'node:crypto';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { monotonicNow } from '../../../../parley/src/jsonrpc/timeout.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import type { Revision } from '../../../../parley/src/protocol/revision.ts';
import { wholeText } from '../whole-text.ts';
import type { OpenSubscription } from './open-subscription.ts';
import { MovingTool } from './moving.ts';
import type { DroppedCall } from './dropped.ts';
import type { ServedProcess } from './served-process.ts';
import type { OwnTask } from './own-task.ts';

/** Question that was put to a client. */
export interface Prompted {
  readonly method: string;
  readonly params: JsonObject;
  /** Statement for whose sake it is asked; its answer is looked at for that as well. */
  readonly probe?: ClientProbe;
  /** Time at which it was cancelled, by the clock that never jumps. */
  cancelledAt?: number;
  /** Facts that were known when it was put: the method of what became a task, how that stood last, and ids that were given before. */
  readonly known?: { readonly method?: string; readonly status?: unknown; readonly ids?: readonly string[] };
}

/** Name of something that is asked for the sake of one statement. */
export type ClientProbe =
  | 'ping-after-notices'
  | 'ping-after-complete'
  | 'roots-undeclared'
  | 'tools-undeclared'
  | 'url-undeclared'
  | 'results-missing'
  | 'in-batch'
  | 'before-break'
  | 'sampling-undeclared'
  | 'form-undeclared'
  | 'form-named'
  | 'form-unnamed'
  | 'odd-meta'
  | 'ping-after-crossing'
  | 'cancelled'
  | 'cancelled-again'
  | 'ignores-task'
  | 'makes-task'
  | 'gets-task'
  | 'gives-result'
  | 'has-ended'
  | 'lists-tasks'
  | 'bad-cursor'
  | 'cancels-ended'
  | 'still-ended'
  | 'unknown-task'
  | 'cancels-task'
  | 'stays-cancelled';

/** Answer that wants input first, in the stateless revision, as long as it is not answered. */
export interface OpenRound {
  /** Id of the request that it answered. */
  readonly id: unknown;
  readonly tool: string;
  readonly asked: ReadonlyMap<string, Prompted>;
  /** State that was given with it; `undefined` for none. */
  readonly state: string | undefined;
}

/** A call that runs until it ends, or its client gives it up. */
export interface LongCall {
  readonly id: unknown;
  /** True when a notification said that it is cancelled. */
  isCancelled: boolean;
  /** True when the connection that it came over was closed before it was answered. */
  isClosed: boolean;
  /** Requests that came after that. */
  laterAsks: number;
  /** Ends it. */
  giveUp(): void;
}

/** Reported progress of a question. */
export interface QuestionProgress {
  /** The last reported value. */
  last: number;
  isAnswered: boolean;
  /** Id of the task that the request became; `undefined` for none. */
  taskId?: string;
  /** True if that task was reported as ended. */
  hasTaskEnded?: boolean;
}

/** A request that has no answer yet. */
export interface OpenRequest {
  readonly method: string;
  /** Left out where it is long, or none. */
  readonly progressToken: unknown;
}

/** Page that a client was asked to show, and to which it said no. */
export interface RefusedPage {
  readonly path: string;
  /** Moments at which it was asked, and at which it said no, by the clock that never jumps. */
  readonly asked: number;
  readonly refused: number;
}

/** Roots of a client. */
export interface ToldRoots {
  /** The last reported addresses; `undefined` before that. */
  text: string | undefined;
  /** True when a notification has said since that they changed. */
  isTold: boolean;
  /** Questions, by the texts of their ids, that were open when it did. */
  underWay: ReadonlySet<string>;
  /** True where they were others, and nothing had said so. */
  isSilent: boolean;
  /** True where they were others, and a notification had said so. */
  wasTold: boolean;
}

/** Time for an answer while other answers come, in milliseconds: a client may ask a slow user. */
const slowMs = 20_000;

/** Limit of the ids that are remembered of one conversation. */
const maxIds = 10_000;

/** Transport of a conversation, of which `sse` is HTTP+SSE. */
export type ClientSessionOver = 'http' | 'stdio' | 'sse';

/** State of one conversation with a client: a session, or all that a stateless client says. */
export class ClientSession {
  readonly over: ClientSessionOver;
  /** The revision that both speak, once it is settled. */
  revision: Revision | undefined;
  /** Id of the session over HTTP. */
  session: string | undefined;
  /** Stage of its opening. */
  stage: 'new' | 'answered' | 'ready' = 'new';
  /** Number of the conversation in its run. */
  number = 0;
  /** Process that serves it, where that is one of several. */
  process: ServedProcess | undefined;
  /** True if the session was removed, and the client got that answer. */
  isLost = false;
  /** Moment at which it was, by the clock that never jumps. */
  lostAt = 0;
  /** First request that came before `notifications/initialized`, and when. */
  early: { readonly method: string; readonly at: number } | undefined;
  /** True where it was opened after another was taken away. */
  isAfterLoss = false;
  /** True when the client ended the session. */
  isDeleted = false;
  /** Capabilities that the client declared: when it opened, or with its last request. */
  capabilities: JsonObject = {};
  /** Ids of all requests. */
  readonly ids: Set<string> = new Set();
  /** Requests that have no answer yet, by their ids, as much as is asked of them. */
  readonly open: Map<string, OpenRequest> = new Map();
  /** Questions of ours that have no answer yet, by their ids. */
  readonly put: Map<string, Prompted> = new Map();
  /** Moments at which they were put, by the clock that never jumps. */
  readonly putAt: Map<string, number> = new Map();
  /** The questions after which a later one was answered. A slow client has answered neither. */
  readonly overtaken: Set<string> = new Set();
  /** Progress of questions of ours, by their tokens. */
  readonly progress: Map<unknown, QuestionProgress> = new Map();
  /** Number of pages that the client was asked to show, and those of them to which it said no. */
  pageCount = 0;
  readonly refusedPages: RefusedPage[] = [];
  /** The last reported roots, and faults in their change notifications. */
  readonly roots: ToldRoots = {
    text: undefined,
    isTold: false,
    underWay: new Set(),
    isSilent: false,
    wasTold: false,
  };
  /** Rounds that wait to be answered. */
  readonly rounds: OpenRound[] = [];
  roundCount = 0;
  /** Cursors that were given, and those that were used. */
  readonly cursors: Set<string> = new Set();
  readonly usedCursors: Set<string> = new Set();
  /** False where this conversation is one of 2025-11-25 whose server declares no tasks. */
  offersTasks = true;
  /** Tasks of ours, by their ids. */
  readonly tasks: Map<string, OwnTask> = new Map();
  /** Ids of tasks that answered what may not be answered by one. */
  readonly wrongTasks: Set<string> = new Set();
  /** Calls that were still running when they were given up, or when they were asked for last. */
  readonly longCalls: LongCall[] = [];
  /** Tool whose header changes. */
  readonly moving: MovingTool = new MovingTool();
  /** True for one with a server that speaks no revision that there is. */
  isForeign = false;
  /** Moment at which a request was refused for its revision; `undefined` for none. */
  refusedAt: number | undefined;
  /** Calls whose streams broke off. */
  readonly dropped: DroppedCall[] = [];
  /** Streams of changes that are open, the number of those that were opened, and the ids of those that broke off. */
  readonly subscriptions: Set<OpenSubscription> = new Set();
  streamCount = 0;
  readonly brokenStreams: unknown[] = [];
  /** Number of times that something was changed. */
  changeCount = 0;
  /** Token that the app alone knows, and arguments of the calls that it was shown for, by their numbers. */
  readonly appToken: string = crypto.randomUUID();
  readonly appCalls: Map<number, unknown> = new Map();
  /** Id of the first request, and of the last one while they count up from a small number: those of several clients do not. */
  firstId: unknown;
  #lastId: number | undefined;
  /** Methods that were asked, and tools that were called. */
  readonly done: Set<string> = new Set();
  /** Message that was posted to where no endpoint is, over HTTP+SSE. */
  misplaced: string | undefined;
  /** The last message, shortened for reports. */
  #said = '';

  constructor(over: ClientSessionOver, revision?: Revision) {
    this.over = over;
    this.revision = revision;
    if (revision?.sessions === false) this.stage = 'ready';
  }

  get said(): string {
    return this.#said;
  }

  set said(text: string) {
    this.#said = text.slice(0, 2_000);
  }

  /** Remembers a request. */
  asked(message: JsonObject): void {
    const key = idText(message['id']);
    this.#counts(message['id']);
    if (this.ids.size < maxIds) this.ids.add(key);
    const { progressToken: token } = metaOf(message);
    const progressToken = keptId(token) === token ? token : undefined;
    if (this.open.size < maxIds) this.open.set(key, { method: saidText(message['method']), progressToken });
    for (const call of this.longCalls) if (call.isClosed) call.laterAsks++;
    for (const call of this.dropped) call.passed(message);
    this.moving.passed(message);
    const { name, arguments: given } = paramsOf(message);
    const isEcho = message['method'] === 'tools/call' && name === 'echo';
    if (isEcho && isObject(given) && given['text'] === 'hello') this.done.add('said hello');
  }

  /** True where all requests count their ids up, as no two clients do together, nor one that is started twice. */
  get isOne(): boolean {
    return this.#lastId !== undefined;
  }

  #counts(id: unknown): void {
    const isFirst = this.ids.size === 0;
    if (isFirst) this.firstId = keptId(id);
    const isNext =
      typeof id === 'number' && id < maxIds && (isFirst || (this.#lastId !== undefined && id > this.#lastId));
    this.#lastId = isNext ? id : undefined;
  }

  /** Remembers that a question of ours was answered. @param key Text of its id. */
  answeredQuestion(key: string): void {
    if (this.put.has(key))
      for (const before of this.put.keys()) {
        if (before === key) break;
        this.overtaken.add(before);
      }
    this.forgetQuestion(key);
  }

  /** Forgets a question of ours: it is open no more. */
  forgetQuestion(key: string): void {
    this.put.delete(key);
    this.putAt.delete(key);
    this.overtaken.delete(key);
  }

  /** True for a question that has no answer long after it was put, while one that was put after it has. */
  isUnanswered(key: string): boolean {
    return this.overtaken.has(key) && this.patienceFor(key) <= 0;
  }

  /** Time for which an answer to a question is still waited for, in milliseconds. */
  patienceFor(key: string): number {
    return slowMs - (monotonicNow() - (this.putAt.get(key) ?? -Infinity));
  }

  /** Remembers that a request was answered. */
  answered(id: unknown, text: string): void {
    this.open.delete(idText(id));
    this.said = text;
  }
}

/** Longest text of a value that is remembered, in characters. */
const maxTextLength = 200;

/** Text of whatever a client sent; one that is long is cut, and told from others by its hash. */
export function saidText(value: unknown): string {
  const text = wholeText(value);
  if (text.length <= maxTextLength) return text;
  return `${text.slice(0, maxTextLength / 2)}… ${createHash('sha256').update(text).digest('hex')}`;
}

/** An id with its type: 1 and "1" are two. */
export function idText(id: unknown): string {
  return `${typeof id} ${saidText(id)}`;
}

/** Id of an open question that has the same text as one of another type; `undefined` for none. */
export function likeId(id: unknown, { put }: ClientSession): string | undefined {
  return [...put.keys()].find((key) => key.slice(key.indexOf(' ')) === ` ${saidText(id)}`);
}

/** An id that is remembered: as it is, but for one that is long. */
export function keptId(id: unknown): unknown {
  return typeof id === 'number' ? id : saidText(id);
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
