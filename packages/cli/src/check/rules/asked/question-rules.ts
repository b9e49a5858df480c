import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { check } from '../../../../../parley/src/protocol/compile/check.ts';
import { questionsIn } from '../../harness/calls.ts';
import { rowOf } from '../../register.ts';
import type { HeardMessage, WatchRule } from '../../rule.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about what a server asks of its client: by requests of its own, or by results that want input. */

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  /** Words for where it stands. */
  readonly where: string;
}

/** Questions in a message. */
function questionsOf({ message, request }: HeardMessage): readonly Question[] {
  const { method, id, params, result } = message;
  if (typeof method === 'string' && id !== undefined)
    return [{ method, params: isObject(params) ? params : {}, where: method }];
  if (!isObject(result) || request === undefined) return [];
  return questionsIn(result).map(([key, { method: asked, params: about }]) => ({
    method: wholeText(asked),
    params: isObject(about) ? about : {},
    where: `inputRequests/${key}`,
  }));
}

/** Makes a rule about each question of one method; `false` means that the question proves nothing. */
export function aboutQuestions(
  rule: Omit<WatchRule, 'watch'>,
  method: string,
  fault: (params: JsonObject, heard: HeardMessage) => string | undefined | false,
): WatchRule {
  return {
    ...rule,
    watch(heard) {
      let seen: 'holds' | 'not-seen' = 'not-seen';
      for (const question of questionsOf(heard)) {
        if (question.method !== method) continue;
        const found = fault(question.params, heard);
        if (found === false) continue;
        if (found !== undefined) return { breaks: found, where: question.where };
        seen = 'holds';
      }
      return seen;
    },
  };
}

function modeOf({ mode }: JsonObject): unknown {
  return mode ?? 'form';
}

/** Tells whether a client declared a mode; `{}` is forms alone. */
function hasMode(declared: unknown, mode: string): boolean {
  if (!isObject(declared)) return false;
  return declared[mode] !== undefined || (mode === 'form' && declared['url'] === undefined);
}

const elicitation = 'elicitation/create';
const sampling = 'sampling/createMessage';

const elicitations: readonly WatchRule[] = [
  aboutQuestions(
    {
      id: 'elicit-016',
      fields: ['mode'],
      message: 'The server uses only elicitation modes that the client declared',
      fix: 'look at the capabilities of the client before it is asked, and do without where it has none',
    },
    elicitation,
    (params, { capabilities }) =>
      hasMode(capabilities['elicitation'], wholeText(modeOf(params)))
        ? undefined
        : `a client without it was asked in the mode ${wholeText(modeOf(params))}`,
  ),
  aboutQuestions(
    {
      id: 'elicit-018',
      fields: ['message', 'mode'],
      message: 'Each elicitation has a message, and no mode other than form and url',
      fix: 'send "message", and "mode": "url" for a page',
    },
    elicitation,
    (params) => {
      if (typeof params['message'] !== 'string') return 'it has no message';
      return ['form', 'url'].includes(wholeText(modeOf(params)))
        ? undefined
        : `its mode is ${JSON.stringify(params['mode'])}`;
    },
  ),
  aboutQuestions(
    {
      id: 'elicit-020',
      fields: ['requestedSchema', 'url'],
      message: 'A form elicitation has a requestedSchema, and a URL elicitation has a url',
      fix: 'send it',
    },
    elicitation,
    (params) => {
      if (modeOf(params) === 'url') return typeof params['url'] === 'string' ? undefined : 'it has no url';
      return isObject(params['requestedSchema']) ? undefined : 'it has no requestedSchema';
    },
  ),
  aboutQuestions(
    {
      id: 'elicit-021',
      fields: ['requestedSchema.type', 'requestedSchema.properties', 'requestedSchema.properties.*'],
      message: 'A requestedSchema is a flat object, without nested objects',
      fix: 'ask for strings, numbers, booleans and choices alone',
    },
    elicitation,
    ({ requestedSchema }) => (isObject(requestedSchema) ? nestedIn(requestedSchema) : false),
  ),
  aboutQuestions(
    {
      id: 'elicit-023',
      fields: ['elicitationId'],
      message: 'A URL elicitation has an elicitationId',
      fix: 'send it',
    },
    elicitation,
    (params) =>
      modeOf(params) !== 'url' ? false : typeof params['elicitationId'] === 'string' ? undefined : 'it has none',
  ),
  aboutQuestions(
    { id: 'elicit-025', message: 'The url of an elicitation is a valid URL', fix: 'send a whole URL' },
    elicitation,
    ({ mode, url }) =>
      mode !== 'url' || typeof url !== 'string'
        ? false
        : URL.canParse(url)
          ? undefined
          : `it is ${JSON.stringify(url)}`,
  ),
];

