import { posix } from 'node:path'
import { matchesParts } from '#platform/text/wildcards.ts'
import { matchesGlob } from './glob.ts'

/**
 * Whether a path matches a glob. `*` matches within one name, `**` any folders; `dir/**` includes the folder itself. A glob
 * without `/` at its start is relative to the workspace. Both are lists of names.
 */
export function matchesPath(glob: string[], path: string[]): boolean {
  return matchesParts(glob, path, {
    isWildcard: (part) => part === '**',
    matchesItem: matchesGlob,
  })
}

/** Folds case and accents, because some file systems treat such names as equal. */
export const foldPath = (path: string) => path.normalize('NFC').toLowerCase()

/** Resolves a path in `folder`. @returns the path relative to `root` if it is inside `root`, otherwise the absolute path. */
export function resolveFromRoot(root: string, path: string, folder = root): string {
  const whole = posix.resolve(folder, path)
  if (whole === root) return '.'
  return root !== '/' && whole.startsWith(`${root}/`) ? whole.slice(root.length + 1) : whole
}
