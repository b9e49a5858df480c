/** The rules of the second stage: they need the built package, or packages that only slow tests need. */

import type { Rule } from '../rule.ts';
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