function nestedIn({ type, properties }: JsonObject): string | undefined {
  if (type !== 'object' || !isObject(properties)) return 'it has no type object with properties';
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema)) return `${name} is no schema`;
    const { type: of, items } = schema;
    if (of === 'array' && isObject(items) && (items['enum'] !== undefined || items['anyOf'] !== undefined)) continue;
    if (!['string', 'number', 'integer', 'boolean'].includes(wholeText(of)))
      return `${name} has the type ${JSON.stringify(of) ?? 'none'}`;
  }
  return undefined;
}

const contexts = ['thisServer', 'allServers'];

/** Messages of a request to a model, with their blocks. */
function messagesOf({
  messages,
}: JsonObject): readonly { readonly role: unknown; readonly blocks: readonly JsonObject[] }[] {
  return (Array.isArray(messages) ? messages.filter(isObject) : []).map(({ role, content }) => ({
    role,
    blocks: [content].flat().filter(isObject),
  }));
}

/** Ids of the blocks of one type. */
function idsIn(blocks: readonly JsonObject[], type: string, key: string): readonly unknown[] {
  return blocks.filter((block) => block['type'] === type).map((block) => block[key]);
}

const samplings: readonly WatchRule[] = [
  aboutQuestions(
    {
      id: 'sampling-006',
      message: 'Sampling requests have tools only if the client declared sampling.tools',
      fix: 'look at the capabilities of the client first',
    },
    sampling,
    ({ tools, toolChoice }, { capabilities: { sampling: declared } }) => {
      if (tools === undefined && toolChoice === undefined) return false;
      return isObject(declared) && isObject(declared['tools']) ? undefined : 'the client did not';
    },
  ),
  aboutQuestions(
    {
      id: 'sampling-009',
      message: 'includeContext is thisServer or allServers only if the client declared sampling.context',
      fix: 'leave includeContext out',
    },
    sampling,
    ({ includeContext }, { capabilities: { sampling: declared } }) => {
      if (!contexts.includes(wholeText(includeContext))) return false;
      return isObject(declared) && isObject(declared['context']) ? undefined : 'the client did not';
    },
  ),
  aboutQuestions(
    {
      id: 'sampling-010',
      message: 'A message with tool results has only tool results',
      fix: 'put the rest into a message of its own',
    },
    sampling,
    (params) => {
      const mixed = messagesOf(params).filter(({ blocks }) => blocks.some(({ type }) => type === 'tool_result'));
      if (mixed.length === 0) return false;
      return mixed.every(({ blocks }) => blocks.every(({ type }) => type === 'tool_result'))
        ? undefined
        : 'one has more';
    },
  ),
  aboutQuestions(
    {
      id: 'sampling-011',
      message: 'Each tool use is followed by its tool result',
      fix: 'answer every tool_use in the next message',
    },
    sampling,
    (params) => {
      const all = messagesOf(params);
      if (!all.some(({ blocks }) => blocks.some(({ type }) => type === 'tool_use'))) return false;
      const open = all.flatMap(({ blocks }, at) => {
        const answered = idsIn(all[at + 1]?.blocks ?? [], 'tool_result', 'toolUseId');
        return idsIn(blocks, 'tool_use', 'id').filter((id) => !answered.includes(id));
      });
      return open.length === 0 ? undefined : `${JSON.stringify(open[0])} is not`;
    },
  ),
  aboutQuestions(
    {
      id: 'sampling-017',
      fields: ['messages[].role', 'messages[].content'],
      message: 'A message for the model has the role user or assistant, and content',
      fix: 'send both',
    },
    sampling,
    (params) =>
      messagesOf(params).every(
        ({ role, blocks }) => ['user', 'assistant'].includes(wholeText(role)) && blocks.length > 0,
      )
        ? undefined
        : 'one has not',
  ),
];

