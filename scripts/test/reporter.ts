/** Collects what the test runner of Node says about one file after another. It is loaded as a reporter of `worker.ts`, in the same process. */

import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** What became of the tests of one file. */
export interface FileReport {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly todo: number;
  /** Why tests were skipped, with how many. */
  readonly skips: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
}

/** A test that failed, or a hook or a file. */
export interface Failure {
  /** Its name, after the names of what contains it. */
  readonly name: string;
  /** `file:line`, from the root. */
  readonly place: string;
  /** The error with its stack, without the lines of Node itself. */
  readonly text: string;
}

type Mutable = { -readonly [K in keyof FileReport]: FileReport[K] } & {
  skips: Record<string, number>;
  failures: Failure[];
};

let report: Mutable = emptyReport();
/** Names by nesting, of what runs now. */
let names: string[] = [];
let finish: ((report: FileReport) => void) | undefined;

/** The report of the file whose suite has this name, and begins after this call. */
export function takeReport(): Promise<FileReport> {
  return new Promise((resolve) => (finish = resolve));
}

/** An empty report, which counts nothing. */
export function emptyReport(): Mutable {
  return { tests: 0, passed: 0, failed: 0, skipped: 0, todo: 0, skips: {}, failures: [] };
}

/** What the runner reads: it prints nothing. */
// oxlint-disable-next-line import/no-default-export -- Node takes the default export of a reporter.
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type === 'test:start') names = [...names.slice(0, event.data.nesting), event.data.name];
    else if (event.type === 'test:pass' || event.type === 'test:fail') take(event);
  }
  yield '';
}

function take({ type, data }: Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>): void {
  const isSuite = data.details.type === 'suite';
  const { skip, todo } = data;
  if (!isSuite) report.tests += 1;
  if (skip !== undefined && skip !== false) {
    if (!isSuite) report.skipped += 1;
    const why = typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
    report.skips[why] = (report.skips[why] ?? 0) + 1;
  } else if (todo !== undefined && todo !== false) report.todo += isSuite ? 0 : 1;
  else if (type === 'test:pass') report.passed += isSuite ? 0 : 1;
  else takeFailure(data, isSuite);
  if (data.nesting > 0) return;
  finish?.(report);
  report = emptyReport();
}

function takeFailure(data: Extract<TestEvent, { type: 'test:fail' }>['data'], isSuite: boolean): void {
  const { error } = data.details;
  // What contains a failed test fails by it; its own failure is told there.
  const isInner = (error as { readonly failureType?: string }).failureType === 'subtestsFailed';
  if (!isSuite) report.failed += 1;
  if (isInner) return;
  // A file or a hook that fails is no test, but is counted as one: else the run would seem to pass.
  if (isSuite) {
    report.tests += 1;
    report.failed += 1;
  }
  const name = [...names.slice(1, data.nesting), ...(data.nesting === 0 ? [] : [data.name])].join(' › ');
  report.failures.push({ name: name || '(the file itself)', place: placeOf(data), text: textOf(error) });
}

function placeOf({ file, line }: { readonly file?: string; readonly line?: number }): string {
  return file === undefined ? '' : `${relative(process.cwd(), file)}${line === undefined ? '' : `:${line}`}`;
}

function textOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const text = typeof cause === 'string' ? cause : inspect(cause, { depth: 8, breakLength: 120 });
  return text
    .split('\n')
    .filter((line) => !/^\s+at .*(node:internal|node:async_hooks|\(node:)/.test(line))
    .join('\n');
}
