import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { FileError } from './file-error.ts'

/**
 * A folder no file operation leaves. Names are resolved through symbolic links and must end inside; what is then opened
 * is opened under the descriptor of its own folder, whose place is checked once more, so a folder that is swapped for
 * a link in between gains nothing.
 */
export type ConfinedFolder = { root: string; given: string }

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const held = '/proc/self/fd'
const canHold = existsSync(held)

export async function openConfined(path: string): Promise<ConfinedFolder> {
  return { root: await realpath(path), given: resolve(path) }
}

/** Gives `act` a name for the folder that holds even when the folder is moved or replaced meanwhile. */
export async function inFolder<T>(
  confined: ConfinedFolder,
  folder: string,
  act: (folder: string, handle: FileHandle) => Promise<T>,
): Promise<T> {
  await using handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  if (!canHold) return await act(folder, handle)
  const name = heldName(handle)
  mustBeInside(confined, await readlink(name))
  return await act(name, handle)
}

/** A folder within one that is held: a link in its place is not followed. */
export async function inFolderOf<T>(
  folder: string,
  name: Buffer,
  act: (folder: string, handle: FileHandle) => Promise<T>,
): Promise<T> {
  const path = within(folder, name)
  await using handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return await act(canHold ? heldName(handle) : path.toString(), handle)
}

const heldName = (handle: FileHandle) => `${held}/${handle.fd}`

/** What an entry of a folder is called, whatever bytes its name has. */
export function within(folder: string, name: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), typeof name === 'string' ? Buffer.from(name) : name])
}

/** A regular file, opened to be read. */
export async function openFile(confined: ConfinedFolder, path: string, open = openRegular): Promise<FileHandle> {
  const target = await locate(confined, path)
  return inFolder(confined, parentOf(confined, target), (folder) => open(within(folder, basename(target))))
}

/** The same of an entry of a folder that is held. A link is not followed. */
export async function openRegular(path: Buffer): Promise<FileHandle> {
  // A pipe that nobody writes to must not hold us up.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const found = await file.stat()
  if (found.isFile()) return file
  await file.close()
  throw found.isDirectory()
    ? new FileError('conflict', 'is a folder')
    : new FileError('invalid', 'is not a regular file')
}

/**
 * The same of a file that has no other name: nobody can tell where the other names of one are, perhaps outside. That it
 * has one name does not do: the name by which it was opened may have been taken from it since.
 */
export async function openAlone(path: Buffer): Promise<FileHandle> {
  const file = await openRegular(path)
  try {
    const [opened, named] = [await file.stat(), await lstat(path)]
    if (named.nlink > 1) {
      const why = 'has other names (hard links), which may lie outside the workspace: copy it first'
      throw new FileError('outside', why)
    }
    if (named.ino !== opened.ino || named.dev !== opened.dev) throw new FileError('conflict', 'is being replaced')
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The folder of an entry, which the confined folder itself is not. */
export function parentOf(confined: ConfinedFolder, target: string): string {
  if (target === confined.root) throw new FileError('conflict', 'is a folder')
  return dirname(target)
}

/** Makes a folder, and those that it lies in, where they are missing. @returns how many were. */
export async function makeFolders(confined: ConfinedFolder, folder: string): Promise<number> {
  let current = confined.root
  let made = 0
  for (const part of relative(confined.root, folder).split(sep).filter(Boolean)) {
    await inFolder(confined, current, (name) =>
      mkdir(join(name, part)).then(
        () => (made += 1),
        (error) => {
          if (error.code !== 'EEXIST') throw error
        },
      ),
    )
    current = join(current, part)
  }
  return made
}

/** @returns the real path a name stands for, whether or not something is there yet. */
export async function locate(confined: ConfinedFolder, path: string): Promise<string> {
  const real = await realOf(absoluteOf(confined, path))
  mustBeInside(confined, real)
  return real
}

/** The same of an entry itself: where it is a link, it is the link that is meant. */
export async function locateEntry(confined: ConfinedFolder, path: string): Promise<{ parent: string; name: string }> {
  const absolute = absoluteOf(confined, path)
  if (absolute === confined.root) throw new FileError('invalid', 'is the workspace itself')
  return { parent: await locate(confined, dirname(absolute)), name: basename(absolute) }
}

function absoluteOf(confined: ConfinedFolder, path: string): string {
  const inGiven = isAbsolute(path) && isWithin(confined.given, path)
  const absolute = resolve(confined.root, inGiven ? relative(confined.given, path) : path)
  mustBeInside(confined, absolute)
  return absolute
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (await lstat(path).catch(() => undefined)) throw new FileError('outside', 'is a symbolic link to nothing')
    return join(await realOf(dirname(path)), basename(path))
  }
}

export function mustBeInside(confined: ConfinedFolder, path: string): void {
  if (!isWithin(confined.root, path)) throw new FileError('outside', 'is outside the workspace')
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
