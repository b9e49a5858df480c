/** The tools that say something beside their result: progress, log messages, changes of lists. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../../packages/parley/src/server.ts';

/** Adds them. */
export function addStreamTools(server: Server): void {
  server.tool('test_tool_with_progress', { description: 'Reports progress.' }, async (_args, ctx) => {
    for (const done of [0, 50, 100]) {
      ctx.progress(done, 100, `${done} of 100`);
      await pause(50);
    }
    return 'Done.';
  });
  server.tool('test_tool_with_logging', { description: 'Logs what it does.' }, async (_args, ctx) => {
    for (const step of ['started', 'processing', 'finished']) {
      ctx.log('info', `Tool execution ${step}`);
      await pause(50);
    }
    return 'Done.';
  });
  server.tool('test_logging_tool', { description: 'Logs once.' }, (_args, ctx) => {
    ctx.log('info', 'Tool execution');
    return 'Done.';
  });
  server.tool(
    'test_reconnection',
    { description: 'Breaks its own connection and answers on the next.' },
    async (_args, ctx) => {
      ctx.closeStream(100);
      await pause(300);
      return 'Answered after the connection was taken up again.';
    },
  );
  server.tool('test_trigger_tool_change', { description: 'Announces that the list of tools changed.' }, () => {
    server.changed('tools');
  });
  server.tool('test_trigger_prompt_change', { description: 'Announces that the list of prompts changed.' }, () => {
    server.changed('prompts');
  });
}
