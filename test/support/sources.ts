/** The root of the repository. */

import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
