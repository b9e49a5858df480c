import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import {
  headerParametersOf,
  schemaMapKeywords,
  subschemaKeywords,
} from '../../../../../parley/src/connection/header.ts';
import type { WatchRule } from '../../rule.ts';
import { isSecretProperty } from '../common/secret-names.ts';
import { aboutTools } from '../common/listed.ts';

/** Rules about `x-mcp-header` in the schemas of tools. The official schema says nothing of it, so that they stand beside it. */

const headerMend = 'correct the annotation, or leave it out';

/** Depth to which schemas are looked into: as deep as those that want to use the names do. */
const deepest = 128;

/** Names of headers anywhere in a schema. The rules for names apply to all of them, even at forbidden places. */
function headerNamesIn(schema: unknown, depth = 0): readonly unknown[] {
  if (!isObject(schema) || depth > deepest) return [];
  const own = Object.hasOwn(schema, 'x-mcp-header') ? [schema['x-mcp-header']] : [];
  return [...own, ...schemasIn(schema).flatMap((one) => headerNamesIn(one, depth + 1))];
}

/** Schemas right within a schema. */
function schemasIn(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const mapped = ['properties', ...schemaMapKeywords].map((keyword) => schema[keyword]).filter(isObject);
  return [...mapped.flatMap(Object.values), ...subschemaKeywords.flatMap((keyword) => schema[keyword])];
}

const isEmpty = (name: unknown): boolean => name === '';
const hasControls = (name: unknown): boolean => typeof name === 'string' && /\p{Cc}/u.test(name);

/** Rules about single names of headers, which say nothing more of those. */
const headerNames: readonly WatchRule[] = [
  aboutTools(
    {
      id: 'http-082',
      message: 'x-mcp-header is never empty',
      fix: 'name a header, or leave the annotation out',
    },
    ({ inputSchema }) => (headerNamesIn(inputSchema).some(isEmpty) ? 'one is' : undefined),
  ),
  aboutTools(
    {
      id: 'http-084',
      message: 'x-mcp-header has no control characters',
      fix: 'name a header without them',
    },
    ({ inputSchema }) => (headerNamesIn(inputSchema).some(hasControls) ? 'one has some' : undefined),
  ),
  aboutTools(
    { id: 'http-083', message: 'x-mcp-header is the name of a header', fix: headerMend },
    ({ inputSchema }) => {
      const wrong = headerParametersOf(inputSchema).problems.filter((one) => one.includes('is not a header name'));
      const named = headerNamesIn(inputSchema).filter((name) => isEmpty(name) || hasControls(name));
      return wrong.length > named.length ? wrong[0] : undefined;
    },
  ),
];

const headerFaults: readonly (readonly [id: string, words: string, about: RegExp])[] = [
  ['http-085', 'x-mcp-header names are unique in a schema, regardless of case', /is used twice/],
  ['http-086', 'Only string, integer and boolean properties have x-mcp-header', /needs a parameter of type/],
  ['http-088', 'x-mcp-header properties are reachable only through the keyword properties', /chain of properties/],
];

/** Secrets among the properties of a schema that go into a header. */
function mirroredSecretsIn(schema: unknown, depth = 0): readonly string[] {
  if (!isObject(schema) || depth > deepest) return [];
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const own = properties.filter(
    ([name, of]) => isObject(of) && Object.hasOwn(of, 'x-mcp-header') && isSecretProperty(name, of),
  );
  return [...own.map(([name]) => name), ...schemasIn(schema).flatMap((one) => mirroredSecretsIn(one, depth + 1))];
}

const noSecrets = aboutTools(
  {
    id: 'http-106',
    message: 'x-mcp-header sends no secret, such as a password or an API key',
    fix: 'leave the annotation out: headers are seen and written down on their way',
  },
  ({ inputSchema }) => {
    if (headerNamesIn(inputSchema).length === 0) return undefined;
    const [found] = mirroredSecretsIn(inputSchema);
    return found && `${found} does`;
  },
);

/** Rules about names of headers, and where they stand. */
export const headerNameRules: readonly WatchRule[] = [
  ...headerNames,
  noSecrets,
  ...headerFaults.map(([id, words, about]) =>
    aboutTools({ id, message: words, fix: headerMend }, ({ inputSchema }) =>
      headerParametersOf(inputSchema).problems.find((problem) => about.test(problem)),
    ),
  ),
];
