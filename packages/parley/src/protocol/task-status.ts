/** Tells whether a task has come to its end, and never changes again. (Spec 2025-11-25, Tasks, Task Status Lifecycle; ext-tasks, Task Status.) */
export function hasEnded({ status }: { readonly status?: unknown }): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}
