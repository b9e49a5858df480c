/** Faults of peers in tasks that a run is expected to meet. */

import type { Fault } from '../harness/faults.ts';

/** All of them. */
export const taskFaults: readonly Fault[] = [
  {
    peer: 'mcp-go',
    side: 'server',
    steps: ['asks'],
    why: 'The server cancels the context of a task when the call that created it returns. Work that observes its context ends then. The task gets the status cancelled without a request, and so does the task of `endless` before its cancellation. Specification 2025-11-25, Tasks: the work continues after the call returns the task.',
  },
  {
    peer: 'ext-tasks',
    side: 'client',
    steps: ['tool error', 'protocol error'],
    revisions: ['2025-11-25'],
    why: 'The client does not request the result of a failed task of 2025-11-25. The tool result or the error is lost, except for `statusMessage`. Specification 2025-11-25, Tasks, Result Retrieval: `tasks/result` returns the result or the error of the call.',
  },
  {
    peer: 'ext-tasks',
    side: 'client',
    steps: ['asks'],
    revisions: ['2025-11-25'],
    why: 'While a task of 2025-11-25 is at `input_required`, the client polls only its status. It never gets the request of the task. Specification 2025-11-25, Tasks, Input Required Status: a requestor should call `tasks/result` then.',
  },
  {
    peer: 'python-1',
    side: 'server',
    steps: ['cancel', 'cancelled there'],
    why: 'Work that completes after its task was cancelled ends the session. The server stores the result in the cancelled task, which raises an exception, and the error report raises another. Later requests get no response on stdio, and 404 over HTTP. Specification 2025-11-25, Tasks, Task Cancellation: a cancelled task stays cancelled, even if the work continues.',
  },
  {
    peer: 'python-1',
    side: 'server',
    steps: ['protocol error'],
    why: 'For a task that failed with an error, `tasks/result` returns an empty result, which is not a valid call result. The error code is lost. Specification 2025-11-25, Tasks, Result Retrieval: `tasks/result` returns the result or the error of the call.',
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
    why: 'Over HTTP, its requests about a task have no `Mcp-Name`. Specification of io.modelcontextprotocol/tasks 2026-07-28, Streamable HTTP: clients must set it to the task id.',
  },
];
