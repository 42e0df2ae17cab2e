import { randomUUID } from 'node:crypto'
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type ConfinedFolder, locateTarget, makeFolders, parentOf, withFolder } from './confined-folder.ts'
import { FileError } from './file-error.ts'

type ReplaceOptions = {
  /** Writes the content of the file. */
  writeContent: (temporary: FileHandle) => Promise<unknown>
  /** Whether an existing file is replaced. Otherwise it is an error. */
  replace?: boolean
  /** The permissions of a new file; defaults to those of the umask. */
  mode?: number | undefined
}

/**
 * Writes a file, and creates it and its folders if they are missing. An existing file is replaced atomically. @returns whether the
 * file was created.
 */
export async function replaceFile(
  confined: ConfinedFolder,
  path: string,
  { writeContent, replace = true, mode: newFileMode }: ReplaceOptions,
): Promise<{ made: boolean }> {
  const target = await locateTarget(confined, path)
  await makeFolders(confined, parentOf(confined, target))
  return withFolder(confined, dirname(target), async (folder) => {
    const targetPath = join(folder, basename(target))
    const existing = await lstat(targetPath).catch(() => undefined)
    if (existing && !existing.isFile()) {
      throw existing.isDirectory()
        ? new FileError('conflict', 'is a folder')
        : new FileError('invalid', 'is not a regular file')
    }
    if (existing && !replace) throw new FileError('conflict', 'exists already')
    const mode = existing ? existing.mode & 0o7777 : newFileMode
    const temporary = join(folder, `.${randomUUID()}.draft`)
    try {
      await using file = await open(temporary, 'wx', mode ?? 0o666)
      await writeContent(file)
      // Sets the mode again, because `open` has removed the bits of the umask.
      if (mode !== undefined) await file.chmod(mode)
      if (replace) await rename(temporary, targetPath)
      // Fails if the file was created meanwhile, which `rename` would replace.
      else await link(temporary, targetPath)
    } finally {
      await rm(temporary, { force: true })
    }
    return { made: !existing }
  })
}
