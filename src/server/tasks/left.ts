import { passedOn } from '../runtime/extension-result.ts';

/** The value that says that a handler leaves its work to somebody outside; nobody sends it. */
const left = passedOn({});

/** Gives what a handler returns that leaves its work. */
export function leave(): never {
  // A handler may return it whatever its type is; nothing reads it but `isLeft`.
  return left as never;
}

export function isLeft(value: unknown): boolean {
  return value === left;
}
