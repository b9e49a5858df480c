/** `tmcp` on stdio. */
import type * as Stdio from '@tmcp/transport-stdio';
import { peer } from '../harness/peers.ts';
import { build } from '../small/tmcp.ts';
import { answerCpu } from './support.ts';

const { StdioTransport } = await peer<typeof Stdio>('@tmcp/transport-stdio');
answerCpu();
new StdioTransport(build()).listen();
