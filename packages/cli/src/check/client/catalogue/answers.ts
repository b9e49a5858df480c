/** Answers of the server that checks clients. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Implementation, JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { OwnTask, ownTaskTimes } from '../own-task.ts';
import { madeTask, offeredTaskExtension, offeredTasks, clientTakesTasks, taskAnswer } from './serving.ts';
import { DroppedCall, droppedTool, maxDropped } from '../dropped.ts';
import { dyingTool } from '../served-process.ts';
import { keptId, paramsOf, saidText, type Prompted, type OpenRound, type ClientSession } from '../client-session.ts';
import type { HeardHead } from '../client-rule.ts';
import { appContents, appTools, noteReport, shownApp } from './app.ts';
import { askedNow } from './asked-questions.ts';
import { changeTools, changeTool, changingCapabilities, listenedTo } from './listening.ts';
import { movingTool } from '../moving.ts';
import { offeredSkills, skillAnswer, skillFile } from './skills.ts';
import { askedWords, opaqueState, questionsFor } from './questions.ts';
import { canDie, isNewTool, plainTool, secondCursor, thirdCursor, toolPages } from './tools.ts';

/** Answer to a request: a result, an error, that the session is gone, or none, since the client gave it up, or its stream broke off. */
export type GivenAnswer =
  | { readonly result: JsonObject }
  | { readonly error: JsonObject }
  | 'lost'
  | 'given-up'
  | 'dropped';

/** Surroundings of an answer. */
export interface Giving {
  readonly clientSession: ClientSession;
  readonly revision: Revision;
  readonly info: Implementation;
  /** The revisions that are served here. */
  readonly served: readonly Revision[];
  /** Address that nobody should fetch; `undefined` where nothing listens. */
  readonly remote: string | undefined;
  /** Head of the request; left out over stdio. */
  readonly http?: HeardHead | undefined;
  /** Tools in the place of those of the catalogue. */
  readonly tools: readonly string[] | undefined;
  /** Hears of tools that the client is told of. */
  listed(tool: string): void;
  /** Puts a question to a handshake client. @returns Its response. */
  put(question: Prompted): Promise<JsonObject>;
  /** Puts one, and cancels it. @returns True where it was answered all the same, long after that. */
  putAndCancel(question: Prompted): Promise<boolean>;
  /** Waits for answers that are late, while later questions were answered. */
  slow(): Promise<void>;
  /** Puts several in one batch. */
  putBatch(questions: readonly Prompted[]): Promise<void>;
  /** Tells a handshake client something. */
  tell(method: string, params: JsonObject): void;
  /** Breaks the stream of the answer off; left out where there is none. */
  readonly breakOff?: ((call: DroppedCall) => void) | undefined;
  /** Ends the stream of the answer without one; left out where there is none. */
  readonly endStream?: (() => void) | undefined;
  /** Waits for a time, or for something. @returns False where the client gave the request up before. */
  lasts(ms: number, until?: Promise<void>): Promise<boolean>;
}

/** Answers a request. */
export async function answerTo(message: JsonObject, giving: Giving): Promise<GivenAnswer> {
  const given = await plainAnswer(message, giving);
  if (typeof given === 'string' || !('result' in given) || !giving.revision.resultTypes) return given;
  const { _meta: meta, ...result } = given.result;
  const own = { ...(isObject(meta) ? meta : {}), [metaKey.serverInfo]: giving.info };
  return { result: { resultType: 'complete', ...result, _meta: own } };
}

