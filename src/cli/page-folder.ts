import { fileURLToPath } from 'node:url';

/** Folder of the page of `parley inspect`, as it was built: beside what is built from here, which the source has in `dist/`. */
export const pageFolder: string = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/inspect/page/' : '../inspect/page/', import.meta.url),
);
