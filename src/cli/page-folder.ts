import { fileURLToPath } from 'node:url';

/** Folder of the page of `parley inspect`, as it was built: it lies beside what is built from here. */
export const pageFolder: string = fileURLToPath(new URL('../inspect/page/', import.meta.url));
