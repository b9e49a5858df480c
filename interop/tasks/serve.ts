/** `node interop/tasks/serve.ts [revision…]`: the server of tasks on stdio. */

import type { RevisionDate } from '../../packages/parley/src/protocol.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';
import { createTasks } from './server.ts';

// They are checked by `createServer`.
const revisions = process.argv.slice(2) as RevisionDate[];
await serveStdio(createTasks(revisions.length === 0 ? {} : { revisions })).closed;
