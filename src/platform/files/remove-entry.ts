import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, rename, rmdir, unlink } from 'node:fs/promises'
import { type ConfinedFolder, entryPath, locateEntry, withFolder, withSubfolder } from './confined-folder.ts'
import { FileError } from './file-error.ts'
import { readNames } from './list-folder.ts'

/** The limit of rounds over a folder in which new files appear. */
const maxRounds = 100

/** Deletes a file, a link (not its target), or a folder. A folder with entries is deleted only if `recursive` is set. */
export async function removeEntry(
  confined: ConfinedFolder,
  path: string,
  { recursive }: { recursive: boolean },
): Promise<void> {
  const { parent, name } = await locateEntry(confined, path)
  await withFolder(confined, parent, async (folder) => {
    const entry = entryPath(folder, name)
    if (!(await lstat(entry)).isDirectory()) return unlink(entry)
    if (recursive) await withSubfolder(folder, Buffer.from(name), emptyFolder)
    await rmdir(entry)
  })
}

/**
 * Empties a folder of any depth, with few open folders: moves the entries of its subfolders up into it first. So no path gets too
 * long, and no path is resolved twice: a link that replaces a folder meanwhile is deleted itself.
 */
async function emptyFolder(folder: string, handle: FileHandle): Promise<void> {
  await makeWritable(handle)
  for (let round = 0; round < maxRounds; round++) {
    let hasEntries = false
    for await (const name of readNames(folder)) {
      hasEntries = true
      await ignoreChanged(() => removeOne(folder, name))
    }
    if (!hasEntries) return
  }
  throw new FileError('conflict', 'cannot be emptied: new files appear all the time')
}

async function removeOne(folder: string, name: Buffer): Promise<void> {
  const entry = entryPath(folder, name)
  if (!(await lstat(entry)).isDirectory()) return unlink(entry)
  if (await removeIfEmpty(entry)) return
  await withSubfolder(folder, name, async (inner, handle) => {
    await makeWritable(handle)
    for await (const innerName of readNames(inner)) {
      await ignoreChanged(() => removeOrMoveUp(folder, inner, innerName))
    }
  })
  await removeIfEmpty(entry)
}

async function removeOrMoveUp(folder: string, inner: string, name: Buffer): Promise<void> {
  const entry = entryPath(inner, name)
  if (!(await lstat(entry)).isDirectory()) return unlink(entry)
  if (await removeIfEmpty(entry)) return
  // Moving a folder changes its `..` entry, so the folder itself must be writable.
  await withSubfolder(inner, name, (_, handle) => makeWritable(handle))
  await rename(entry, entryPath(folder, `.${randomUUID()}`))
}

/** Removes a folder, unless it has entries. @returns whether it was removed. */
async function removeIfEmpty(folder: Buffer): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return false
    throw error
  }
}

async function makeWritable(handle: FileHandle): Promise<void> {
  const { mode } = await handle.stat()
  if ((mode & 0o700) !== 0o700) await handle.chmod(0o700)
}

/** Ignores entries that were deleted or replaced meanwhile. The next round checks again. */
async function ignoreChanged(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(code)) throw error
  }
}
