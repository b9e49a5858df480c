/** The rules of the second stage: they need the built package, or packages that only slow tests need. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Finding, Rule } from '../rule.ts';
import { apiRule } from './api.ts';
import { bundlesRule, onDemandRule, oneExportRule } from './built.ts';
import { completeTypesRule, contentsRule, olderCompilersRule } from './packed.ts';
import { productsRule } from './products.ts';
import { attwRule, publintRule } from './published.ts';
import { pageSizeRule, sizesRule } from './sizes.ts';

export const ofTarballs: Readonly<Record<string, Rule>> = {
  publint: publintRule,
  attw: attwRule,
  'complete-types': completeTypesRule,
  'older-compilers': olderCompilersRule,
  contents: contentsRule,
  api: apiRule,
};

export const ofBuild: Readonly<Record<string, Rule>> = {
  sizes: sizesRule,
  'page-size': pageSizeRule,
  'one-export': oneExportRule,
  'on-demand': onDemandRule,
  products: productsRule,
  bundles: bundlesRule,
};

/** It takes longer than all the others, in a process of its own. Beside tests its trials would find what is not there. */
export const ofSource: Readonly<Record<string, Rule>> = {
  'regular-expressions': {
    demand: 'every regular expression of the sources takes time linear in the text',
    async find() {
      const script = join(import.meta.dirname, 'regular-expressions.ts');
      const { stdout } = await promisify(execFile)(process.execPath, [script]);
      // The script prints what its rule finds.
      return JSON.parse(stdout) as readonly Finding[];
    },
  },
};
