import type { ClientRule } from '../client-rule.ts';
import { appRules } from './apps.ts';
import { askedRules } from './asked.ts';
import { declaredRules } from './declared.ts';
import { extensionRules } from './extensions.ts';
import { foreignRules } from './foreign.ts';
import { headerRules } from './headers.ts';
import { hostedTaskRules } from './hosted-tasks.ts';
import { messageRules } from './messages.ts';
import { nameRules } from './names.ts';
import { openingRules } from './opening.ts';
import { pageRules } from './pages.ts';
import { processRules } from './processes.ts';
import { resumptionRules } from './resumption.ts';
import { rootRules } from './roots.ts';
import { roundRules } from './rounds.ts';
import { clientTaskRules } from './tasks.ts';

/** All rules about clients. */
export const clientRules: readonly ClientRule[] = [
  ...messageRules,
  ...openingRules,
  ...headerRules,
  ...resumptionRules,
  ...processRules,
  ...extensionRules,
  ...appRules,
  ...foreignRules,
  ...roundRules,
  ...nameRules,
  ...clientTaskRules,
  ...hostedTaskRules,
  ...askedRules,
  ...declaredRules,
  ...rootRules,
  ...pageRules,
];
