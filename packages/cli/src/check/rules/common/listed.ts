import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { HeardMessage, WatchRule } from '../../rule.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about what a server lists, and what it says unasked. */

/** Result of a method, where the message is one. */
function resultOf(
  { message: { result }, request }: HeardMessage,
  ...methods: readonly string[]
): JsonObject | undefined {
  return isObject(result) && methods.includes(wholeText(request?.['method'])) ? result : undefined;
}

/** Entries of a list in a result. */
function entriesIn(heard: HeardMessage, method: string, field: string): readonly JsonObject[] {
  const entries = resultOf(heard, method)?.[field];
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}

function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '?';
}

/** Makes a rule about each tool that is listed: `fault` says what is wrong with it. */
export function aboutTools(rule: Omit<WatchRule, 'watch'>, fault: (tool: JsonObject) => string | undefined): WatchRule {
  return {
    ...rule,
    watch(heard) {
      const tools = entriesIn(heard, 'tools/list', 'tools');
      if (tools.length === 0) return 'not-seen';
      for (const tool of tools) {
        const breaks = fault(tool);
        if (breaks !== undefined) return { breaks: `${nameOf(tool)}: ${breaks}`, where: `tools/${nameOf(tool)}` };
      }
      return 'holds';
    },
  };
}

/** Words of a rule that is about all pages of a list. */
export const apartWords = {
  id: 'tools-020',
  message: 'No two tools have the same name',
  fix: 'name them apart',
} as const;

/** The same rule for who sees one page after another. */
export const apartOnPage: WatchRule = {
  ...apartWords,
  watch(heard) {
    const tools = entriesIn(heard, 'tools/list', 'tools');
    if (tools.length === 0) return 'not-seen';
    // A list may have thousands, and who inspects a server waits for this.
    const seen = new Set<unknown>();
    for (const { name } of tools) {
      if (seen.has(name))
        return { breaks: `${nameOf({ name })}: it is listed more than once`, where: `tools/${nameOf({ name })}` };
      seen.add(name);
    }
    return 'holds';
  },
};

const tools: readonly WatchRule[] = [
  aboutTools(
    {
      id: 'tools-009',
      fields: ['tools[].inputSchema'],
      message: 'The inputSchema of a tool is an object, and never null',
      fix: 'send {"type": "object"} where a tool takes nothing',
    },
    ({ inputSchema }) =>
      isObject(inputSchema) ? undefined : `inputSchema is ${JSON.stringify(inputSchema) ?? 'missing'}`,
  ),
  aboutTools(
    {
      id: 'tools-008',
      fields: ['tools[].inputSchema.type'],
      message: 'The inputSchema of a tool has the type object at its root',
      fix: 'add "type": "object"',
    },
    ({ inputSchema }) =>
      isObject(inputSchema) && inputSchema['type'] !== 'object'
        ? `its type is ${JSON.stringify(inputSchema['type']) ?? 'missing'}`
        : undefined,
  ),
  aboutTools(
    {
      id: 'tools-010',
      fields: ['tools[].outputSchema.type'],
      message: 'An outputSchema has the type object at its root',
      fix: 'add "type": "object", or leave outputSchema out for clients of this revision',
    },
    ({ outputSchema }) =>
      isObject(outputSchema) && outputSchema['type'] !== 'object'
        ? `its type is ${JSON.stringify(outputSchema['type']) ?? 'missing'}`
        : undefined,
  ),
  aboutTools(
    { id: 'tools-016', message: 'The name of a tool has 1 to 128 characters', fix: 'name it shorter' },
    ({ name }) =>
      typeof name === 'string' && (name === '' || name.length > 128) ? `it has ${name.length}` : undefined,
  ),
  aboutTools(
    {
      id: 'tools-018',
      message: 'A tool name has only ASCII letters and digits, _, - and .',
      fix: 'name it so',
    },
    ({ name }) => (typeof name === 'string' && !/^[\w.-]*$/.test(name) ? 'it has others' : undefined),
  ),
  aboutTools(
    {
      id: 'harden-hidden-text',
      message: 'Tool names and descriptions have no invisible characters',
      fix: 'leave out characters of direction, of no width, and tags',
    },
    ({ name, description }) =>
      hidden.test(`${wholeText(name)}${typeof description === 'string' ? description : ''}`)
        ? 'it has some'
        : undefined,
  ),
];

/** Characters that turn the direction of text, and those in which a text can be written that nobody sees. */
const hidden = /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]|\udb40[\udc00-\udc7f]/;

const cacheable = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];

const hints: WatchRule = {
  id: 'caching-001',
  fields: ['ttlMs', 'cacheScope'],
  message: 'Lists, reads and server/discover results have ttlMs and cacheScope',
  fix: 'add ttlMs and cacheScope',
  watch(heard) {
    const result = resultOf(heard, ...cacheable);
    if (result === undefined || (result['resultType'] ?? 'complete') !== 'complete') return 'not-seen';
    const missing = ['ttlMs', 'cacheScope'].filter((key) => result[key] === undefined);
    return missing.length === 0
      ? 'holds'
      : { breaks: `the result of ${wholeText(heard.request?.['method'])} has no ${missing.join(' and no ')}` };
  },
};

const freshness: WatchRule = {
  id: 'caching-003',
  fields: ['ttlMs'],
  message: 'ttlMs is zero or more',
  fix: 'send 0 for a result that is stale at once',
  watch({ message: { result } }) {
    if (!isObject(result) || result['ttlMs'] === undefined) return 'not-seen';
    const { ttlMs } = result;
    return typeof ttlMs === 'number' && ttlMs >= 0 ? 'holds' : { breaks: `ttlMs is ${JSON.stringify(ttlMs)}` };
  },
};

const scope: WatchRule = {
  id: 'caching-004',
  fields: ['cacheScope'],
  message: 'cacheScope is public or private',
  fix: 'send one of the two',
  watch({ message: { result } }) {
    if (!isObject(result) || result['cacheScope'] === undefined) return 'not-seen';
    const { cacheScope } = result;
    return cacheScope === 'public' || cacheScope === 'private'
      ? 'holds'
      : { breaks: `cacheScope is ${JSON.stringify(cacheScope)}` };
  },
};

const unaskedLogs: WatchRule = {
  id: 'logging-004',
  message: 'A request that did not ask for log messages gets none',
  fix: 'send notifications/message only where _meta of the request has a log level',
  watch({ message: { method }, sent }) {
    if (method !== 'notifications/message') return sent === undefined ? 'not-seen' : 'holds';
    const params = sent?.['params'];
    const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
    return meta[metaKey.logLevel] === undefined ? { breaks: 'one was sent' } : 'holds';
  },
};

const unaskedProgress: WatchRule = {
  id: 'progress-005',
  message: 'Progress is sent only for running requests with a progress token',
  fix: 'send notifications/progress only with the progressToken of a request that runs',
  watch({ message: { method, params }, sent, running }) {
    if (method !== 'notifications/progress') return 'not-seen';
    const asked = sent?.['params'];
    const token = isObject(asked) && isObject(asked['_meta']) ? asked['_meta']['progressToken'] : undefined;
    const told = isObject(params) ? params['progressToken'] : undefined;
    return told !== undefined && (told === token || running?.has(told) === true)
      ? 'holds'
      : { breaks: `the token ${JSON.stringify(told)} is of no request that runs` };
  },
};

/** Rules that look at lists, and at what comes unasked. */
export const listedRules: readonly WatchRule[] = [...tools, hints, freshness, scope, unaskedLogs, unaskedProgress];
