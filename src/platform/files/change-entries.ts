import { lstat, rename } from 'node:fs/promises'
import {
  type ConfinedFolder,
  entryPath,
  locateEntry,
  locateTarget,
  makeFolders,
  withFolder,
} from './confined-folder.ts'
import { FileError } from './file-error.ts'

/** Creates a folder and its missing parents. @returns whether it was created, and the number of created folders. */
export async function makeFolder(
  confined: ConfinedFolder,
  path: string,
): Promise<{ made: boolean; createdCount: number }> {
  const target = await locateTarget(confined, path)
  const existing = await lstat(target).catch(() => undefined)
  if (existing && !existing.isDirectory()) throw new FileError('conflict', 'already exists, and is not a folder')
  const createdCount = await makeFolders(confined, target)
  return { made: existing === undefined, createdCount }
}

/** Renames an entry, within its folder or to another one. A link is not followed. */
export async function renameEntry(
  confined: ConfinedFolder,
  { from, to, replace }: { from: string; to: string; replace: boolean },
): Promise<void> {
  const source = await locateEntry(confined, from)
  const target = await locateEntry(confined, to)
  await withFolder(confined, source.parent, (sourceFolder) =>
    withFolder(confined, target.parent, async (targetFolder) => {
      const oldPath = entryPath(sourceFolder, source.name)
      const newPath = entryPath(targetFolder, target.name)
      const entry = await lstat(oldPath)
      const existing = await lstat(newPath).catch(() => undefined)
      // Hard links to one file: `rename` does nothing, so nothing would be replaced.
      const isSame = existing?.ino === entry.ino && existing.dev === entry.dev
      if (existing && !isSame && !replace) throw new FileError('conflict', 'cannot be moved: the new name is taken')
      await rename(oldPath, newPath)
    }),
  )
}
