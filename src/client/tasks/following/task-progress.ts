import type { Progress } from '../../../connection/progress.ts';

/** Words in which servers tell progress of tasks that have no reports of it, such as `1 of 2: loaded`. */
const counted = /^(\d{1,15}(?:\.\d{1,9})?) of (\d{1,15}(?:\.\d{1,9})?)(?:: ([^]*))?$/;

/** Reports of progress of a call: those of its request, and from then on the words of its task, where it has no others. */
export class TaskProgress {
  readonly #tell: (progress: Progress) => void;
  /** The highest that was told; nothing was told before that. */
  #last = 0;
  #isTold = false;
  /** Count of what is done, and of what there is to do, as the task said last. */
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
    // A task that begins again, as after the end of its process, is not told of until it is further than it was. (Spec, Progress: it rises.)
    if (this.#isTask && this.#isTold && progress.progress <= this.#last) return;
    this.#told(progress);
  };

  /** The task says something. What cannot be read as a number rises by one; what is behind what it said before is not told. */
  say(words: string | undefined): void {
    if (words === undefined || words === this.#words || this.#isReported) return;
    this.#words = words;
    const [, done, total, message] = counted.exec(words) ?? [];
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
