/** The rules of the second stage: they need the built package, or packages that only slow tests need. */

import type { Rule } from '../rule.ts';
import { apiRule } from './api.ts';
import { bundlesRule, onDemandRule, oneExportRule } from './built.ts';
import { completeTypesRule, contentsRule, mapsRule, olderCompilersRule } from './packed.ts';
import { productsRule } from './products.ts';
import { attwRule, publintRule } from './published.ts';
import { pageSizeRule, sizesRule } from './sizes.ts';

export const ofPackage: Readonly<Record<string, Rule>> = {
  publint: publintRule,
  attw: attwRule,
  sizes: sizesRule,
  'page-size': pageSizeRule,
  api: apiRule,
  'one-export': oneExportRule,
  'on-demand': onDemandRule,
  products: productsRule,
  bundles: bundlesRule,
  maps: mapsRule,
  'complete-types': completeTypesRule,
  'older-compilers': olderCompilersRule,
  contents: contentsRule,
  'regular-expressions': {
    demand: 'every regular expression of src/ takes time linear in the text',
    async find(repository) {
      const { regularExpressionsRule } = await import('./regular-expressions.ts');
      return regularExpressionsRule.find(repository);
    },
  },
};
