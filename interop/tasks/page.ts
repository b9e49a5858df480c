/** What stands above the tables of `docs/evidence/interop-tasks.md`. */

import { wrapped } from '../harness/page.ts';
import { everythingExercises, plainExercises, taskExercises } from './plan.ts';

/** Says what was done, and where it is written. */
export function introduction(): string {
  const steps = (of: typeof taskExercises): string => of.map(({ step }) => step.id).join(', ');
  return `# Interoperability of tasks

\`npm run lab -- interop:tasks\` wrote this page, with the harness of [interop.md](interop.md). It tests our client and
our server with software of other projects that supports tasks, over stdio and HTTP. It covers the tasks of 2025-11-25
and the extension \`io.modelcontextprotocol/tasks\` of 2026-07-28. The programs are in \`interop/tasks/peers/\`, and the
steps are in \`interop/tasks/plan.ts\`:

${wrapped(`connect, ${steps(taskExercises)}.`)}

Clients without tasks call tools with optional tasks as plain calls. If a tool requires a task, the server refuses their
call with a clear message:

${wrapped(`connect, ${steps(plainExercises)}.`)}

The official server with everything has one tool that requires a task: connect, ${steps(everythingExercises)}.

A step counts only if the revision has its feature. If a step fails, the cause is a fault of the peer or is still open.
Each fault has a number, and its messages are shown below. Open failures are at the end.`;
}
