/** `npm run lab -- messages`: prints every text of the help and every message of the sources, as Markdown, for a look at their words. */

import { helpTexts } from './site/cli-page.ts';
import { messageTexts } from '../test/advices/texts.ts';

const messages = Map.groupBy(messageTexts(), ([file]) => file);
const sections = [...messages].map(([file, texts]) =>
  [`## ${file}`, ...texts.map(([, text]) => text.replaceAll('${}', 'X').trim())].join('\n\n'),
);
const help = helpTexts().map(([title, text]) => `## ${title}\n\n${text.replaceAll(/^ +/gm, '')}`);
console.log(['# Help', ...help, '# Messages', ...sections].join('\n\n'));
