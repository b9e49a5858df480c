/** What each entry point of the built package exports, as a report of its declarations. */

import {
  CompilerState,
  Extractor,
  ExtractorConfig,
  type ExtractorLogLevel,
  type ExtractorMessage,
} from '@microsoft/api-extractor';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../test/support/sources.ts';

/** The report of one entry point, and what is wrong with what it exports. */
export interface ApiReport {
  /** The name of the file in `api/`. */
  readonly file: string;
  readonly text: string;
  /** The names that it declares itself. */
  readonly exported: readonly string[];
  /** Types that its declarations name and it does not export. */
  readonly forgotten: readonly string[];
  /** Names that it exports without a doc comment. */
  readonly undocumented: readonly string[];
}

const declarations = join(root, 'dist/declarations');

/**
 * Writes the declarations of each module, from which the reports are made, and returns those of the entry points.
 *
 * @throws Error when the compiler finds a fault.
 */
export function entryDeclarations(): readonly string[] {
  rmSync(declarations, { recursive: true, force: true });
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  return readdirSync(declarations)
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(declarations, name));
}

const none = { logLevel: 'none' as ExtractorLogLevel };
const told = { logLevel: 'warning' as ExtractorLogLevel, addToApiReportFile: false };

/**
 * Reports on entry points.
 *
 * @param entries The declaration files, as paths.
 * @throws Error when a declaration cannot be read.
 */
export function apiReports(entries: readonly string[]): readonly ApiReport[] {
  return extracted(entries, reportOf);
}

/** What API Extractor says of an entry point. */
export interface EntryModel {
  /** The name of the entry point, such as `server`. */
  readonly entry: string;
  /** Its exports with their doc comments, as JSON. */
  readonly model: string;
}

/** Describes what entry points export. @param entries The declaration files, as paths. */
export function entryModels(entries: readonly string[]): readonly EntryModel[] {
  return extracted(entries, (config, compilerState) => {
    reportOf(config, compilerState);
    const entry = basename(config.mainEntryPointFilePath, '.d.ts');
    return { entry, model: readFileSync(config.apiJsonFilePath, 'utf8') };
  });
}

function extracted<Found>(
  entries: readonly string[],
  find: (config: ExtractorConfig, compilerState: CompilerState) => Found,
): readonly Found[] {
  const folder = mkdtempSync(join(tmpdir(), 'parley-api-'));
  try {
    const configs = entries.map((entry) => configOf(entry, folder));
    const [first] = configs;
    if (first === undefined) return [];
    // One program of the compiler serves every entry point.
    const compilerState = CompilerState.create(first, { additionalEntryPoints: [...entries] });
    return configs.map((config) => find(config, compilerState));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function configOf(entry: string, folder: string): ExtractorConfig {
  const name = basename(entry, '.d.ts');
  const reports = join(folder, name);
  mkdirSync(reports);
  return ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'packages/parley/package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: entry,
      newlineKind: 'lf',
      compiler: {
        overrideTsconfig: {
          compilerOptions: {
            target: 'es2023',
            lib: ['es2023', 'dom', 'dom.iterable'],
            module: 'nodenext',
            moduleResolution: 'nodenext',
            allowImportingTsExtensions: true,
            noEmit: true,
            strict: true,
            skipLibCheck: true,
            types: ['node'],
          },
          files: [entry],
        },
      },
      apiReport: { enabled: true, reportFolder: reports, reportTempFolder: reports, reportFileName: name },
      docModel: { enabled: true, apiJsonFilePath: join(reports, 'model.json') },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: none },
        extractorMessageReporting: {
          default: none,
          'ae-forgotten-export': told,
        },
        tsdocMessageReporting: { default: none },
      },
    },
  });
}

function reportOf(config: ExtractorConfig, compilerState: CompilerState): ApiReport {
  const forgotten = new Set<string>();
  Extractor.invoke(config, {
    localBuild: true,
    compilerState,
    messageCallback(message) {
      if (message.messageId === 'ae-forgotten-export') forgotten.add(nameIn(message));
      else if (message.logLevel === 'error') throw new Error(message.formatMessageWithLocation(root));
      message.handled = true;
    },
  });
  const text = readFileSync(config.reportFilePath, 'utf8');
  return {
    file: basename(config.reportFilePath),
    text,
    exported: namesIn(text, /^export /),
    forgotten: [...forgotten].toSorted(),
    undocumented: namesIn(text, /^\/\/ \(undocumented\)\nexport /),
  };
}

/** The names that a report declares where it says so. */
function namesIn(text: string, where: RegExp): readonly string[] {
  const declared = /(?:abstract )?(?:interface|type|class|function|const) (\w+)/;
  const pattern = new RegExp(where.source + declared.source, 'gm');
  return [...text.matchAll(pattern)].map(([, name]) => name ?? '').toSorted();
}

/** The name that a message is about: it stands in quotes in its text. */
function nameIn({ text }: ExtractorMessage): string {
  return /"([^"]+)"/.exec(text)?.[1] ?? text;
}
