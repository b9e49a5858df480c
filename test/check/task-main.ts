/** The server with tasks on standard input and output. */

import { serveStdio } from '../../packages/parley/src/stdio.ts';
import { taskServer } from './task-server.ts';

serveStdio(taskServer());