const capabilityOf: Readonly<Record<string, string>> = {
  'roots/list': 'roots',
  [sampling]: 'sampling',
  [elicitation]: 'elicitation',
};

const undeclared: WatchRule = {
  id: 'lifecycle-009',
  message: 'The server uses only capabilities that the client declared',
  fix: 'look at the capabilities of the client before it is asked',
  watch({ message: { method, id }, capabilities, revision }) {
    const needed = typeof method === 'string' && id !== undefined ? capabilityOf[method] : undefined;
    // One cause is one finding.
    if (needed === undefined || (needed === 'elicitation' && rowOf('elicit-016').lives(revision))) return 'not-seen';
    return needed in capabilities ? 'holds' : { breaks: `${wholeText(method)} was sent to a client without ${needed}` };
  },
};

/** Makes a rule about each result that wants input. */
function aboutRounds(
  rule: Omit<WatchRule, 'watch'>,
  fault: (result: JsonObject, heard: HeardMessage) => string | undefined,
): WatchRule {
  return {
    ...rule,
    watch(heard) {
      const { message, request } = heard;
      const { result } = message;
      if (!isObject(result) || request === undefined) return 'not-seen';
      // A task that asks has what it asks for in the answer to tasks/get, which asks for nothing itself.
      const isTask = request['method'] === 'tasks/get' && result['resultType'] === 'complete';
      if (isTask || (result['resultType'] !== 'input_required' && result['inputRequests'] === undefined))
        return 'not-seen';
      const found = fault(result, heard);
      return found === undefined ? 'holds' : { breaks: found, where: wholeText(request['method']) };
    },
  };
}

const mayAsk = ['tools/call', 'prompts/get', 'resources/read'];

const rounds: readonly WatchRule[] = [
  aboutRounds(
    {
      id: 'mrtr-002',
      message: 'Only results of tools/call, prompts/get and resources/read ask for input',
      fix: 'answer other requests at once',
    },
    (_, { request }) => (mayAsk.includes(wholeText(request?.['method'])) ? undefined : 'it asked for input'),
  ),
  aboutRounds(
    {
      id: 'mrtr-003',
      fields: ['resultType', 'content', 'contents', 'messages'],
      message: 'A result that asks for input has the resultType input_required',
      fix: 'add it',
    },
    ({ resultType }) =>
      resultType === 'input_required' ? undefined : `its resultType is ${JSON.stringify(resultType) ?? 'missing'}`,
  ),
  aboutRounds(
    {
      id: 'mrtr-005',
      message: 'Each input request is for elicitation, sampling or roots',
      fix: 'send a method and its params',
    },
    ({ inputRequests = {} }, { revision }) => {
      if (!isObject(inputRequests)) return 'inputRequests is no object';
      for (const [key, question] of Object.entries(inputRequests)) {
        const method = isObject(question) ? question['method'] : undefined;
        const asked = typeof method === 'string' && method in capabilityOf ? methodOf(method) : undefined;
        if (!isObject(question) || asked === undefined)
          return `${key} has the method ${JSON.stringify(method) ?? 'none'}`;
        const [problem] = check(revision, asked.params, question['params'] ?? {});
        if (problem !== undefined) return `${key}: ${problem.path} ${problem.message}`;
      }
      return undefined;
    },
  ),
  aboutRounds(
    {
      id: 'mrtr-006',
      message: 'An input_required result has inputRequests or a requestState',
      fix: 'send what is asked for, or the state with which the request goes out again',
    },
    ({ inputRequests, requestState }) =>
      inputRequests === undefined && requestState === undefined ? 'it has neither' : undefined,
  ),
  {
    id: 'mrtr-007',
    message: 'The server asks only for input that the client declared',
    fix: 'look at clientCapabilities of the request',
    watch(heard) {
      let seen: 'holds' | 'not-seen' = 'not-seen';
      for (const { method, where } of questionsOf(heard)) {
        const needed = capabilityOf[method];
        // Of elicitations another rule says it.
        if (needed === undefined || needed === 'elicitation') continue;
        if (!(needed in heard.capabilities)) return { breaks: `a client without ${needed} was asked for it`, where };
        seen = 'holds';
      }
      return seen;
    },
  },
];

/** Rules about questions. */
export const askingRules: readonly WatchRule[] = [undeclared, ...elicitations, ...samplings, ...rounds];
