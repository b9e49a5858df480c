import { isObject } from '../../packages/parley/src/jsonrpc/message.ts';
import { revisions, type Revision } from '../../packages/parley/src/protocol/revision.ts';
import type { ObservedMessage } from '../../packages/parley/src/connection/observe.ts';
import { officialSchema, type Judge, type OfficialSchema } from './official-schemas.ts';

/** What breaks the official schema in a message that we sent; nothing when it is as its revision wrote it. */
export function wireProblems(sent: ObservedMessage, judge: Judge = officialSchema): readonly string[] {
  // What travels is the JSON of the message: fields that are undefined are not there.
  const message: unknown = JSON.parse(JSON.stringify(sent.message));
  if (!isObject(message)) return ['a message must be an object'];
  if (sent.revision === undefined) return inAnyRevision(sent, message, judge);
  const schema = judge(sent.revision.date);
  if (message['method'] !== undefined) return methodProblems(schema, sent, sent.revision, message);
  if (message['error'] !== undefined) return errorProblems(schema, sent.revision, message);
  return resultProblems(schema, sent, message);
}

/** A message before a revision was settled must make sense in one of them at least. */
function inAnyRevision(sent: ObservedMessage, message: Record<string, unknown>, judge: Judge): readonly string[] {
  const wanted = isObject(message['params']) ? message['params']['protocolVersion'] : undefined;
  // The one that it names first: what no other has to look at is not read.
  const inTurn = revisions.toSorted((one, other) => Number(other.date === wanted) - Number(one.date === wanted));
  if (inTurn.some((revision) => wireProblems({ ...sent, revision }, judge).length === 0)) return [];
  const last = wireProblems({ ...sent, revision: revisions.at(-1) }, judge);
  return [`in no revision: ${JSON.stringify(message).slice(0, 200)}`, ...last];
}

function methodProblems(
  schema: OfficialSchema,
  { from }: ObservedMessage,
  revision: Revision,
  message: Record<string, unknown>,
): readonly string[] {
  const method = String(message['method']);
  const kind = 'id' in message ? 'Request' : 'Notification';
  const name = schema.messageOf(method);
  if (name === undefined) {
    if (isForeign(method) && !isExtension(revision, method)) return [`${method} does not exist`];
    return schema.problems(`JSONRPC${kind}`, message);
  }
  const union = `${from === 'client' ? 'Client' : 'Server'}${kind}`;
  const direction = schema.includes(union, name) ? [] : [`${method} is no ${union}`];
  return [...direction, ...schema.problems(`JSONRPC${kind}`, message), ...schema.problems(name, message)];
}

/** Whether a method is the protocol's, of whatever revision; the others are somebody's own. */
function isForeign(method: string): boolean {
  return revisions.some(({ date }) => officialSchema(date).messageOf(method) !== undefined);
}

/** The tasks extension keeps the names of some methods that the core once had. */
function isExtension(revision: Revision, method: string): boolean {
  return revision.tasks === 'extension' && ['tasks/get', 'tasks/cancel'].includes(method);
}

function errorProblems(
  schema: OfficialSchema,
  revision: Revision,
  message: Record<string, unknown>,
): readonly string[] {
  const envelope = schema.names.includes('JSONRPCErrorResponse') ? 'JSONRPCErrorResponse' : 'JSONRPCError';
  // JSON-RPC 2.0 asks for a null id where the id could not be read; the schemas before 2025-11-25 forgot it.
  const unread = message['id'] === null && !revision.errorWithoutId;
  const checked = unread ? { ...message, id: 0 } : message;
  const named = isObject(message['error']) ? errorNames.get(message['error']['code']) : undefined;
  const own = named !== undefined && schema.names.includes(named) ? schema.problems(named, checked) : [];
  return [...schema.problems(envelope, checked), ...own];
}

const errorNames: ReadonlyMap<unknown, string> = new Map([
  [-32020, 'HeaderMismatchError'],
  [-32021, 'MissingRequiredClientCapabilityError'],
  [-32022, 'UnsupportedProtocolVersionError'],
  [-32042, 'URLElicitationRequiredError'],
]);

function resultProblems(
  schema: OfficialSchema,
  { answers }: ObservedMessage,
  message: Record<string, unknown>,
): readonly string[] {
  const envelope = schema.names.includes('JSONRPCResultResponse') ? 'JSONRPCResultResponse' : 'JSONRPCResponse';
  const { result } = message;
  return [...schema.problems(envelope, message), ...schema.problems(resultName(schema, answers, result), result)];
}

/** The definition of a result: named after its request, unless the result says that it is something else. */
function resultName(schema: OfficialSchema, answers: string | undefined, result: unknown): string {
  const request = answers === undefined ? undefined : schema.messageOf(answers);
  if (request === undefined || !isObject(result)) return 'Result';
  if (result['resultType'] === 'input_required' && mayAskForInput.has(request)) return 'InputRequiredResult';
  if (result['resultType'] === 'task' && request === 'CallToolRequest') return 'Result';
  // A kind with a prefix is an extension's; where a revision has no such kinds, its `Result` refuses it.
  if (String(result['resultType']).includes('/') && mayAskForInput.has(request)) return 'Result';
  if (mayBecomeTask.has(request) && isObject(result['task']) && schema.names.includes('CreateTaskResult')) {
    return 'CreateTaskResult';
  }
  const name = request.replace(/Request$/, 'Result');
  return schema.names.includes(name) ? name : 'EmptyResult';
}

const mayAskForInput: ReadonlySet<string> = new Set(['CallToolRequest', 'GetPromptRequest', 'ReadResourceRequest']);
const mayBecomeTask: ReadonlySet<string> = new Set(['CallToolRequest', 'CreateMessageRequest', 'ElicitRequest']);
