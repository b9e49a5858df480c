/** Offers the contents of another server in the same process. */

import { shown } from '../../options/shown.ts';
import { fittingPrefix, maxPrefixLength, prefixedName } from '../../protocol/prefixed-name.ts';
import type { ServerParts } from '../parts/parts.ts';
import { Mirror } from './mirror.ts';
import { withinOf } from './within.ts';

/** A server that is mounted, or that others are mounted in. */
export interface Mountable {
  readonly parts: ServerParts;
  /** The outer servers, which are notified of changed resources. */
  readonly watching: Set<(uri: string) => void>;
  /** The servers that are mounted in it, as often as they are. */
  readonly mounted: Mountable[];
  resourceUpdated(uri: string): void;
}

/**
 * Offers the contents of one server at another too.
 *
 * @returns Ends that.
 * @throws TypeError for an invalid prefix, for a circle, and if names or URIs are taken. Nothing is mounted then.
 */
export function mountIn(outer: Mountable, prefix: string, inner: Mountable): () => void {
  if (typeof prefix !== 'string' || prefix === '' || fittingPrefix(prefix) !== prefix)
    throw new TypeError(
      `the prefix of a mounted server is 1 to ${maxPrefixLength} letters, digits, underscores, hyphens and dots, not ${shown(prefix)}`,
    );
  if (reaches(inner, outer))
    throw new TypeError(`the server cannot be mounted as ${JSON.stringify(prefix)}: it would be mounted in itself`);
  const mirrors = mirrorsOf(outer.parts, prefix, inner.parts);
  for (const mirror of mirrors) mirror.check();
  const hear = (uri: string): void => outer.resourceUpdated(uri);
  for (const mirror of mirrors) mirror.begin();
  inner.watching.add(hear);
  outer.mounted.push(inner);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    inner.watching.delete(hear);
    outer.mounted.splice(outer.mounted.indexOf(inner), 1);
    for (const mirror of mirrors) mirror.end();
  };
}

function reaches(from: Mountable, wanted: Mountable): boolean {
  return from === wanted || from.mounted.some((one) => reaches(one, wanted));
}

/** Names of tools and prompts get the prefix. URIs are unique by themselves and do not change. */
function mirrorsOf(
  outer: ServerParts,
  prefix: string,
  inner: ServerParts,
): readonly Pick<Mirror<never>, 'check' | 'begin' | 'end'>[] {
  const name = (key: string): string => prefixedName(prefix, key);
  const same = (key: string): string => key;
  return [
    new Mirror(inner.tools, outer.tools, {
      name,
      value: (entry, key) => {
        outer.tasking.begin(entry);
        const within = withinOf(inner, (params) => ({ ...params, name: key }), entry.within);
        return { ...entry, tool: { ...entry.tool, name: name(key) }, within };
      },
    }),
    new Mirror(inner.prompts, outer.prompts, {
      name,
      value: (entry, key) => {
        const own = (params: Readonly<Record<string, unknown>>): typeof params =>
          'ref' in params ? { ...params, ref: { type: 'ref/prompt', name: key } } : { ...params, name: key };
        return { ...entry, prompt: { ...entry.prompt, name: name(key) }, within: withinOf(inner, own, entry.within) };
      },
    }),
    new Mirror(inner.resources, outer.resources, {
      name: same,
      value: (entry) => ({ ...entry, within: withinOf(inner, (params) => params, entry.within) }),
    }),
    new Mirror(inner.templates, outer.templates, {
      name: same,
      value: (entry) => ({ ...entry, within: withinOf(inner, (params) => params, entry.within) }),
    }),
  ];
}
