/** Faults of peers in tasks that a run is expected to meet. */

import type { Fault } from '../harness/faults.ts';

/** All of them. */
export const taskFaults: readonly Fault[] = [
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['asks'],
    why:
      'The context of a task is that of the call that began it, so that it is cancelled as soon as the call is answered: whatever heeds its ' +
      'context is over then, and the task is told to be cancelled, which nobody asked for (so is `endless`, before it is cancelled). ' +
      'Specification 2025-11-25, Tasks: the work runs on after the result that stands for it.',
  },
  {
    peer: 'ext-tasks',
    side: 'client',
    steps: ['tool error', 'protocol error'],
    revisions: ['2025-11-25'],
    why:
      'A task of 2025-11-25 that failed is not asked for its result: what the tool said and the error that it failed with are lost but for ' +
      '`statusMessage`. Specification 2025-11-25, Tasks, Result Retrieval: `tasks/result` gives what the call would have given, error or not.',
  },
  {
    peer: 'ext-tasks',
    side: 'client',
    steps: ['asks'],
    revisions: ['2025-11-25'],
    why:
      'While a task of 2025-11-25 is at `input_required` it is asked for its status alone, so that what it asks never comes. Specification ' +
      '2025-11-25, Tasks, Input Required Status: a requestor should call `tasks/result` then.',
  },
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
    peer: 'python-1',
    side: 'server',
    steps: ['protocol error'],
    why:
      'Of a task that failed with an error `tasks/result` gives an empty result, which is none of a call; the code of the error is lost. ' +
      'Specification 2025-11-25, Tasks, Result Retrieval: `tasks/result` gives what the call would have given, error or not.',
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
