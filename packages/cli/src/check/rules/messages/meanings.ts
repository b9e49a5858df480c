import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { HeardMessage, WatchedFault, WatchRule } from '../../rule.ts';
import { doubledKey } from '../common/doubled-keys.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about what codes, types and texts mean: defined ones are used for what they are defined for. */

function errorOf({ message: { error } }: HeardMessage): JsonObject | undefined {
  return isObject(error) ? error : undefined;
}

/** The `_meta` of the request that was answered. */
function askedMeta({ request }: HeardMessage): JsonObject {
  const params = request?.['params'];
  return isObject(params) && isObject(params['_meta']) ? params['_meta'] : {};
}

/** Tells whether all of some capabilities are in others. */
function isWithin(some: unknown, others: unknown): boolean {
  if (!isObject(some)) return true;
  return (
    isObject(others) && Object.entries(some).every(([key, value]) => key in others && isWithin(value, others[key]))
  );
}

/** Ways in which an error of the specification is sent for something else, by its code. */
const misuses: Readonly<Record<number, (heard: HeardMessage, data: JsonObject) => string | undefined>> = {
  [-32_020]: ({ exchange: { status } }) =>
    status === undefined ? '-32020 is about headers, and there are none' : undefined,
  [-32_021](heard, { requiredCapabilities: required }) {
    const isNone = !isObject(required) || Object.keys(required).length === 0;
    return isNone || !isWithin(required, askedMeta(heard)[metaKey.clientCapabilities])
      ? undefined
      : `-32021 asks for ${JSON.stringify(required).slice(0, 100)}, which the client declared`;
  },
  [-32_022](heard, { supported }) {
    const version = askedMeta(heard)[metaKey.protocolVersion];
    return Array.isArray(supported) && supported.includes(version)
      ? `-32022 refuses ${wholeText(version)}, and says that it is supported`
      : undefined;
  },
};

const definedCodes: WatchRule = {
  id: 'basic-029',
  message: 'The codes -32020, -32021 and -32022 have the meaning of the specification',
  fix: 'choose a code of your own outside -32768 to -32000 for other errors',
  watch(heard) {
    const { code, data } = errorOf(heard) ?? {};
    const misuse = typeof code === 'number' && Object.hasOwn(misuses, code) ? misuses[code] : undefined;
    if (misuse === undefined || heard.request === undefined) return 'not-seen';
    const breaks = misuse(heard, isObject(data) ? data : {});
    return breaks === undefined ? 'holds' : { breaks };
  },
};

const oneSentence: WatchRule = {
  id: 'basic-016',
  message: 'The message of an error is one sentence',
  fix: 'say in a sentence what is wrong, and put what is longer into data',
  watch(heard) {
    const { message } = errorOf(heard) ?? {};
    if (typeof message !== 'string') return 'not-seen';
    // What goes over several lines is more, in whatever language.
    return /[\r\n]/.test(message.trim())
      ? { breaks: `it has several lines: ${JSON.stringify(message.slice(0, 100))}` }
      : 'holds';
  },
};

const knownTypes: WatchRule = {
  id: 'basic-024',
  fields: ['resultType'],
  message: 'The resultType of a result is complete, input_required, or one of an extension that the server declares',
  fix: 'send "resultType": "complete"',
  watch({ message: { result }, request, declared }) {
    if (request === undefined || !isObject(result) || typeof result['resultType'] !== 'string') return 'not-seen';
    const { resultType } = result;
    // `task` has rules of its own, which say to whom it may come.
    if (['complete', 'input_required', 'task'].includes(resultType)) return 'holds';
    // What an extension adds is known to those who know that.
    if (declared === undefined || isObject(declared['extensions'])) return 'not-seen';
    return { breaks: `that of ${String(request['method'])} is ${JSON.stringify(resultType.slice(0, 100))}` };
  },
};

const questionNames: WatchRule = {
  id: 'mrtr-004',
  message: 'Each input request of a result has a unique key',
  fix: 'name questions apart',
  watch({ message: { result }, exchange }): WatchedFault | 'holds' | 'not-seen' {
    if (!isObject(result) || !isObject(result['inputRequests'])) return 'not-seen';
    // Of two that have one key, who reads the message gets one: the text tells.
    const twice = doubledIn(exchange);
    return twice === undefined ? 'holds' : { breaks: `${JSON.stringify(twice.slice(0, 100))} stands twice` };
  },
};

/** Keys that were found in exchanges, whose text is read once however many messages they have. */
const doubled = new WeakMap<object, { readonly length: number; readonly key: string | undefined }>();

function doubledIn(exchange: { readonly text: string }): string | undefined {
  const { text } = exchange;
  const known = doubled.get(exchange);
  if (known?.length === text.length) return known.key;
  const key = doubledKey(text, 'inputRequests');
  doubled.set(exchange, { length: text.length, key });
  return key;
}

/** Rules about meanings. */
export const meaningRules: readonly WatchRule[] = [definedCodes, oneSentence, knownTypes, questionNames];