async function plainAnswer(message: JsonObject, giving: Giving): Promise<GivenAnswer> {
  const { revision, info, served } = giving;
  const offered = { ...changingCapabilities(revision), ...offeredTasks(giving), ...offeredExtensions(revision) };
  switch (message['method']) {
    case 'initialize':
      return { result: { protocolVersion: revision.date, capabilities: offered, serverInfo: info, instructions } };
    case 'server/discover': {
      const supportedVersions = served.filter(({ sessions }) => !sessions).map(({ date }) => date);
      return { result: { supportedVersions, capabilities: offered, instructions, ...fresh } };
    }
    case 'tools/list':
      return listed(message, giving);
    case 'tools/call':
      return await called(message, giving);
    case 'resources/list':
      return { result: { resources: resourcesFor(giving), ...hints(revision) } };
    case 'resources/templates/list':
      return { result: { resourceTemplates: [], ...hints(revision) } };
    case 'resources/read':
      return paramsOf(message)['uri'] === asTask && clientTakesTasks(giving.clientSession)
        ? wrongTask(giving)
        : read(message, giving);
    case 'prompts/list':
      return {
        result: {
          prompts: [
            { name: 'greet', description: 'Greets.' },
            { name: 'grüße', description: 'Has a name that is no plain text of a header.' },
          ],
          ...hints(revision),
        },
      };
    case 'prompts/get':
      return { result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }] } };
    case 'ping':
      return { result: {} };
    case 'subscriptions/listen':
      return revision.subscribing === 'listen' ? await listenedTo(message, giving) : unknownMethod(message);
    default:
      return (
        skillAnswer(message, revision, hints(revision)) ?? (await taskAnswer(message, giving)) ?? unknownMethod(message)
      );
  }
}

/** Extensions that are declared, in the revision that has a place for them. */
function offeredExtensions(revision: Revision): JsonObject {
  const extensions = { ...offeredTaskExtension(revision), ...offeredSkills(revision) };
  return Object.keys(extensions).length === 0 ? {} : { extensions };
}

function unknownMethod({ method }: JsonObject): GivenAnswer {
  return { error: { code: -32_601, message: `there is no method ${JSON.stringify(method)} here` } };
}

const instructions = 'A server that judges its client: list the tools, call echo, then ask.';
const fresh = { ttlMs: 0, cacheScope: 'private' };

function hints({ cacheHints }: Revision): JsonObject {
  return cacheHints ? fresh : {};
}

function listed(
  message: JsonObject,
  { clientSession, revision, remote, tools: own, listed: tell }: Giving,
): GivenAnswer {
  const { cursor } = paramsOf(message);
  const pages = own === undefined ? toolPages(revision, clientSession, remote) : [own.map(plainTool)];
  const at = cursor === undefined ? 0 : cursor === secondCursor(clientSession) ? 1 : cursor === thirdCursor ? 2 : -1;
  const tools = pages[at];
  if (tools === undefined) return { error: { code: -32_602, message: `there is no page ${JSON.stringify(cursor)}` } };
  const next = at + 1 < pages.length ? [secondCursor(clientSession), thirdCursor][at] : undefined;
  for (const { name } of tools) tell(String(name));
  if (tools.some(({ name }) => name === movingTool)) clientSession.moving.listed();
  if (next !== undefined) clientSession.cursors.add(next);
  return { result: { tools, ...(next === undefined ? {} : { nextCursor: next }), ...hints(revision) } };
}

/** Resource that is answered with a task, to who takes those; only a call of a tool may be. */
const asTask = 'check://as-task';

function resourcesFor({ clientSession, revision }: Giving): readonly JsonObject[] {
  const notes = { uri: 'check://notes', name: 'notes', mimeType: 'text/plain' };
  const odd = { uri: asTask, name: 'as-task', description: 'Is answered with a task, which is invalid.' };
  return revision.tasks === 'extension' && clientTakesTasks(clientSession) ? [notes, odd] : [notes];
}

function wrongTask({ clientSession }: Giving): GivenAnswer {
  const task = new OwnTask({ tool: 'as-task', callId: undefined, question: undefined, ttl: ownTaskTimes.kept });
  clientSession.wrongTasks.add(task.id);
  return { result: { resultType: 'task', ...task.view('extension') } };
}

function read(message: JsonObject, { revision, clientSession, remote }: Giving): GivenAnswer {
  const { uri } = paramsOf(message);
  if (uri === 'check://notes')
    return { result: { contents: [{ uri, mimeType: 'text/plain', text: 'Nothing to note.' }], ...hints(revision) } };
  const app = appContents(uri, clientSession, remote);
  if (app !== undefined) return { result: { contents: [app], ...hints(revision) } };
  const text = skillFile(uri, revision);
  if (text !== undefined)
    return { result: { contents: [{ uri, mimeType: 'text/markdown', text }], ...hints(revision) } };
  const code = revision.sessions ? -32_002 : -32_602;
  return { error: { code, message: 'the resource does not exist', data: { uri } } };
}

