import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { isReservedMetaKey, metaKey } from '../../../../parley/src/protocol/meta.ts';
import type { HeardMessage, WatchRule } from '../rule.ts';
import { wholeText } from '../whole-text.ts';

/** Rules about values in what a server says: keys, errors, templates, contents of prompts, and where notifications may come. */

const resultOf = ({ message: { result }, request }: HeardMessage, method: string): JsonObject | undefined =>
  isObject(result) && request?.['method'] === method ? result : undefined;

/** Objects of a list in a value. */
function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The `_meta` of a message. */
function metaOf({ message: { result, params } }: HeardMessage): JsonObject | undefined {
  const holder = isObject(result) ? result : isObject(params) ? params : undefined;
  return isObject(holder?.['_meta']) ? holder['_meta'] : undefined;
}

const unreserved: WatchRule = {
  id: 'meta-006',
  message: 'Reserved MCP prefixes appear only in keys of the specification',
  fix: 'choose a prefix of your own',
  watch(heard) {
    const meta = metaOf(heard);
    if (meta === undefined) return 'not-seen';
    const wrong = Object.keys(meta).find(isReservedMetaKey);
    return wrong === undefined ? 'holds' : { breaks: `${JSON.stringify(wrong)} is a key of _meta` };
  },
};

const trace: WatchRule = {
  id: 'meta-020',
  message: 'traceparent follows the format of W3C Trace Context',
  fix: 'write it as 00-<32 hex digits>-<16 hex digits>-<2 hex digits>, or leave it out',
  watch(heard) {
    const { traceparent: text } = metaOf(heard) ?? {};
    if (text === undefined) return 'not-seen';
    return typeof text === 'string' && /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}/.test(text)
      ? 'holds'
      : { breaks: `it is ${JSON.stringify(text)}` };
  },
};

/** Error that says which capability is missing. */
function wantsCapability({ message: { error } }: HeardMessage): JsonObject | undefined {
  return isObject(error) && error['code'] === -32021 ? error : undefined;
}

const namesCapabilities: WatchRule = {
  id: 'meta-014',
  message: 'The error -32021 lists the missing capabilities in data.requiredCapabilities',
  fix: 'add data {"requiredCapabilities": {…}}',
  watch(heard) {
    const error = wantsCapability(heard);
    if (error === undefined) return 'not-seen';
    const required = isObject(error['data']) ? error['data']['requiredCapabilities'] : undefined;
    return isObject(required) && Object.keys(required).length > 0
      ? 'holds'
      : { breaks: `requiredCapabilities is ${JSON.stringify(required) ?? 'missing'}` };
  },
};

const capabilityStatus: WatchRule = {
  id: 'meta-015',
  message: 'Over HTTP the error -32021 has the status 400',
  fix: 'answer with HTTP 400',
  watch(heard) {
    const { status } = heard.exchange;
    if (wantsCapability(heard) === undefined || status === undefined) return 'not-seen';
    return status === 400 ? 'holds' : { breaks: `HTTP ${status}` };
  },
};

/** Notifications by the field of a filter that asks for them. */
const filters: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
  'notifications/resources/updated': 'resourceSubscriptions',
};

/** Filter of the stream on which something came; `undefined` where it is none. */
function filterOf(sent: HeardMessage['sent']): JsonObject | undefined {
  if (sent?.['method'] !== 'subscriptions/listen' || !isObject(sent['params'])) return undefined;
  const { notifications } = sent['params'];
  return isObject(notifications) ? notifications : {};
}

const askedFor: WatchRule = {
  id: 'subs-001',
  message: 'A stream has only changes that it subscribed to',
  fix: 'send list_changed and updated on streams of subscriptions/listen, by their filters',
  watch({ message: { method, params }, sent, exchange }) {
    const field = filters[wholeText(method)];
    if (field === undefined) return filterOf(sent) === undefined ? 'not-seen' : 'holds';
    const filter = filterOf(sent);
    // Lines are one stream for all: what names a subscription may be of one that was opened before.
    const meta = isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
    const isOther = filter === undefined && exchange.status === undefined;
    if (isOther && meta[metaKey.subscriptionId] !== undefined) return 'not-seen';
    const wanted = filter?.[field];
    const isWanted = wanted === true || (Array.isArray(wanted) && wanted.length > 0);
    if (isWanted) return 'holds';
    return {
      breaks: `${wholeText(method)} came ${filter === undefined ? 'beside the answer to a request' : 'unasked'}`,
    };
  },
};

