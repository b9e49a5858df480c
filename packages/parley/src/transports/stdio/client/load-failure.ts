/** Texts of runtimes for a program, or a part of it, that cannot be loaded: each is a name or a sentence of the runtime. */
const loadFailures =
  /\b(?:ERR_)?MODULE_NOT_FOUND\b|\bERR_(?:UNKNOWN_FILE_EXTENSION|PACKAGE_PATH_NOT_EXPORTED)\b|\bat (?:wrapSafe|compileSourceTextModule) \(|^ModuleNotFoundError: |: can't open file '|: No module named |^Error: Unable to access jarfile |^Error: Could not find or load main class |^npm (?:error|ERR!) code E/m;

/** Exit codes of a shell for a command that it cannot run, or does not find. */
const shellCodes: ReadonlySet<number | null> = new Set([126, 127]);

/**
 * Tells whether a program ended because it could not be loaded, whatever it was asked: to start it again would end alike.
 * Other ends prove nothing. Some servers end at a method that they do not know.
 *
 * @param stderr The last text that it wrote there.
 */
export function isLoadFailure(code: number | null, stderr: string): boolean {
  return code !== 0 && (shellCodes.has(code) || (code !== null && loadFailures.test(stderr)));
}
