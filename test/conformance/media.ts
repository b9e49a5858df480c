/** The smallest picture and sound that are valid. */

import type { AudioContent, ImageContent } from '../../packages/parley/src/protocol.ts';

/** One red pixel. */
export const picture: ImageContent = {
  type: 'image',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  mimeType: 'image/png',
};

/** A WAV file of no samples. */
export const sound: AudioContent = {
  type: 'audio',
  data: 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=',
  mimeType: 'audio/wav',
};
