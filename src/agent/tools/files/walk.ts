import { basename, dirname, isAbsolute, join, matchesGlob, relative, sep } from 'node:path'
import { locateTarget } from '#platform/files/confined-folder.ts'
import { describeFileError, withFilePath } from '#platform/files/file-error.ts'
import { OpenFolder } from '#platform/files/open-folder.ts'
import { type Exclusion, IgnoreRules } from '../ignore/ignore-rules.ts'
import { type Entry, isFile, sortEntries, type Workspace } from './workspace.ts'

/** Folders of generated files, which are ignored even if no `.gitignore` names them. */
const generatedFolders = new Set(['node_modules', '__pycache__', '.venv', '.next', '.cache'])

/** An entry of a walk. An `excluded` folder is yielded, but its entries are not. */
export type WalkEntry = Entry & { path: string; depth: number; exclusion: Exclusion | undefined; folder: OpenFolder }

type WalkOptions = {
  /** How many levels of folders are opened. */
  maxDepth: number
  /** Whether to walk hidden entries, whose name starts with a dot. `.git` is always skipped. */
  includeHidden?: boolean
  /** Whether to walk ignored and hidden entries, except `.git`. */
  includeAll?: boolean
}

/** Returns whether a path matches a glob. A glob without a folder matches names at any depth. */
export const matchesPath = (path: string, glob: string) =>
  matchesGlob(path, glob.replace(/^(\.\/)+/, '')) || (!glob.includes('/') && matchesGlob(basename(path), glob))

/**
 * Yields all entries below a folder, depth first and sorted by name, or a file itself. Skips unreadable folders. The
 * ignore rules do not exclude `from` itself, because the caller named it.
 */
export async function openWalk(workspace: Workspace, from: string, options: WalkOptions): Promise<Iterable<WalkEntry>> {
  const real = await withFilePath(from, () => locateTarget(workspace, from))
  // Globs are relative to the workspace, so the paths of the entries must be relative too.
  const path = isAbsolute(from) ? relative(workspace.root, real) || '.' : from
  if (await isFile(workspace, from)) return walkFile(workspace, join(path), real)
  return walk(workspace, path, real, options)
}

function* walkFile(workspace: Workspace, path: string, real: string): Generator<WalkEntry> {
  using folder = OpenFolder.open(workspace, dirname(real))
  yield { name: basename(real), kind: 'file', path, depth: 1, exclusion: undefined, folder }
}

function* walk(workspace: Workspace, from: string, real: string, options: WalkOptions): Generator<WalkEntry> {
  const names = relative(workspace.root, real).split(sep).filter(Boolean)
  try {
    using folder = OpenFolder.open(workspace, real)
    const entries = sortEntries(folder.entries())
    yield* walkLevel(
      { folder, entries, path: from, names, rules: ignoreRulesAbove(workspace, names), depth: 1 },
      options,
    )
  } catch (error) {
    throw describeFileError(from, error)
  }
}

/**
 * Returns the ignore rules of a folder's parents. If the rules ignore a folder on this path, all rules collected above it are
 * dropped, because the caller named the path.
 */
function ignoreRulesAbove(workspace: Workspace, names: string[]): IgnoreRules {
  let rules = IgnoreRules.none
  for (let depth = 0; depth < names.length; depth++) {
    using folder = OpenFolder.open(workspace, join(workspace.root, ...names.slice(0, depth)))
    rules = rules.enter(folder, folder.entries(), depth)
    const isFolder = true
    if (rules.findExclusion(names.slice(0, depth + 1), isFolder) === 'ignored') rules = IgnoreRules.none
  }
  return rules
}

type Level = { folder: OpenFolder; entries: Entry[]; path: string; names: string[]; rules: IgnoreRules; depth: number }

function* walkLevel(
  { folder, entries, path, names, rules: above, depth }: Level,
  options: WalkOptions,
): Generator<WalkEntry> {
  const rules = above.enter(folder, entries, names.length)
  for (const entry of entries) {
    const entryPath = { path: join(path, entry.name), names: [...names, entry.name] }
    const exclusion = findExclusion(entry, entryPath.names, rules, options)
    yield { ...entry, path: entryPath.path, depth, exclusion, folder }
    if (entry.kind !== 'folder' || exclusion || depth >= options.maxDepth) continue
    const opened = openSubfolder(folder, entry.name)
    if (!opened) continue
    using subfolder = opened.folder
    yield* walkLevel({ folder: subfolder, entries: opened.entries, ...entryPath, rules, depth: depth + 1 }, options)
  }
}

function findExclusion(entry: Entry, names: string[], rules: IgnoreRules, { includeAll, includeHidden }: WalkOptions) {
  if (entry.name === '.git') return 'hidden'
  if (includeAll) return undefined
  if (entry.kind === 'folder' && generatedFolders.has(entry.name)) return 'ignored'
  const excluded = rules.findExclusion(names, entry.kind === 'folder')
  return includeHidden && excluded === 'hidden' ? undefined : excluded
}

function openSubfolder(folder: OpenFolder, name: string): { folder: OpenFolder; entries: Entry[] } | undefined {
  let opened: OpenFolder | undefined
  try {
    opened = folder.openSubfolder(name)
    return { folder: opened, entries: sortEntries(opened.entries()) }
  } catch {
    opened?.[Symbol.dispose]()
    return undefined
  }
}
