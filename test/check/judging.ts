import type { TestContext } from 'node:test';
import { rawHttp } from '../../packages/cli/src/check/harness/http.ts';
import type { UserCredentials } from '../../packages/cli/src/check/harness/senders.ts';
import { judgeServer } from '../../packages/cli/src/check/run/check.ts';
import type { CheckReport } from '../../packages/cli/src/check/report.ts';

/** Options of judging a server in a test; all that is not said is by default. */
export interface ServerJudging extends Partial<Omit<Parameters<typeof judgeServer>[0], 'way' | 'signal'>> {
  readonly credentials?: UserCredentials;
}

/** Judges the server at a URL of this machine, for as long as the test runs. */
export async function judgedAt(t: TestContext, url: string | URL, options: ServerJudging = {}): Promise<CheckReport> {
  const { credentials, ...rest } = options;
  const http = rawHttp(new URL(url), credentials);
  t.after(() => http.close());
  return await judgeServer({
    way: { over: 'http', http },
    target: String(url),
    info: { name: 'parley-check', version: '1.0.0' },
    isNear: true,
    ...rest,
    signal: t.signal,
  });
}
