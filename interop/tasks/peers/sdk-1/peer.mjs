/** The official SDK of TypeScript, version 1: `peer.mjs client` does what the plan on its standard input says, `peer.mjs serve WAY` serves. */

import { run } from './client.mjs';
import { serve } from './server.mjs';

const [role, way] = process.argv.slice(2);
await (role === 'client' ? run() : serve(way));
