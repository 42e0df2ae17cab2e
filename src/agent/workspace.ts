import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/**
 * A folder no file operation leaves. Names are resolved through symbolic links and must end inside; what is then opened
 * is opened under the descriptor of its own folder, whose place is checked once more, so a folder that is swapped for
 * a link in between gains nothing.
 */
export type Workspace = { root: string; given: string }

export type Entry = { name: string; kind: 'file' | 'folder' | 'link' | 'other' }

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const held = '/proc/self/fd'
const canHold = existsSync(held)

export async function openWorkspace(path: string): Promise<Workspace> {
  return { root: await realpath(path), given: resolve(path) }
}

/** @returns at most `limit` bytes of a regular file, and its whole size. */
export async function readBytes(
  workspace: Workspace,
  path: string,
  limit: number,
): Promise<{ bytes: Buffer; size: number }> {
  return aboutFile(path, async () => {
    await using file = await openFile(workspace, path)
    const { size } = await file.stat()
    const bytes = Buffer.alloc(Math.min(size, limit))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    return { bytes: bytes.subarray(0, bytesRead), size }
  })
}

/** Whether this is the name of a readable file. */
export function isFile(workspace: Workspace, path: string): Promise<boolean> {
  return readBytes(workspace, path, 0).then(
    () => true,
    () => false,
  )
}

/**
 * Writes the whole file, making it and its folders when they are missing. A file that was there is replaced at once or,
 * when writing fails, not at all. @returns whether it was made.
 */
export async function writeText(workspace: Workspace, path: string, text: string): Promise<{ made: boolean }> {
  return aboutFile(path, async () => {
    const target = await locate(workspace, path)
    await makeFolders(workspace, parentOf(workspace, target))
    return inFolder(workspace, dirname(target), (folder) => replaceFile(folder, basename(target), text))
  })
}

async function replaceFile(folder: string, name: string, text: string): Promise<{ made: boolean }> {
  const old = await lstat(join(folder, name)).catch(() => undefined)
  if (old && !old.isFile()) throw new Error(old.isDirectory() ? 'is a folder' : 'is not a regular file')
  const draft = join(folder, `.${randomUUID()}.draft`)
  try {
    await writeFile(draft, text, { flag: 'wx', mode: old ? old.mode & 0o7777 : 0o666 })
    if (old) await chmod(draft, old.mode & 0o7777)
    await rename(draft, join(folder, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  return { made: !old }
}

/** Removes a file. */
export async function removeFile(workspace: Workspace, path: string): Promise<void> {
  return aboutFile(path, async () => {
    const target = await locate(workspace, path)
    await inFolder(workspace, parentOf(workspace, target), (folder) => unlink(join(folder, basename(target))))
  })
}

/** The entries of a folder by name; links are named, never followed. */
export async function entriesOf(workspace: Workspace, path: string): Promise<Entry[]> {
  return aboutFile(path, async () => {
    const found = await inFolder(workspace, await locate(workspace, path), (folder) =>
      readdir(folder, { withFileTypes: true }),
    )
    const kindOf = (entry: (typeof found)[number]) =>
      entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'
    return found
      .map((entry): Entry => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  })
}

async function openFile(workspace: Workspace, path: string): Promise<FileHandle> {
  const target = await locate(workspace, path)
  const file = await inFolder(workspace, parentOf(workspace, target), (folder) =>
    // A pipe that nobody writes to must not hold us up.
    open(join(folder, basename(target)), O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
  )
  const found = await file.stat()
  if (found.isFile()) return file
  await file.close()
  throw new Error(found.isDirectory() ? 'is a folder' : 'is not a regular file')
}

function parentOf(workspace: Workspace, target: string): string {
  if (target === workspace.root) throw new Error('is a folder')
  return dirname(target)
}

/** Gives `act` a name for the folder that holds even when the folder is moved or replaced meanwhile. */
async function inFolder<T>(workspace: Workspace, folder: string, act: (folder: string) => Promise<T>): Promise<T> {
  await using handle = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  if (!canHold) return await act(folder)
  const name = `${held}/${handle.fd}`
  mustBeInside(workspace, await readlink(name))
  return await act(name)
}

async function makeFolders(workspace: Workspace, folder: string): Promise<void> {
  let current = workspace.root
  for (const part of relative(workspace.root, folder).split(sep).filter(Boolean)) {
    await inFolder(workspace, current, (name) =>
      mkdir(join(name, part)).catch((error) => {
        if (error.code !== 'EEXIST') throw error
      }),
    )
    current = join(current, part)
  }
}

/** @returns the real path a name stands for, whether or not something is there yet. */
async function locate(workspace: Workspace, path: string): Promise<string> {
  const inGiven = isAbsolute(path) && isWithin(workspace.given, path)
  const absolute = resolve(workspace.root, inGiven ? relative(workspace.given, path) : path)
  mustBeInside(workspace, absolute)
  const real = await realOf(absolute)
  mustBeInside(workspace, real)
  return real
}

async function realOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    if (await lstat(path).catch(() => undefined)) throw new Error('is a symbolic link to nothing')
    return join(await realOf(dirname(path)), basename(path))
  }
}

function mustBeInside(workspace: Workspace, path: string): void {
  if (!isWithin(workspace.root, path)) throw new Error('is outside the workspace')
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const errorTexts: Record<string, string> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder, or lies under something that is none',
  ELOOP: 'is a symbolic link that cannot be followed',
  EACCES: 'may not be accessed',
  EPERM: 'may not be accessed',
  ENXIO: 'is not a regular file',
  ENOSPC: 'cannot be written: the disk is full',
  ENAMETOOLONG: 'has too long a name',
}

/** Says what was wrong with the file in the words the model gave for it. */
export async function aboutFile<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`${path} ${(code && errorTexts[code]) ?? message}.`, { cause: error })
  }
}
