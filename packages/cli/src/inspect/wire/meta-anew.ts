import { metaKey } from '../../../../parley/src/protocol/meta-key.ts';

/** Keys of `_meta` that each request of a client gets anew, whatever was written. */
export const metaAnew: readonly string[] = [
  'progressToken',
  metaKey.protocolVersion,
  metaKey.clientInfo,
  metaKey.clientCapabilities,
];
