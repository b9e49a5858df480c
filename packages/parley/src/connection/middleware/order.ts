import { isLater, type MaybePromise } from '../../storage/maybe-promise.ts';

/** Limit of notifications of one conversation that wait for middleware. Further ones are dropped and reported. */
const maxWaiting = 1000;

/** Notifications that wait for one before them. */
interface Line {
  waiting: number;
  end: Promise<void>;
}

const lines = new WeakMap<object, Line>();

/**
 * Runs middleware for a notification after the previous ones: at once, if none is under way.
 *
 * @param owner The conversation, or the request, whose notifications keep their order.
 * @param failed Receives the reason if one was not passed on.
 */
export function inOrder(owner: object, run: () => MaybePromise<unknown>, failed: (error: unknown) => void): void {
  const line = lines.get(owner);
  if (line === undefined) {
    try {
      const outcome = run();
      if (isLater(outcome)) wait(owner, { waiting: 0, end: Promise.resolve() }, () => outcome, failed);
    } catch (error) {
      failed(error);
    }
  } else if (line.waiting >= maxWaiting)
    failed(new Error(`a notification was dropped: ${maxWaiting} of them wait for middleware`));
  else wait(owner, line, run, failed);
}

/** Resolves when all notifications so far have passed; `undefined` if none waits. */
export function passed(owner: object): Promise<void> | undefined {
  return lines.get(owner)?.end;
}

function wait(owner: object, line: Line, run: () => MaybePromise<unknown>, failed: (error: unknown) => void): void {
  lines.set(owner, line);
  line.waiting++;
  line.end = line.end
    .then(run)
    .catch(failed)
    .then(() => {
      line.waiting--;
      if (line.waiting === 0) lines.delete(owner);
    });
}
