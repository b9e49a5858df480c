import type { Progress } from '../../../peer/progress.ts';

/** Words in which servers tell progress of tasks that have no reports of it, such as `1 of 2: loaded`. */
const counted = /^(\d{1,15}(?:\.\d{1,9})?) of (\d{1,15}(?:\.\d{1,9})?)(?:: ([^]*))?$/;

/** Reports of progress of a call: those of its request, and from then on the words of its task, where it has no others. */
export class TaskProgress {
  readonly #tell: (progress: Progress) => void;
  #last = 0;
  #words: string | undefined;
  /** True when reports come of the task itself. */
  #isReported = false;

  constructor(tell: (progress: Progress) => void) {
    this.#tell = tell;
  }

  /** The call became a task. */
  became(): void {
    this.#isReported = false;
  }

  /** A report came under the token of the request. */
  readonly hear = (progress: Progress): void => {
    this.#isReported = true;
    this.#last = Math.max(this.#last, progress.progress);
    this.#tell(progress);
  };

  /** The task says something. What cannot be read as a number rises by one. */
  say(words: string | undefined): void {
    if (words === undefined || words === this.#words || this.#isReported) return;
    this.#words = words;
    const [, done, total, message] = counted.exec(words) ?? [];
    const progress = Number(done);
    const isRising = done !== undefined && progress > this.#last;
    const report = isRising
      ? { progress, total: Number(total), ...(message === undefined ? {} : { message }) }
      : { progress: this.#last + 1, message: words };
    this.#last = report.progress;
    this.#tell(report);
  }
}
