import { lstat, rename } from 'node:fs/promises'
import { type ConfinedFolder, inFolder, locate, locateEntry, makeFolders, within } from './confined-folder.ts'
import { FileError } from './file-error.ts'

/** Makes a folder, and those that it lies in. @returns whether it was not there yet, and how many were not in all. */
export async function makeFolder(confined: ConfinedFolder, path: string): Promise<{ made: boolean; folders: number }> {
  const target = await locate(confined, path)
  const before = await lstat(target).catch(() => undefined)
  if (before && !before.isDirectory()) throw new FileError('conflict', 'exists already, and is not a folder')
  const folders = await makeFolders(confined, target)
  return { made: before === undefined, folders }
}

/** Gives an entry another name, in the same folder or another. A link is moved itself. */
export async function renameEntry(
  confined: ConfinedFolder,
  { from, to, replace }: { from: string; to: string; replace: boolean },
): Promise<void> {
  const source = await locateEntry(confined, from)
  const target = await locateEntry(confined, to)
  await inFolder(confined, source.parent, (left) =>
    inFolder(confined, target.parent, async (right) => {
      const [old, fresh] = [within(left, source.name), within(right, target.name)]
      const found = await lstat(old)
      const there = await lstat(fresh).catch(() => undefined)
      const isSame = there?.ino === found.ino && there.dev === found.dev
      if (there && !isSame && !replace) throw new FileError('conflict', 'cannot be moved there: that name is taken')
      await rename(old, fresh)
    }),
  )
}
