import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import type { Bench } from '../../harness/bench.ts';

/** The `_meta` of a right request, with changes. */
export function ownMeta(
  bench: Bench,
  changes: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const right = {
    [metaKey.protocolVersion]: bench.revision.date,
    [metaKey.clientInfo]: { name: 'parley-check', version: '1' },
    [metaKey.clientCapabilities]: {},
    ...changes,
  };
  return Object.fromEntries(Object.entries(right).filter(([, value]) => value !== undefined));
}
