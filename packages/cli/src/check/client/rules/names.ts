/** Rules about names and values that a client chooses: keys, extensions, capabilities, arguments in headers, forms. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import {
  decodeHeaderValue,
  encodeHeaderValue,
  headerParametersOf,
  headerValueOf,
} from '../../../../../parley/src/connection/header.ts';
import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { methodOf } from '../../../../../parley/src/protocol/catalogue.ts';
import { isExtensionId, isReservedMetaKey, metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { toolNamed } from '../catalogue/tools.ts';
import { inQuotes, unlessKept, type ClientLook, type ClientRule, type HeardOfClient } from '../client-rule.ts';
import { metaOf, paramsOf, saidText, type Prompted } from '../client-session.ts';

const unreserved: ClientRule = {
  id: 'meta-006',
  message: 'Reserved MCP prefixes appear only in keys of the specification',
  fix: 'choose a prefix of your own',
  watch({ message }) {
    const all = Object.keys(metaOf(message));
    const wrong = all.find((key) => isReservedMetaKey(key));
    return all.length === 0 ? 'not-seen' : unlessKept(wrong === undefined, `${inQuotes(wrong)} is a key of _meta`);
  },
};

/** Capabilities that a message declares: those of initialize, or of a request that says them itself. */
function declaredIn(message: JsonObject): JsonObject | undefined {
  const given =
    message['method'] === 'initialize'
      ? paramsOf(message)['capabilities']
      : metaOf(message)[metaKey.clientCapabilities];
  return isObject(given) ? given : undefined;
}

const extensions: ClientRule = {
  id: 'versioning-012',
  // SEP-2133: they are declared in `initialize` of earlier revisions too.
  lives: () => true,
  message: 'The id of an extension has a prefix, and follows the grammar of keys of _meta',
  fix: 'name extensions like com.example/name',
  watch({ message }) {
    const { extensions: given } = declaredIn(message) ?? {};
    if (!isObject(given) || Object.keys(given).length === 0) return 'not-seen';
    const wrong = Object.keys(given).find((id) => !isExtensionId(id));
    return unlessKept(wrong === undefined, `${inQuotes(wrong)} is declared as an extension`);
  },
};

const formOrUrl: ClientRule = {
  id: 'elicit-015',
  message: 'The elicitation capability has form or url; an empty object means form',
  fix: 'declare elicitation as {}, {"form": {}} or {"form": {}, "url": {}}',
  watch({ message }) {
    const { elicitation: given } = declaredIn(message) ?? {};
    if (!isObject(given)) return 'not-seen';
    const isFine = Object.keys(given).length === 0 || isObject(given['form']) || isObject(given['url']);
    return unlessKept(isFine, `elicitation is ${inQuotes(given)}`);
  },
};

const fits: ClientRule = {
  id: 'elicit-059',
  message: 'Form answers match the requestedSchema',
  fix: 'check the answer against requestedSchema before it is sent',
  watch(heard) {
    const answers = formsIn(heard).filter((answer) => answer['action'] === 'accept');
    if (answers.length === 0) return 'not-seen';
    const wrong = answers.find(({ content }) => !isObject(content) || typeof content['name'] !== 'string');
    return unlessKept(wrong === undefined, `the form wants a name, and has ${inQuotes(wrong?.['content'])}`);
  },
};

/** Answers to forms in a message: to a question, or of a round. */
function formsIn({ message, put, clientSession }: HeardOfClient): readonly JsonObject[] {
  if (put !== undefined && isForm(put)) return isObject(message['result']) ? [message['result']] : [];
  const { inputResponses } = paramsOf(message);
  if (!isObject(inputResponses)) return [];
  const asked = clientSession.rounds.flatMap((round) => [...round.asked]);
  return asked.flatMap(([key, question]) => {
    const answer = inputResponses[key];
    return isForm(question) && isObject(answer) ? [answer] : [];
  });
}

/** Tells whether a question is one with a form: a page has none that could be filled in. */
function isForm({ method, params }: Prompted): boolean {
  return method === 'elicitation/create' && params['mode'] !== 'url';
}

/** An argument that travels in a header, with what that says. */
interface Mirrored {
  readonly said: string | undefined;
  /** Text that the header should say; `undefined` for none. */
  readonly value: string | undefined;
  readonly given: unknown;
}

/** Arguments of a call that travel in headers, with what the headers say. */
function mirrored({ message, http, clientSession }: HeardOfClient): readonly Mirrored[] {
  const { name, arguments: given } = paramsOf(message);
  const tool = message['method'] === 'tools/call' ? toolNamed(saidText(name)) : undefined;
  if (http === undefined || tool === undefined || !clientSession.done.has('tools/list')) return [];
  return headerParametersOf(tool['inputSchema']).parameters.map(({ name: parameter, path }) => ({
    said: http.headers[`mcp-param-${parameter.toLowerCase()}`],
    value: headerValueOf(given, path),
    // The catalogue's parameters are at the top level.
    given: isObject(given) ? given[path[0] ?? ''] : undefined,
  }));
}

