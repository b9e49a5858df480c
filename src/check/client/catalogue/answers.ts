/** Answers of the server that clients are judged by. */

import { isObject } from '../../../jsonrpc/message.ts';
import type { Implementation, JsonObject } from '../../../protocol/features/common.ts';
import { metaKey } from '../../../protocol/meta.ts';
import type { Revision } from '../../../protocol/revision.ts';
import { paramsOf, type Round, type Talk } from '../talk.ts';
import { opaqueState, questionsFor } from './questions.ts';
import { cursors, plainTool, toolPages } from './tools.ts';

/** Answer to a request: a result, an error, or that the session is gone. */
export type Given = { readonly result: JsonObject } | { readonly error: JsonObject } | 'lost';

/** Surroundings of an answer. */
export interface Giving {
  readonly talk: Talk;
  readonly revision: Revision;
  readonly info: Implementation;
  /** The revisions that are served here. */
  readonly served: readonly Revision[];
  /** Address that nobody should fetch; `undefined` where nothing listens. */
  readonly remote: string | undefined;
  /** Tools in the place of those of the catalogue. */
  readonly tools: readonly string[] | undefined;
  /** Hears of tools that the client is told of. */
  listed(tool: string): void;
  /** Puts a question to a handshake client. @returns Its response. */
  put(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Answers a request. */
export async function answerTo(message: JsonObject, giving: Giving): Promise<Given> {
  const given = await plainAnswer(message, giving);
  if (given === 'lost' || !('result' in given) || !giving.revision.resultTypes) return given;
  const { _meta: meta, ...result } = given.result;
  const own = { ...(isObject(meta) ? meta : {}), [metaKey.serverInfo]: giving.info };
  return { result: { resultType: 'complete', ...result, _meta: own } };
}

async function plainAnswer(message: JsonObject, giving: Giving): Promise<Given> {
  const { revision, info, served } = giving;
  switch (message['method']) {
    case 'initialize':
      return { result: { protocolVersion: revision.date, capabilities, serverInfo: info, instructions } };
    case 'server/discover': {
      const supportedVersions = served.filter(({ sessions }) => !sessions).map(({ date }) => date);
      return { result: { supportedVersions, capabilities, instructions, ...fresh } };
    }
    case 'tools/list':
      return listed(message, giving);
    case 'tools/call':
      return await called(message, giving);
    case 'resources/list':
      return {
        result: { resources: [{ uri: 'check://notes', name: 'notes', mimeType: 'text/plain' }], ...hints(revision) },
      };
    case 'resources/templates/list':
      return { result: { resourceTemplates: [], ...hints(revision) } };
    case 'resources/read':
      return read(message, giving);
    case 'prompts/list':
      return { result: { prompts: [{ name: 'greet', description: 'Greets.' }], ...hints(revision) } };
    case 'prompts/get':
      return { result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }] } };
    case 'ping':
      return { result: {} };
    default:
      return { error: { code: -32_601, message: `there is no method ${JSON.stringify(message['method'])} here` } };
  }
}

const capabilities = { tools: {}, resources: {}, prompts: {} };
const instructions = 'A server that judges its client: list the tools, call echo, then ask.';
const fresh = { ttlMs: 0, cacheScope: 'private' };

function hints({ cacheHints }: Revision): JsonObject {
  return cacheHints ? fresh : {};
}

function listed(message: JsonObject, { talk, revision, remote, tools: own, listed: tell }: Giving): Given {
  const { cursor } = paramsOf(message);
  const pages = own === undefined ? toolPages(revision, { over: talk.over, remote }) : [own.map(plainTool)];
  const at = cursor === undefined ? 0 : cursor === cursors.second ? 1 : cursor === cursors.third ? 2 : -1;
  const tools = pages[at];
  if (tools === undefined) return { error: { code: -32_602, message: `there is no page ${JSON.stringify(cursor)}` } };
  const next = at + 1 < pages.length ? [cursors.second, cursors.third][at] : undefined;
  for (const { name } of tools) tell(String(name));
  if (next !== undefined) talk.cursors.add(next);
  return { result: { tools, ...(next === undefined ? {} : { nextCursor: next }), ...hints(revision) } };
}

function read(message: JsonObject, { revision }: Giving): Given {
  const { uri } = paramsOf(message);
  if (uri === 'check://notes')
    return { result: { contents: [{ uri, mimeType: 'text/plain', text: 'Nothing to note.' }], ...hints(revision) } };
  const code = revision.sessions ? -32_002 : -32_602;
  return { error: { code, message: 'there is no such resource', data: { uri } } };
}

async function called(message: JsonObject, giving: Giving): Promise<Given> {
  const { name, arguments: given } = paramsOf(message);
  if (giving.tools?.includes(String(name)) === true) return { result: textResult(`${String(name)} was called`) };
  if (name === 'ask') return giving.revision.resultsAsk ? askedByRounds(message, giving) : await askedNow(giving);
  if (name === 'lost' && giving.talk.session !== undefined) return 'lost';
  const known = ['echo', 'region', 'remote', 'bad_header', 'last'];
  if (!known.includes(String(name)))
    return { error: { code: -32_602, message: `there is no tool ${JSON.stringify(name)}` } };
  const said = isObject(given) ? given['text'] : undefined;
  return { result: textResult(typeof said === 'string' ? said : `${String(name)} was called`) };
}

/** Everything is asked, one after the other, while the call waits. */
async function askedNow({ talk, revision, put }: Giving): Promise<Given> {
  const questions = questionsFor(revision, talk.capabilities);
  await put('ping', {});
  // What it does not know it refuses.
  await put('x.parley/unknown', {});
  for (const { method, params } of questions) await put(method, params);
  return { result: textResult(questions.length === 0 ? nothingToAsk : `asked for ${questions.length} things`) };
}

const nothingToAsk = 'This client declares nothing that it could be asked for.';

/** Everything is asked in one round that has a state, and the first of it once more in a second that has none. */
function askedByRounds(message: JsonObject, { talk, revision }: Giving): Given {
  const questions = questionsFor(revision, talk.capabilities);
  const { inputResponses } = paramsOf(message);
  const keys = isObject(inputResponses) ? Object.keys(inputResponses) : [];
  const isOver = keys.some((key) => key.startsWith('again'));
  const [again] = questions;
  if (again === undefined || isOver)
    return { result: textResult(again === undefined ? nothingToAsk : `asked for ${questions.length} things`) };
  const isSecond = keys.length > 0;
  const name = isSecond ? 'again' : 'first';
  const asked = new Map((isSecond ? [again] : questions).map((put, at) => [`${name}-${talk.roundCount}-${at}`, put]));
  talk.roundCount++;
  const state = isSecond ? undefined : opaqueState;
  const round: Round = { id: message['id'], tool: 'ask', asked, state };
  talk.rounds.push(round);
  // Who begins anew, and never answers, must not fill memory.
  if (talk.rounds.length > 100) talk.rounds.shift();
  const inputRequests = Object.fromEntries(asked);
  return {
    result: { resultType: 'input_required', inputRequests, ...(state === undefined ? {} : { requestState: state }) },
  };
}

function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}
