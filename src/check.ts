/** Judges servers by what can be seen from outside of the specification, in every revision, as `parley check` does; in Node. */

export { checkServer, type CheckedServer, type ServerCheckOptions } from './check/check-server.ts';
export type { AllowedCall } from './check/bench/allowed.ts';
export type { CheckReport, CheckedExchange, Finding, RevisionSeen, RowVerdict, Severity } from './check/report.ts';
