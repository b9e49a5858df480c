/** What a client of any language is told to do with tasks. */

/** One thing to do. Programs read it as JSON, one plan in one line, and tell outcomes as those of the other plan do. */
export type TaskAction =
  /**
   * Calls a tool as a task and waits for its result. Heard are `created` where there is a task, `ttl 60000` as it was told,
   * `status working` of each poll, and `asked elicitation`.
   */
  | (Called & { readonly do: 'task'; readonly ttl?: number })
  /** Calls a tool as a task, cancels it, and gives `{status}` as it is then. */
  | (Called & { readonly do: 'cancel' })
  /** Calls a tool as a task, waits for its result, and cancels it then. */
  | (Called & { readonly do: 'cancel-ended' })
  /**
   * Calls a tool as a task, asks no more, and gives `{status}` of the end that the server tells of by itself. Heard is
   * `told completed`.
   */
  | (Called & { readonly do: 'told' })
  /** Asks for a task that there never was; some clients do so only after a call that became one. */
  | (Called & { readonly do: 'unknown' })
  /** Gives `{count}` of the tasks that the server lists. */
  | { readonly do: 'tasks' }
  /** Calls a tool and says nothing of tasks. */
  | (Called & { readonly do: 'call' });

interface Called {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}

/** A step of a plan. */
export type TaskStep = TaskAction & { readonly id: string };
