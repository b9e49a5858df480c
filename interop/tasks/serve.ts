/** `node interop/tasks/serve.ts [revision…]`: the server of tasks on stdio. */

import type { RevisionDate } from '../../src/protocol.ts';
import { serveStdio } from '../../src/stdio.ts';
import { createTasks } from './server.ts';

// They are checked by `createServer`.
const revisions = process.argv.slice(2) as RevisionDate[];
await serveStdio(createTasks(revisions.length === 0 ? {} : { revisions })).closed;
