/** What stands above the tables of `docs/interop-tasks.md`. */

import { wrapped } from '../harness/page.ts';
import { everythingExercises, plainExercises, taskExercises } from './plan.ts';

/** Says what was done, and where it is written. */
export function introduction(): string {
  const steps = (of: typeof taskExercises): string => of.map(({ step }) => step.id).join(', ');
  return `# Interoperability of tasks

\`npm run lab -- interop:tasks\` wrote this page, with the harness of [interop.md](interop.md). Software of others that has tasks is driven with
ours, both ways, on stdio and over HTTP: those of the core of 2025-11-25, and those of the extension \`io.modelcontextprotocol/tasks\` of
2026-07-28. The programs are in \`interop/tasks/peers/\`, the steps in \`interop/tasks/plan.ts\`:

${wrapped(`connect, ${steps(taskExercises)}.`)}

Clients that have no tasks call tools that may be tasks as any other, and are refused in words where a tool is a task alone:

${wrapped(`connect, ${steps(plainExercises)}.`)}

The official server with everything has one tool that is a task alone: connect, ${steps(everythingExercises)}.

A step counts where the revision has what it exercises. What does not work is either a fault of the peer, numbered and shown with its
bytes below, or stands at the end as open.`;
}
