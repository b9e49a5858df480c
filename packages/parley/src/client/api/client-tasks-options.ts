import { refuseUnknown, type Names } from '../../options/known-names.ts';
import { refuseOther } from '../../options/known-values.ts';
import type { ClientTasksCapability } from '../../protocol/capability.ts';
import type { TaskStore } from '../../storage/tasks.ts';

/** Requests that a client answers as tasks. (Spec 2025-11-25, Tasks; no other revision has tasks of clients.) */
export interface ClientTasksOptions {
  /** True to answer questions of the user as tasks; needs `onElicit` or `onElicitUrl`. Off by default. */
  readonly elicitation?: boolean;
  /** True to answer questions of the model as tasks; needs `onSample`. Off by default. */
  readonly sampling?: boolean;
  /**
   * Store for the tasks; `memoryTasks()` by default, whose tasks end with the client. With a shared store, other
   * processes answer questions that a dead process has not begun. Give the clients of each user their own store.
   */
  readonly store?: TaskStore;
}

const names: Names<ClientTasksOptions> = { elicitation: 1, sampling: 1, store: 1 };

/** Options among which hosting must make sense. */
interface Beside {
  readonly clientTasks?: ClientTasksOptions;
  readonly onElicit?: unknown;
  readonly onElicitUrl?: unknown;
  readonly onSample?: unknown;
  readonly onRequest?: unknown;
}

/** @throws TypeError for unknown options, and for requests that no handler answers. */
export function checkHostTasks({ clientTasks, onElicit, onElicitUrl, onSample, onRequest }: Beside): void {
  if (clientTasks === undefined) return;
  refuseUnknown('clientTasks', clientTasks, names);
  const { elicitation, sampling, store } = clientTasks;
  refuseOther('boolean', 'clientTasks.elicitation', elicitation);
  refuseOther('boolean', 'clientTasks.sampling', sampling);
  if (store !== undefined) refuseOther('function', 'clientTasks.store.claim', store.claim ?? null);
  if (onRequest !== undefined)
    throw new TypeError(
      'clientTasks and onRequest exclude each other: who answers every request answers those of tasks too',
    );
  if (elicitation === true && (onElicit ?? onElicitUrl) === undefined)
    throw new TypeError('clientTasks.elicitation needs onElicit or onElicitUrl, which answers');
  if (sampling === true && onSample === undefined)
    throw new TypeError('clientTasks.sampling needs onSample, which answers');
}

/** The capability of a client that hosts tasks, if it hosts any; its server is the only one that asks for them, so that it may list them. */
export function hostedCapability({ elicitation, sampling }: ClientTasksOptions): ClientTasksCapability | undefined {
  if (elicitation !== true && sampling !== true) return undefined;
  return {
    list: {},
    cancel: {},
    requests: {
      ...(sampling === true && { sampling: { createMessage: {} } }),
      ...(elicitation === true && { elicitation: { create: {} } }),
    },
  };
}
