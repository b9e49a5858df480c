/** `npm run lab -- messages`: prints every text of the help and every message of the sources, as Markdown, for a look at their words. */

import { helpTexts } from './site/cli-page.ts';
import { messageTexts } from '../test/advices/texts.ts';

let last = '';
const sections = messageTexts().map(([file, text]) => {
  const heading = file === last ? '' : `## ${file}\n\n`;
  last = file;
  return heading + text.replaceAll('${}', 'X').trim();
});
const help = helpTexts().map(([title, text]) => `## ${title}\n\n${text.replaceAll(/^ +/gm, '')}`);
console.log(['# Help', ...help, '# Messages', ...sections].join('\n\n'));
