import type { Servable } from '../../../../parley/src/server/runtime/request-handler.ts';
import { refuseUnknown, type Names } from '../../../../parley/src/options/known-names.ts';
import type { RevisionDate } from '../../../../parley/src/protocol/revision.ts';
import type { AllowedCall } from '../harness/allowed.ts';
import type { CheckReport } from '../report.ts';

/** A server to be judged: one of this process, the address of one that listens, or the command that starts one. */
export type CheckedServer =
  | Servable
  | string
  | URL
  | {
      readonly command: string;
      readonly args?: readonly string[];
      /** Variables beside `PATH`, `HOME` and their like. */
      readonly env?: Readonly<Record<string, string>>;
    };

/** Options of `checkServer`. */
export interface ServerCheckOptions {
  /** The revisions to check; all by default. */
  readonly revisions?: readonly RevisionDate[];
  /** Rows such as `http-003`, or areas such as `http`, to check; all by default. */
  readonly only?: readonly string[];
  /** Tools that may be called, several times and with wrong arguments; none by default. */
  readonly calls?: readonly (string | AllowedCall)[];
  /** Sends a message of 100 MB too, and over HTTP opens 500 connections that are slow and listens to streams for 24 times `timeoutMs`; not by default. */
  readonly heavy?: boolean;
  /** Headers of every request to a server that is reached by HTTP, such as `Authorization`; no report says that they were sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest wait for an answer, in milliseconds; 5,000. */
  readonly timeoutMs?: number;
  /** Ends it early: it rejects with the reason. */
  readonly signal?: AbortSignal;
}

const optionNames: Names<ServerCheckOptions> = {
  revisions: 1,
  only: 1,
  calls: 1,
  heavy: 1,
  headers: 1,
  timeoutMs: 1,
  signal: 1,
};

/**
 * Checks a server as `parley check` does: against the observable statements of the specification, in every revision
 * that it supports.
 *
 * A server of this process is served on a free port of 127.0.0.1 meanwhile, and stays open. Only the tools in `calls`
 * are called. The results are in `findings`; those with the severity `error` break a MUST. A report without findings
 * proves nothing if `counts.judged` is 0. It does not check what tools do.
 *
 * @returns The report, of which `docs/check-report.schema.json` says each part.
 * @throws TypeError for options that are unknown, for revisions that are none, and for a text that is not a URL of
 * HTTP.
 * @throws Error when a server of this process cannot be served.
 * @example const { findings } = await checkServer(server); assert.deepEqual(findings.filter(({ severity }) => severity
 * === 'error'), []);
 */
export async function checkServer(server: CheckedServer, options: ServerCheckOptions = {}): Promise<CheckReport> {
  refuseUnknown('checkServer', options, optionNames);
  // The judge is much, and a program may name it that never judges.
  const { judged } = await import('./judged.ts');
  return await judged(server, options);
}
