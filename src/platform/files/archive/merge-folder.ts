import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConfinedFolder, entryPath, withFolder } from '../confined-folder.ts'
import { describeFileError, FileError } from '../file-error.ts'
import { readNames } from '../list-folder.ts'

/**
 * Moves the entries of one folder into another, within the confined folder. Files replace files, folders are merged. `check` only
 * checks whether that is possible. @throws FileError naming the conflicting entry.
 */
export async function mergeFolder(
  confined: ConfinedFolder,
  { from, to }: { from: string; to: string },
  mode: 'check' | 'move',
): Promise<void> {
  const commonFolders: string[] = []
  await withFolder(confined, join(confined.root, from), (source) =>
    withFolder(confined, join(confined.root, to), async (target) => {
      for await (const name of readNames(source)) {
        const sourcePath = entryPath(source, name)
        const targetPath = entryPath(target, name)
        const entry = await lstat(sourcePath)
        const existing = await lstat(targetPath).catch(() => undefined)
        if (entry.isDirectory() && existing?.isDirectory()) commonFolders.push(name.toString())
        else if (existing && (entry.isDirectory() || existing.isDirectory())) {
          throw describeFileError(
            join(to, name.toString()),
            new FileError('conflict', conflictText(entry.isDirectory())),
          )
        } else if (mode === 'move') await rename(sourcePath, targetPath)
      }
    }),
  )
  for (const name of commonFolders) await mergeFolder(confined, { from: join(from, name), to: join(to, name) }, mode)
}

const conflictText = (isFolder: boolean) =>
  isFolder
    ? 'is a folder in the archive, but not in the workspace'
    : 'is a folder in the workspace, but not in the archive'
