/** The resources of the suite. */

import type { Server } from '../../packages/parley/src/server.ts';
import { picture } from './media.ts';

/** Adds them. */
export function addResources(server: Server): void {
  server.resource(
    'test://static-text',
    { name: 'static-text', title: 'Text', description: 'A text that never changes.', mimeType: 'text/plain' },
    () => 'This is the content of the static text resource.',
  );
  server.resource(
    'test://static-binary',
    { name: 'static-binary', title: 'Bytes', description: 'An image that never changes.', mimeType: 'image/png' },
    () => Buffer.from(picture.data, 'base64'),
  );
  server.resource(
    'test://watched-resource',
    { name: 'watched-resource', title: 'Watched', description: 'A text to subscribe to.', mimeType: 'text/plain' },
    () => 'This is the content of the watched resource.',
  );
  server.resourceTemplate(
    'test://template/{id}/data',
    { name: 'template', title: 'Template', description: 'The data of an id.', mimeType: 'application/json' },
    (_uri, { id }) => JSON.stringify({ id, data: `Data of ${id}` }),
  );
}
