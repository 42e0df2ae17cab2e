import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { UserFacingError } from '../../core/fault.ts'

/** A folder with this file is a data folder, even if it contains other files. */
const marker = 'signalbox.lock'

/**
 * Files that can exist before the first start, for example from a backup. A folder with other files is refused, because it
 * can contain documents of a user. New volumes have `lost+found`.
 */
const allowedFiles = new Set([
  'signalbox.db',
  'signalbox.db-wal',
  'signalbox.db-shm',
  'encryption.key',
  'interns',
  'unwritten',
  'models.dev.json',
  'models.dev.names.json',
  'catalogue.remembered',
  'console.remembered',
  'README.txt',
  'server.pid',
  'lost+found',
])

const readme =
  'Written by Signalbox. Back it up with "npx signalbox database backup FILE", or whole while the service is stopped.\n'

/** The data folder, locked until `release`. */
type DataDir = { path: string; release: () => void }

/**
 * Creates or locks the data folder. Only its owner can read it.
 * @param exclusive whether a second server is refused, because the embedded database has one writer.
 * @param servesRequests whether this process is a server. Then `server.pid` has its process id.
 * @throws UserFacingError if the folder cannot be written, contains other files, or is locked by another server.
 */
export function openDataDir(
  path: string,
  { exclusive, servesRequests }: { exclusive: boolean; servesRequests: boolean },
): DataDir {
  const folder = resolve(path)
  let unlock = () => {}
  try {
    prepareFolder(folder)
    if (exclusive) unlock = lock(folder, servesRequests)
    const removePidFile = servesRequests ? writePidFile(folder) : () => {}
    const release = () => {
      removePidFile()
      unlock()
    }
    return { path: folder, release }
  } catch (error) {
    unlock()
    if (error instanceof UserFacingError) throw error
    const { path: file = folder } = error as NodeJS.ErrnoException
    const filePrefix = file.startsWith(join(folder, '/')) ? `${file}: ` : ''
    const advice = isFull(error)
      ? 'Free disk space, or set DATA_DIR to a folder on another disk'
      : 'Set DATA_DIR to a folder that this user can write'
    throw new UserFacingError(
      `The data folder ${folder} cannot be used: ${filePrefix}${errorReason(error)}. ${advice}.`,
    )
  }
}

function prepareFolder(folder: string): void {
  makeFolder(folder)
  if (!statSync(folder).isDirectory()) throw new Error('it is not a folder')
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  const hasMarker = existsSync(join(folder, marker))
  const unknownFile = hasMarker ? undefined : readdirSync(folder).find((name) => !allowedFiles.has(name))
  if (unknownFile !== undefined) {
    throw new UserFacingError(
      `The data folder ${folder} contains files of other programs, such as ${JSON.stringify(unknownFile)}. Set DATA_DIR to an empty or new folder, or to one that contains only a backup.`,
    )
  }
  if (!hasMarker) {
    writeFileSync(join(folder, 'README.txt'), readme, { mode: 0o600 })
    writeFileSync(join(folder, marker), '', { mode: 0o600 })
  }
}

/** Creates each parent separately: Node's `recursive` option loops forever where folders cannot be created, such as in /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/** Whether the system or SQLite reports a full disk. */
function isFull(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ENOSPC' || message === 'database or disk is full'
}

function errorReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EACCES' || code === 'EPERM') return 'permission denied'
  if (code === 'EROFS') return 'the file system is read-only'
  if (code === 'ENOTDIR' || code === 'EEXIST') return 'it is not a folder'
  if (code === 'ENOENT') return 'no folder can be created there'
  if (isFull(error)) return 'the disk is full'
  return message
}

/** Files that must be writable if they exist. They are checked in advance, because SQLite does not report which one it could not open. */
const databaseFiles = [marker, 'signalbox.db', 'signalbox.db-wal', 'signalbox.db-shm']

/** Throws if a file exists and belongs to another user, for example after a start as root. */
function requireWritable(file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** SQLite's code if another process has the lock. */
const sqliteBusy = 5

/** Locks the folder by a transaction on the marker file, whose lock the kernel releases when the process ends. */
function lock(folder: string, servesRequests: boolean): () => void {
  for (const name of databaseFiles) requireWritable(join(folder, name))
  const lockDatabase = new DatabaseSync(join(folder, marker))
  try {
    lockDatabase.exec('pragma busy_timeout = 0; begin exclusive')
  } catch (error) {
    lockDatabase.close()
    if ((error as { errcode?: unknown }).errcode !== sqliteBusy) throw error
    const server = readPid(folder)
    const pid = server ? ` (process ${server})` : ''
    const remedy = servesRequests
      ? 'Stop it, set DATA_DIR to another folder, or use a shared Postgres database (DATABASE_URL).'
      : 'Stop it for this command.'
    throw new UserFacingError(`Another Signalbox${pid} is using the data folder ${folder}. ${remedy}`)
  }
  return () => lockDatabase.close()
}

const pidFilePath = (folder: string) => join(folder, 'server.pid')

function readPid(folder: string): string | undefined {
  const file = pidFilePath(folder)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** Writes the process id. With Postgres, several servers can share a folder; the last one to start is recorded. */
function writePidFile(folder: string): () => void {
  writeFileSync(pidFilePath(folder), `${process.pid}\n`, { mode: 0o600 })
  return () => {
    // The process id can be reused by another process, which would then receive signals for this one.
    if (readPid(folder) === String(process.pid)) rmSync(pidFilePath(folder), { force: true })
  }
}