async function called(message: JsonObject, giving: Giving): Promise<GivenAnswer> {
  const { name, arguments: given } = paramsOf(message);
  if (giving.tools?.includes(saidText(name)) === true) return { result: textResult(`${saidText(name)} was called`) };
  if (name === 'ask')
    return giving.revision.resultsAsk ? askedByRounds(message, giving) : { result: textResult(await askedNow(giving)) };
  if (name === 'lost' && giving.clientSession.session !== undefined) return 'lost';
  if (name === dyingTool && canDie(giving.revision, giving.clientSession)) {
    giving.clientSession.process?.die(giving.clientSession.subscriptions.size);
    return 'dropped';
  }
  if (name === droppedTool) return dropped(message, giving);
  if (name === movingTool && giving.http !== undefined && !giving.clientSession.moving.called(given, giving.http))
    return { error: { code: -32_020, message: 'the header Mcp-Param of place is another: list the tools again' } };
  const task = madeTask(message, giving);
  if (task !== undefined) return task;
  if (name === 'slow' || name === 'endless') return await ran(name, giving);
  if (name === changeTool && giving.revision.subscribing === 'listen') changeTools(giving.clientSession);
  if (name === appTools.shown) return { result: shownApp(message, giving.clientSession) };
  if (name === appTools.reports && isObject(given)) noteReport(given, giving.clientSession);
  const known = [...Object.values(appTools), 'echo', 'region', movingTool, 'remote', 'bad_header', 'last', changeTool];
  if (!known.includes(saidText(name)) && !isNewTool(name, giving.clientSession))
    return { error: { code: -32_602, message: `the tool ${JSON.stringify(name)} does not exist` } };
  const said = isObject(given) ? given['text'] : undefined;
  return { result: textResult(typeof said === 'string' ? said : `${saidText(name)} was called`) };
}

/** A call whose stream breaks off, where that can be: in each but the stateless revisions, where what is called again is answered. */
function dropped(message: JsonObject, { clientSession, revision, breakOff }: Giving): GivenAnswer {
  const whole = { result: textResult(`${droppedTool} was answered`) };
  const isAgain = !revision.sessions && clientSession.dropped.some(({ isOver }) => !isOver);
  if (isAgain) for (const call of clientSession.dropped) call.isOver = true;
  // What is answered later is answered with its id, which is kept for that.
  const isLong = keptId(message['id']) !== message['id'];
  if (isAgain || isLong || breakOff === undefined || clientSession.dropped.length >= maxDropped) return whole;
  const call = new DroppedCall(message['id'], revision);
  clientSession.dropped.push(call);
  breakOff(call);
  return 'dropped';
}

/** A call that takes a while, and is no task. */
async function ran(name: 'slow' | 'endless', { lasts }: Giving): Promise<GivenAnswer> {
  const isThere = await lasts(name === 'slow' ? ownTaskTimes.rest : ownTaskTimes.endless);
  return isThere ? { result: textResult(`${name} has ended`) } : 'given-up';
}

/** Everything is asked in one round that has a state, and the first of it once more in a second that has none. */
function askedByRounds(message: JsonObject, { clientSession, revision }: Giving): GivenAnswer {
  const questions = questionsFor(revision, clientSession.capabilities);
  const { inputResponses } = paramsOf(message);
  const keys = isObject(inputResponses) ? Object.keys(inputResponses) : [];
  const isOver = keys.some((key) => key.startsWith('again'));
  const [again] = questions;
  if (again === undefined || isOver) return { result: textResult(askedWords(questions)) };
  const isSecond = keys.length > 0;
  const name = isSecond ? 'again' : 'first';
  const asked = new Map(
    (isSecond ? [again] : questions).map((put, at) => [`${name}-${clientSession.roundCount}-${at}`, put]),
  );
  clientSession.roundCount++;
  // Another one for each, so that none can be taken for the other.
  const state = isSecond
    ? undefined
    : clientSession.roundCount === 1
      ? opaqueState
      : `${opaqueState}${clientSession.roundCount}`;
  const round: OpenRound = { id: keptId(message['id']), tool: 'ask', asked, state };
  clientSession.rounds.push(round);
  // A client that always begins again without answering must not fill memory.
  if (clientSession.rounds.length > 100) clientSession.rounds.shift();
  const inputRequests = Object.fromEntries(asked);
  return {
    result: { resultType: 'input_required', inputRequests, ...(state === undefined ? {} : { requestState: state }) },
  };
}

function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}
