/** The official second SDK on stdio. */
import type * as Stdio from '@modelcontextprotocol/server/stdio';
import { peer } from '../harness/peers.ts';
import { build } from '../small/official-v2.ts';
import { answerCpu } from './support.ts';

const { serveStdio } = await peer<typeof Stdio>('@modelcontextprotocol/server/stdio');
answerCpu();
serveStdio(build);
