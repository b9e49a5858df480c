import { passedOn } from '../runtime/extension-result.ts';

/** The value that marks work left to an external system. It is never sent. */
const left = passedOn({});

/** Returns the value with which a handler leaves its work to an external system. */
export function leave(): never {
  // A handler may return it whatever its type is; nothing reads it but `isLeft`.
  return left as never;
}

export function isLeft(value: unknown): boolean {
  return value === left;
}