/** A rule that a notification does not come on a stream of changes. */
function keptFrom(id: string, methods: readonly string[], words: string): WatchRule {
  return {
    id,
    message: words,
    fix: 'send it on the stream of its request',
    watch({ message: { method }, sent }) {
      if (filterOf(sent) === undefined) return 'not-seen';
      return methods.includes(wholeText(method)) ? { breaks: `${wholeText(method)} came on it` } : 'holds';
    },
  };
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const knownLevels: WatchRule = {
  id: 'logging-008',
  fields: ['level'],
  message: 'The level of a log message is one of the eight of RFC 5424',
  fix: `send one of ${levels.join(', ')}`,
  watch({ message: { method, params } }) {
    if (method !== 'notifications/message') return 'not-seen';
    const level = isObject(params) ? params['level'] : undefined;
    return levels.includes(wholeText(level)) ? 'holds' : { breaks: `it is ${JSON.stringify(level) ?? 'missing'}` };
  },
};

const freshQuestions: WatchRule = {
  id: 'caching-002',
  message: 'An input_required result has no caching hints',
  fix: 'leave ttlMs and cacheScope out of results of type input_required',
  watch({ message: { result } }) {
    if (!isObject(result) || result['resultType'] !== 'input_required') return 'not-seen';
    const found = ['ttlMs', 'cacheScope'].find((key) => result[key] !== undefined);
    return found === undefined ? 'holds' : { breaks: `it has ${found}` };
  },
};

/** Expressions of RFC 6570, section 2.2. */
const expression = /\{[+#./;?&]?[\w.%]+(?::\d{1,4}|\*)?(?:,[\w.%]+(?::\d{1,4}|\*)?)*\}/g;

const templates: WatchRule = {
  id: 'resources-009',
  message: 'The uriTemplate of a template is one of RFC 6570',
  fix: 'write variables as {name}',
  watch(heard) {
    const all = objectsIn(resultOf(heard, 'resources/templates/list')?.['resourceTemplates']);
    if (all.length === 0) return 'not-seen';
    const wrong = all.find(({ uriTemplate }) => /[{}]/.test(wholeText(uriTemplate).replaceAll(expression, '')));
    return wrong === undefined ? 'holds' : { breaks: `it is ${JSON.stringify(wrong['uriTemplate'])}` };
  },
};

/** A scheme by RFC 3986, section 3.1. */
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*$/;

/** Tells whether what stands before the colon is a scheme, or has an expression of a template in it that may give one. */
function isScheme(text: string): boolean {
  return scheme.test(text) || text.includes('{');
}

const schemes: WatchRule = {
  id: 'resources-012',
  message: 'The schemes of resource URIs follow RFC 3986',
  fix: 'name a scheme with letters, digits, +, - and . alone, and a letter first: memo-app, and not memo_app',
  watch(heard) {
    const listed = objectsIn(resultOf(heard, 'resources/list')?.['resources']).map(({ uri }) => uri);
    const templated = objectsIn(resultOf(heard, 'resources/templates/list')?.['resourceTemplates']);
    const uris = [...listed, ...templated.map(({ uriTemplate }) => uriTemplate)].map(wholeText);
    // What has none is no URI at all, and breaks the schema.
    const all = uris.filter((uri) => uri.includes(':'));
    if (all.length === 0) return 'not-seen';
    const wrong = all.find((uri) => !isScheme(uri.slice(0, uri.indexOf(':'))));
    return wrong === undefined
      ? 'holds'
      : { breaks: `that of ${JSON.stringify(wrong.slice(0, 100))} is none`, where: `resources/${wrong.slice(0, 100)}` };
  },
};

/** Text in base64. */
function isBase64(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
}

/** Blocks of a kind in the messages of a prompt. */
function promptBlocks(heard: HeardMessage, kind: string): readonly JsonObject[] {
  return objectsIn(resultOf(heard, 'prompts/get')?.['messages']).flatMap(({ content }) =>
    isObject(content) && content['type'] === kind ? [content] : [],
  );
}

/** A rule about blocks in the messages of prompts. */
function aboutPromptBlocks(
  [id, kind, fields]: readonly [string, string, readonly string[]],
  [words, fix]: readonly [string, string],
  isFine: (block: JsonObject) => boolean,
): WatchRule {
  return {
    id,
    fields: fields.map((field) => `messages[].content.${field}`),
    message: words,
    fix,
    watch(heard) {
      const blocks = promptBlocks(heard, kind);
      if (blocks.length === 0) return 'not-seen';
      return blocks.every(isFine) ? 'holds' : { breaks: 'one has not' };
    },
  };
}

const isMedia = ({ data, mimeType }: JsonObject): boolean =>
  isBase64(data) && typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+/.test(mimeType);

const isEmbedded = ({ resource }: JsonObject): boolean =>
  isObject(resource) &&
  typeof resource['uri'] === 'string' &&
  (typeof resource['text'] === 'string' || isBase64(resource['blob']));

const prompts: readonly WatchRule[] = [
  aboutPromptBlocks(
    ['prompts-006', 'image', ['data', 'mimeType']],
    ['An image in a prompt has data in base64 and a MIME type', 'send both'],
    isMedia,
  ),
  aboutPromptBlocks(
    ['prompts-007', 'audio', ['data', 'mimeType']],
    ['Audio in a prompt has data in base64 and a MIME type', 'send both'],
    isMedia,
  ),
  aboutPromptBlocks(
    ['prompts-008', 'resource', ['resource']],
    ['A resource in a prompt has a URI, and text or base64', 'send uri, and text or blob'],
    isEmbedded,
  ),
];

/** Rules that look at values. */
export const toldRules: readonly WatchRule[] = [
  unreserved,
  trace,
  namesCapabilities,
  capabilityStatus,
  askedFor,
  keptFrom('subs-012', ['notifications/progress'], 'A subscription stream never has progress'),
  keptFrom('logging-005', ['notifications/message'], 'A subscription stream never has log messages'),
  knownLevels,
  freshQuestions,
  templates,
  schemes,
  ...prompts,
];
