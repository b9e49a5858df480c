/** `node interop/parley/serve.ts [revision…]`: the server of the exercise on stdio. */

import type { RevisionDate } from '../../packages/parley/src/protocol.ts';
import { serveStdio } from '../../packages/parley/src/stdio.ts';
import { createExercise } from './server.ts';

// They are checked by `createServer`.
const revisions = process.argv.slice(2) as RevisionDate[];
await serveStdio(createExercise(revisions.length === 0 ? {} : { revisions })).closed;
