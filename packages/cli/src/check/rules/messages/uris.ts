import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { HeardMessage, WatchRule } from '../../rule.ts';
import { wholeText } from '../../whole-text.ts';

/** Rules about URIs as the schema has them: absolute, in characters of RFC 3986. */

/** A URI, or a template of some, and its place. */
interface Named {
  readonly text: string;
  readonly where: string;
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** URIs of blocks of content: those of links, and of resources in them. */
function urisOfBlocks(blocks: readonly JsonObject[]): readonly unknown[] {
  return blocks.flatMap((block) => {
    if (block['type'] === 'resource_link') return [block['uri']];
    return block['type'] === 'resource' && isObject(block['resource']) ? [block['resource']['uri']] : [];
  });
}

/** URIs in the result of each method. */
const urisIn: Readonly<Record<string, (result: JsonObject) => readonly unknown[]>> = {
  'resources/list': ({ resources }) => objects(resources).map(({ uri }) => uri),
  'resources/read': ({ contents }) => objects(contents).map(({ uri }) => uri),
  'tools/call': ({ content }) => urisOfBlocks(objects(content)),
  'prompts/get': ({ messages }) =>
    urisOfBlocks(
      objects(messages)
        .flatMap(({ content }) => [content].flat())
        .filter(isObject),
    ),
};

function namedIn({ message: { method, params, result }, request }: HeardMessage): readonly Named[] {
  const asked = wholeText(request?.['method']);
  const told = method === 'notifications/resources/updated' && isObject(params) ? [params['uri']] : [];
  const found = isObject(result) && Object.hasOwn(urisIn, asked) ? (urisIn[asked]?.(result) ?? []) : [];
  const where = told.length > 0 ? wholeText(method) : asked;
  // A server that gives back by which URI it was asked says nothing of its own.
  const own = isObject(request?.['params']) ? request['params']['uri'] : undefined;
  // What is no text breaks the schema in another way.
  return [...told, ...found].flatMap((text) => (typeof text === 'string' && text !== own ? [{ text, where }] : []));
}

/** A scheme of any characters: which it may have is a row of its own. */
const scheme = /^[^:/?#]+:/;
const characters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;

function faultOf(uri: string): string | undefined {
  if (!scheme.test(uri)) return 'has no scheme, so that it is no URI but a reference to one';
  return characters.test(uri) ? undefined : 'has characters that stand in no URI unless they are encoded';
}

/** Tells whether nothing that a template may give has a scheme: what stands before its first expression has ended one without a colon. */
function isRelative(template: string): boolean {
  const [before = ''] = template.split('{', 1);
  return !before.includes(':') && (/[/?#]/.test(before) || before === template);
}

const absolute: WatchRule = {
  id: 'wire-uri',
  message: 'Resource URIs are absolute and have only characters of RFC 3986',
  fix: 'name resources like memo://notes/one or file:///notes/one.md, and encode other characters',
  watch(heard) {
    const templates =
      heard.request?.['method'] === 'resources/templates/list' && isObject(heard.message['result'])
        ? objects(heard.message['result']['resourceTemplates']).map(({ uriTemplate }) => wholeText(uriTemplate))
        : [];
    const relative = templates.find(isRelative);
    if (relative !== undefined)
      return { breaks: `the template ${shown(relative)} gives what has no scheme`, where: 'resources/templates/list' };
    const all = namedIn(heard);
    if (all.length + templates.length === 0) return 'not-seen';
    for (const { text, where } of all) {
      const fault = faultOf(text);
      if (fault !== undefined) return { breaks: `${shown(text)} ${fault}`, where };
    }
    return 'holds';
  },
};

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** Rules about URIs. */
export const uriRules: readonly WatchRule[] = [absolute];
