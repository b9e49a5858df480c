import { metaAnew } from '../../wire/meta-anew.ts';
import { nodeAt, remove } from '../form/model/json-edit.ts';
import { formatted } from '../form/model/json-format.ts';
import { readJson } from '../form/model/json-text.ts';

/**
 * Takes the parameters from the text of a request, unchanged, without the fields that each request gets again. @returns
 * `undefined` if it is not a request.
 */
export function paramsIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const { root: node } = readJson(text);
  if (node?.kind !== 'object' || nodeAt(node, ['method']) === undefined) return undefined;
  const params = nodeAt(node, ['params']);
  if (params?.kind !== 'object') return '{}';
  let left = text.slice(params.start, params.end);
  for (const key of metaAnew) left = without(left, ['_meta', key]);
  const meta = nodeAt(readJson(left).root, ['_meta']);
  if (meta?.kind === 'object' && meta.members.length === 0) left = without(left, ['_meta']);
  return formatted(left);
}

function without(text: string, path: readonly string[]): string {
  return nodeAt(readJson(text).root, path) === undefined ? text : remove(text, path);
}
