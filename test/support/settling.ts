/** Scripted servers that settle on one revision before they follow a script. */

import { newestRevision } from '../../packages/parley/src/protocol/revision.ts';
import type { Script } from '../../packages/parley/src/testing/scripted.ts';

const stateless = newestRevision.date;

/** Answers what settles the revision, and leaves the rest to the script. */
export function settling(script: Script, revision: string, capabilities: object): Script {
  return (sent, peer) => {
    const { method } = sent.message;
    if (method === 'server/discover' && revision === stateless)
      return peer.reply(sent, { supportedVersions: [stateless], capabilities, ttlMs: 0, cacheScope: 'private' });
    if (method === 'server/discover') return peer.refuse(sent, { code: -32601, message: 'no' });
    if (method === 'initialize')
      return peer.reply(sent, { protocolVersion: revision, capabilities, serverInfo: { name: 's', version: '1' } });
    if (method === 'notifications/initialized') return;
    return script(sent, peer);
  };
}
