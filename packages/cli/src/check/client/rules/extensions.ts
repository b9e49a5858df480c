/** Rules about clients of extensions that the server has, and says how far it has them. */

import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { isAsking } from '../client-session.ts';
import type { ClientRule } from '../client-rule.ts';

/** Skills stand on the messages of that revision and of later ones. */
const hasSkills = ({ clientDescribed }: Revision): boolean => clientDescribed === 'each-request';

const readsNoFolders: ClientRule = {
  id: 'resources-028',
  lives: hasSkills,
  message: 'Skill directories are read only if the server declares directoryRead',
  fix: 'look for directoryRead in the settings of io.modelcontextprotocol/skills before resources/directory/read; the entry of a skill lists all of its files',
  watch: ({ message }) =>
    isAsking(message) && message['method'] === 'resources/directory/read'
      ? { breaks: 'it sent resources/directory/read, and directoryRead is not declared' }
      : 'not-seen',
  atEnd: ({ done }) => (done.has('skills/list') || done.has('skills/get') ? 'holds' : 'not-seen'),
};

/** Rules about extensions. */
export const extensionRules: readonly ClientRule[] = [readsNoFolders];
