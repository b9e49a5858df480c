/** `node raw-authorized-main.ts <url> <revision> [mistake]`: the raw client that signs in, as a program, with tools by its scenario. */

import { scenarios } from '../../packages/cli/src/check/client/authorization/scenarios.ts';
import type { AuthorizationMistake } from './authorization-mistakes.ts';
import { RawAuthorizedClient } from './raw-authorized-client.ts';

const [url = '', revision = '', mistake] = process.argv.slice(2);
const scenario = scenarios.find(({ name }) => name === process.env['PARLEY_CHECK_SCENARIO']);
await new RawAuthorizedClient(url, revision, mistake as AuthorizationMistake | undefined).run(scenario?.tools ?? []);
