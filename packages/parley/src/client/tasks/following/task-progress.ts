import type { Progress } from '../../../connection/progress.ts';
import { hasEnded } from '../../../protocol/task-status.ts';

/** Status text with which servers report progress of tasks that send no progress reports, such as `1 of 2: loaded`. */
const counted = /^(\d{1,15}(?:\.\d{1,9})?) of (\d{1,15}(?:\.\d{1,9})?)(?:: ([^]*))?$/;

/** Progress of a call: the reports of its request, then the status messages of its task if it has no reports. */
export class TaskProgress {
  readonly #tell: (progress: Progress) => void;
  /** The highest reported value; nothing was reported before. */
  #last = 0;
  #isTold = false;
  /** Done and total counts, from the last status message. */
  #counted: { readonly done: number; readonly total: number } | undefined;
  #isTask = false;
  #words: string | undefined;
  /** True when reports come of the task itself. */
  #isReported = false;

  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell;
  }

  /** The call became a task. */
  became(): void {
    this.#isReported = false;
    this.#isTask = true;
  }

  /** A report came under the token of the request. */
  readonly hear = (progress: Progress): void => {
    this.#isReported = true;
    // A task that restarts, for example after the end of its process, is not reported until it is further than before.
    // (Spec, Progress: it rises.)
    if (this.#isTask && this.#isTold && progress.progress <= this.#last) return;
    this.#told(progress);
  };

  /**
   * The task sent a status message. A message without a number counts as one more. A number below the previous one is
   * not reported.
   */
  say(words: string | undefined, status: string): void {
    if (words === undefined || words === this.#words || this.#isReported) return;
    this.#words = words;
    const [, done, total, message] = counted.exec(words) ?? [];
    // The last words of a task say how it ended.
    if (hasEnded({ status }) && (done === undefined || status !== 'completed')) return;
    if (done === undefined) return this.#told({ progress: this.#last + 1, message: words });
    const far = { done: Number(done), total: Number(total) };
    if (this.#counted?.total === far.total && far.done <= this.#counted.done) return;
    this.#counted = far;
    if (far.done <= this.#last) return this.#told({ progress: this.#last + 1, message: words });
    this.#told({ progress: far.done, total: far.total, ...(message === undefined ? {} : { message }) });
  }

  #told(progress: Progress): void {
    this.#last = Math.max(this.#last, progress.progress);
    this.#isTold = true;
    this.#tell(progress);
  }
}
