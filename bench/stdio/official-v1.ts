/** The official first SDK on stdio. */
import type * as Stdio from 'sdk-1.32.2/server/stdio.js';
import { peer } from '../harness/peers.ts';
import { build } from '../small/official-v1.ts';
import { answerCpu } from './support.ts';

const { StdioServerTransport } = await peer<typeof Stdio>('@modelcontextprotocol/sdk/server/stdio.js');
answerCpu();
await build().connect(new StdioServerTransport());
