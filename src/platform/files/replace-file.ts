import { randomUUID } from 'node:crypto'
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type ConfinedFolder, inFolder, locate, makeFolders, parentOf } from './confined-folder.ts'
import { FileError } from './file-error.ts'

type Replacing = {
  /** Writes all that the file will hold. */
  fill: (draft: FileHandle) => Promise<unknown>
  /** Whether a file that is there is replaced; refused otherwise. */
  replace?: boolean
}

/**
 * Writes the whole file, making it and its folders when they are missing. A file that was there is replaced at once or,
 * when writing fails, not at all. @returns whether it was made.
 */
export async function replaceFile(
  confined: ConfinedFolder,
  path: string,
  { fill, replace = true }: Replacing,
): Promise<{ made: boolean }> {
  const target = await locate(confined, path)
  await makeFolders(confined, parentOf(confined, target))
  return inFolder(confined, dirname(target), async (folder) => {
    const whole = join(folder, basename(target))
    const old = await lstat(whole).catch(() => undefined)
    if (old && !old.isFile()) {
      throw old.isDirectory()
        ? new FileError('conflict', 'is a folder')
        : new FileError('invalid', 'is not a regular file')
    }
    if (old && !replace) throw new FileError('conflict', 'exists already')
    const draft = join(folder, `.${randomUUID()}.draft`)
    try {
      await using file = await open(draft, 'wx', old ? old.mode & 0o7777 : 0o666)
      await fill(file)
      if (old) await file.chmod(old.mode & 0o7777)
      if (replace) await rename(draft, whole)
      else await link(draft, whole)
    } finally {
      await rm(draft, { force: true })
    }
    return { made: !old }
  })
}