/** Looks at those that are of a kind, and finds the first that is wrong. */
function eachOf(found: readonly Mirrored[], isWrong: (one: Mirrored) => boolean): ClientLook {
  const wrong = found.find(isWrong);
  if (found.length === 0) return 'not-seen';
  return unlessKept(wrong === undefined, `${inQuotes(wrong?.given)} came as ${inQuotes(wrong?.said)}`);
}

/** Text that has the look of one that is encoded. */
const alike = /^=\?base64\?.*\?=$/i;

const range: ClientRule = {
  id: 'http-087',
  over: 'http',
  message: 'Integers in headers are safe integers of JavaScript',
  fix: 'refuse an integer beyond 2^53 - 1 where x-mcp-header names its argument',
  watch: (heard) =>
    eachOf(
      mirrored(heard).filter(({ given, said }) => typeof given === 'number' && said !== undefined),
      ({ given }) => Math.abs(Number(given)) > Number.MAX_SAFE_INTEGER,
    ),
};

const plain: ClientRule = {
  id: 'http-092',
  over: 'http',
  message: 'In a header an integer is decimal, and a boolean true or false',
  fix: 'write integers without a point or an exponent, and booleans in small letters',
  watch: (heard) =>
    eachOf(
      mirrored(heard).filter(({ given, value }) => typeof given !== 'string' && value !== undefined),
      ({ said, value }) => said !== undefined && decodeHeaderValue(said) !== value,
    ),
};

const alikeEncoded: ClientRule = {
  id: 'http-094',
  over: 'http',
  message: 'A value that looks encoded is encoded',
  fix: 'send values that begin with =?base64? and end with ?= in the base64 form as well',
  watch: (heard) =>
    eachOf(
      mirrored(heard).filter(({ value }) => value !== undefined && alike.test(value)),
      ({ said, value }) => said !== undefined && (said === value || decodeHeaderValue(said) !== value),
    ),
};

const namedSafely: ClientRule = {
  id: 'http-073',
  over: 'http',
  message: 'A name that is not a plain header value is sent as base64 in Mcp-Name',
  fix: 'send names with other than printable ASCII as =?base64?…?= in Mcp-Name',
  watch({ message, http }) {
    const name = oddNameIn(message);
    const said = http?.headers['mcp-name'];
    if (name === undefined || said === undefined) return 'not-seen';
    return unlessKept(said !== name && decodeHeaderValue(said) === name, `${inQuotes(name)} came as ${inQuotes(said)}`);
  },
};

/** A name in the params that no header can have as it is. */
export function oddNameIn(message: JsonObject): string | undefined {
  const field = methodOf(saidText(message['method']))?.nameParam;
  const name = field === undefined || field === 'taskId' ? undefined : paramsOf(message)[field];
  return typeof name === 'string' && encodeHeaderValue(name) !== name ? name : undefined;
}

/** Tells whether a text is encoded in letters of another size. */
function hasOddMarker(text: string): boolean {
  return alike.test(text) && !text.startsWith('=?base64?');
}

const marker: ClientRule = {
  id: 'http-095',
  over: 'http',
  message: 'A base64 value begins with =?base64? in lower case, and ends with ?=',
  fix: 'write =?base64? as it is',
  watch(heard) {
    const odd = mirrored(heard).filter(
      ({ value, said }) => value !== undefined && encodeHeaderValue(value) !== value && said !== undefined,
    );
    return eachOf(odd, ({ said = '' }) => hasOddMarker(said));
  },
};

const encoded: ClientRule = {
  id: 'http-093',
  over: 'http',
  message: 'A value that is not a plain header value is sent as base64',
  fix: 'send values with other than printable ASCII, or with blanks at an end, as =?base64?…?=',
  watch(heard) {
    const odd = mirrored(heard).filter(
      // A different case is a separate fault.
      ({ said = '', value }) =>
        value !== undefined && encodeHeaderValue(value) !== value && !alike.test(value) && !hasOddMarker(said),
    );
    if (odd.length === 0) return 'not-seen';
    const wrong = odd.find(
      ({ said, value }) => said === undefined || said === value || decodeHeaderValue(said) !== value,
    );
    return unlessKept(wrong === undefined, `${inQuotes(wrong?.value)} came as ${inQuotes(wrong?.said)}`);
  },
};

const leftOut: ClientRule = {
  id: 'http-096',
  over: 'http',
  message: 'The header of an argument that is missing or null is left out',
  fix: 'send Mcp-Param-<name> only where the argument has a value',
  watch(heard) {
    const missing = mirrored(heard).filter(({ given }) => given === undefined || given === null);
    if (missing.length === 0) return 'not-seen';
    const wrong = missing.find(({ said }) => said !== undefined);
    return unlessKept(wrong === undefined, `the header says ${inQuotes(wrong?.said)}`);
  },
};

/** Rules about names and values. */
export const nameRules: readonly ClientRule[] = [
  unreserved,
  extensions,
  formOrUrl,
  fits,
  encoded,
  marker,
  leftOut,
  range,
  plain,
  alikeEncoded,
  namedSafely,
];
