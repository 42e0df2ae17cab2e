import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, rename, rmdir, unlink } from 'node:fs/promises'
import { type ConfinedFolder, inFolder, inFolderOf, locateEntry, within } from './confined-folder.ts'
import { FileError } from './file-error.ts'
import { namesIn } from './list-folder.ts'

/** Rounds over a folder in which somebody else keeps making files. */
const mostRounds = 100

/** Deletes a file, a link itself, or a folder: one that is not empty only if that is wanted. */
export async function removeEntry(confined: ConfinedFolder, path: string, recursive: boolean): Promise<void> {
  const { parent, name } = await locateEntry(confined, path)
  await inFolder(confined, parent, async (folder) => {
    const entry = within(folder, name)
    if (!(await lstat(entry)).isDirectory()) return unlink(entry)
    if (recursive) await inFolderOf(folder, Buffer.from(name), emptyFolder)
    await rmdir(entry)
  })
}

/**
 * Empties a folder of any depth and with any names while no more than two are open: what lies in its folders is moved up
 * into it first. No path gets too long in this way, and none is followed twice, so a link that is put in the place of a
 * folder meanwhile is itself what goes.
 */
async function emptyFolder(folder: string, handle: FileHandle): Promise<void> {
  await makeWritable(handle)
  for (let round = 0; round < mostRounds; round++) {
    let found = false
    for await (const name of namesIn(folder)) {
      found = true
      await ifThere(() => removeOne(folder, name))
    }
    if (!found) return
  }
  throw new FileError('conflict', 'cannot be emptied: new files come all the time')
}

async function removeOne(folder: string, name: Buffer): Promise<void> {
  const entry = within(folder, name)
  if (!(await lstat(entry)).isDirectory()) return unlink(entry)
  if (await isRemoved(entry)) return
  await inFolderOf(folder, name, async (inner, handle) => {
    await makeWritable(handle)
    for await (const innerName of namesIn(inner)) {
      await ifThere(() => removeOrLift(folder, inner, innerName))
    }
  })
  await isRemoved(entry)
}

async function removeOrLift(folder: string, inner: string, name: Buffer): Promise<void> {
  const entry = within(inner, name)
  if (!(await lstat(entry)).isDirectory()) return unlink(entry)
  if (await isRemoved(entry)) return
  // The kernel changes a folder that gets another parent, so it must be writable itself.
  await inFolderOf(inner, name, (_, handle) => makeWritable(handle))
  await rename(entry, within(folder, `.${randomUUID()}`))
}

/** @returns false for a folder that is not empty. */
async function isRemoved(folder: Buffer): Promise<boolean> {
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

/** Somebody else may have been quicker, or have put something else there: the next round looks again. */
async function ifThere(act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'].includes(code)) throw error
  }
}
