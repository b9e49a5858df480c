/** The lively server on standard input and output. */

import { serveStdio } from '../../packages/parley/src/stdio.ts';
import { livelyServer } from './lively-server.ts';

serveStdio(livelyServer(false));
