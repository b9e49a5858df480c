/** Parley on stdio. */
import { serveStdio } from '../../packages/parley/src/stdio.ts';
import { build } from '../small/parley.ts';
import { answerCpu } from './support.ts';

answerCpu();
serveStdio(build());
