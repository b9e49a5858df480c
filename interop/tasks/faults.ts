/** Faults of peers in tasks that a run is expected to meet. */

import type { Fault } from '../harness/faults.ts';

/** All of them. */
export const taskFaults: readonly Fault[] = [
  {
    peer: 'python-1',
    side: 'server',
    steps: ['cancel', 'cancelled there'],
    why:
      'Work that ends after its task was cancelled takes the session down: its result is put to the cancelled task, which raises, and so ' +
      'does telling of that. What comes next is answered by nobody on stdio, and with 404 over HTTP. Specification 2025-11-25, Tasks, Task ' +
      'Cancellation: a cancelled task stays so, even where the work runs on.',
  },
  {
    peer: 'fastmcp',
    side: 'client',
    ways: ['http'],
    steps: [
      'wait',
      'time to live',
      'required',
      'tool error',
      'protocol error',
      'asks',
      'cancel',
      'cancelled there',
      'acknowledge a late cancel',
      'unknown',
    ],
    why:
      'Over HTTP its requests about a task have no `Mcp-Name`. Specification of io.modelcontextprotocol/tasks 2026-07-28, Streamable HTTP: ' +
      'clients must set it to the id of the task.',
  },
];
