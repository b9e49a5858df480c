import { fileURLToPath } from 'node:url';

/** Folder of the page of `parley inspect`, as it was built: in `dist/`, beside the folder of the chunks. */
export const pageFolder: string = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/inspect/page/' : '../inspect/page/', import.meta.url),
);
