/** Capabilities that would say something else in another revision. */

import type { Adaptation } from './adaptation.ts';
import type { ClientCapabilities, ServerCapabilities } from '../capability.ts';
import { livesIn } from '../extension.ts';
import { always, within } from '../lifetime.ts';
import { isFields, mapFields, type ObjectFields } from '../compile/value.ts';

/** A client that only opens URLs says nothing in 2025-06-18, where `elicitation` means forms. */
export const urlOnlyElicitation: Adaptation<ClientCapabilities> = {
  name: 'urlOnlyElicitation',
  life: within('2025-06-18', '2025-11-25'),
  toWire: (capabilities) => {
    const { elicitation, ...rest } = capabilities;
    return elicitation?.url !== undefined && elicitation.form === undefined ? rest : capabilities;
  },
};

const tasksExtension = 'io.modelcontextprotocol/tasks';

type Capabilities = ClientCapabilities | ServerCapabilities;

/** Experimental capabilities are objects in every revision; anything else is left out. */
export const experimentalObjects: Adaptation<Capabilities> = {
  name: 'experimentalObjects',
  life: always,
  toWire: (capabilities) => {
    const { experimental } = capabilities;
    if (experimental === undefined) return capabilities;
    const objects = onlyObjects(experimental);
    return objects === experimental ? capabilities : { ...capabilities, experimental: objects };
  },
};

const noSettings: ObjectFields = {};

/**
 * Settings of extensions are objects; that for tasks has none, so its value is exactly `{}`. An extension that a
 * revision does not have is left out.
 */
export const extensionSettings: Adaptation<Capabilities> = {
  name: 'extensionSettings',
  life: always,
  toWire: (capabilities, revision) => {
    const { extensions, ...rest } = capabilities;
    if (extensions === undefined) return capabilities;
    const settings = mapFields(onlyObjects(extensions), (value, id) => {
      if (!livesIn(revision, id)) return undefined;
      return id === tasksExtension && isFields(value) && Object.keys(value).length > 0 ? noSettings : value;
    });
    if (settings === extensions) return capabilities;
    return Object.keys(settings).length === 0 ? rest : { ...rest, extensions: settings };
  },
};

function onlyObjects(map: ObjectFields): ObjectFields {
  return mapFields(map, (value) => (isFields(value) ? value : undefined));
}
