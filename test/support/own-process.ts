/**
 * Test files that need a process of their own, by their path in the repository, with the reason. All other fast files share a process,
 * and restore what they change there.
 */

const garbage = 'looks for objects that are still held, which other files would hold too';
const telemetry = 'registers global providers of OpenTelemetry, which a process has once';

export const ownProcess: Readonly<Record<string, string>> = {
  'packages/cli/src/commands/telemetry.test.ts': telemetry,
  'test/otel/bridge.test.ts': telemetry,
  'test/otel/conventions.test.ts': telemetry,
  'test/otel/failures.test.ts': telemetry,
  'test/otel/otel.test.ts': telemetry,
  'test/otel/page.test.ts': telemetry,
  'test/otel/revisions.test.ts': telemetry,
  'test/otel/service.test.ts': telemetry,
  'packages/parley/src/bridge/held-requests.test.ts': garbage,
  'packages/parley/src/client/held-calls.test.ts': garbage,
  'packages/parley/src/server/held-requests.test.ts': garbage,
  'packages/parley/src/transports/http/server/held-requests.test.ts': garbage,
  'packages/parley/src/transports/node/client/fetch-contract.test.ts':
    'imports the tests of other files once more, with another `fetch`',
  'packages/parley/src/transports/stdio/client/process-tree.test.ts':
    'sets the global of signal-exit, which that package makes read-only when another file loads it',
  'test/late-loading.test.ts': 'makes the first load of modules fail, so nothing may have loaded them before',
};
