/** What the workflow of a task takes of Temporal, whose packages are fetched when it is run, and lie outside of the repository. */
declare module '@temporalio/workflow' {
  export function condition(holds: () => boolean, timeout: string): Promise<boolean>;
  export function continueAsNew(id: string): Promise<never>;
  export function defineSignal(name: string): object;
  export function proxyActivities(options: object): {
    runTask(id: string): Promise<'ended' | 'unknown' | 'left' | 'asks' | 'later'>;
  };
  export function setHandler(signal: object, handle: () => void): void;
  export function sleep(ms: number): Promise<void>;
  export function workflowInfo(): { readonly continueAsNewSuggested: boolean };
}
