import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { FileError } from './file-error.ts'

/**
 * A folder that file operations cannot leave. Paths are resolved through symbolic links and must end inside. Files are then opened
 * relative to the descriptor of their folder, whose location is checked again. So a folder that is replaced by a link meanwhile
 * has no effect.
 */
export type ConfinedFolder = {
  /** The real path of the folder, without links. */
  root: string
  /** The path with which the folder was opened. Absolute paths below it are accepted too. */
  originalPath: string
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const descriptors = '/proc/self/fd'
/** False on systems other than Linux. Without it, a folder that is replaced meanwhile is not detected. */
export const hasDescriptors = existsSync(descriptors)

export async function openConfined(path: string): Promise<ConfinedFolder> {
  return { root: await realpath(path), originalPath: resolve(path) }
}

/** Calls `act` with a path of the folder that stays valid if the folder is moved or replaced. */
export async function withFolder<T>(
  confined: ConfinedFolder,
  folder: string,
  act: (folder: string, handle: FileHandle) => Promise<T>,
): Promise<T> {
  await using handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  if (!hasDescriptors) return await act(folder, handle)
  const name = descriptorPath(handle.fd)
  requireInside(confined, await readlink(name))
  return await act(name, handle)
}

/** Like `withFolder`, for a subfolder of an open folder. A link is not followed. */
export async function withSubfolder<T>(
  folder: string,
  name: Buffer,
  act: (folder: string, handle: FileHandle) => Promise<T>,
): Promise<T> {
  const path = entryPath(folder, name)
  await using handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  return await act(hasDescriptors ? descriptorPath(handle.fd) : path.toString(), handle)
}

/** A path of an open file or folder, which stays valid if it is moved or replaced. */
export const descriptorPath = (fd: number) => `${descriptors}/${fd}`

/** The path of an entry of a folder. Its name can be any bytes. */
export function entryPath(folder: string, name: Buffer | string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), typeof name === 'string' ? Buffer.from(name) : name])
}

/** Opens a regular file for reading, after links are resolved. @param openEntry opens it by its path in its open folder. */
export async function openFile(confined: ConfinedFolder, path: string, openEntry = openRegular): Promise<FileHandle> {
  const target = await locateTarget(confined, path)
  return withFolder(confined, parentOf(confined, target), (folder) => openEntry(entryPath(folder, basename(target))))
}

/** Opens a regular file of an open folder. A link is not followed. */
async function openRegular(path: Buffer): Promise<FileHandle> {
  // Opening a pipe without a writer must not block.
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stats = await file.stat()
  if (stats.isFile()) return file
  await file.close()
  throw stats.isDirectory()
    ? new FileError('conflict', 'is a folder')
    : new FileError('invalid', 'is not a regular file')
}

/**
 * Opens a regular file that has only one name, because another name (hard link) could be outside of the workspace. Also checks that
 * the path still leads to the opened file: otherwise a file with two names passes if this name is removed after it was opened.
 */
export async function openWithoutHardLinks(path: Buffer): Promise<FileHandle> {
  const file = await openRegular(path)
  try {
    const opened = await file.stat()
    const named = await lstat(path)
    if (named.nlink > 1) {
      const reason = 'has other names (hard links), which can be outside of the workspace: copy it first'
      throw new FileError('outside', reason)
    }
    if (named.ino !== opened.ino || named.dev !== opened.dev) throw new FileError('conflict', 'is being replaced')
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** The folder of an entry. @throws FileError for the confined folder itself. */
export function parentOf(confined: ConfinedFolder, target: string): string {
  if (target === confined.root) throw new FileError('conflict', 'is a folder')
  return dirname(target)
}

/** Creates a folder and its parents, if missing. @returns the number of created folders. */
export async function makeFolders(confined: ConfinedFolder, folder: string): Promise<number> {
  let current = confined.root
  let createdCount = 0
  for (const part of relative(confined.root, folder).split(sep).filter(Boolean)) {
    await withFolder(confined, current, (name) =>
      mkdir(join(name, part)).then(
        () => (createdCount += 1),
        (error) => {
          if (error.code !== 'EEXIST') throw error
        },
      ),
    )
    current = join(current, part)
  }
  return createdCount
}

/** @returns the real path of a name, which need not exist. */
export async function locateTarget(confined: ConfinedFolder, path: string): Promise<string> {
  const real = await resolveReal(toAbsolute(confined, path))
  requireInside(confined, real)
  return real
}

/** Like `locate`, without following the entry itself if it is a link. */
export async function locateEntry(confined: ConfinedFolder, path: string): Promise<{ parent: string; name: string }> {
  const absolute = toAbsolute(confined, path)
  if (absolute === confined.root) throw new FileError('invalid', 'is the workspace itself')
  return { parent: await locateTarget(confined, dirname(absolute)), name: basename(absolute) }
}

function toAbsolute(confined: ConfinedFolder, path: string): string {
  const isInOriginal = isAbsolute(path) && isWithin(confined.originalPath, path)
  const absolute = resolve(confined.root, isInOriginal ? relative(confined.originalPath, path) : path)
  requireInside(confined, absolute)
  return absolute
}

async function resolveReal(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (await lstat(path).catch(() => undefined)) throw new FileError('outside', 'is a symbolic link to nothing')
    return join(await resolveReal(dirname(path)), basename(path))
  }
}

export function requireInside(confined: ConfinedFolder, path: string): void {
  if (!isWithin(confined.root, path)) throw new FileError('outside', 'is outside the workspace')
}

function isWithin(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path)
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder)
}
