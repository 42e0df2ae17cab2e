import { getSystemErrorMessage } from 'node:util'

/** Verbs for system calls. */
const verbs: Record<string, string> = {
  open: 'open',
  read: 'read',
  write: 'write',
  mkdir: 'create',
  scandir: 'list',
  opendir: 'list',
  unlink: 'delete',
  rm: 'delete',
  rename: 'rename',
  fsync: 'write',
  ftruncate: 'write',
}

/** Plain messages for the most common errors. */
const plainMessages: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
}

/** Why a file cannot be read, as the end of a sentence, without its path and the system call. */
export function readErrorText(error: unknown): string {
  const { code, errno } = Object(error) as Partial<NodeJS.ErrnoException>
  if (code !== undefined && Object.hasOwn(plainMessages, code)) return plainMessages[code]!
  if (typeof errno === 'number') return getSystemErrorMessage(errno)
  return error instanceof Error ? error.message : String(error)
}

/** Why a file cannot be written. If it is missing, its folder does not exist. */
export const writeErrorText = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'its folder does not exist' : readErrorText(error)

/**
 * Describes an error of the operating system in one sentence, for a person at a terminal.
 * @returns undefined for any other error, which is a bug of this program.
 */
export function describeSystemError(error: unknown): string | undefined {
  const { errno, syscall, path } = Object(error) as Partial<NodeJS.ErrnoException>
  if (!(error instanceof Error) || typeof errno !== 'number' || typeof syscall !== 'string') return undefined
  const action = `${verbs[syscall] ?? syscall}${path === undefined ? '' : ` ${path}`}`
  return `The system does not let this program ${action}: ${getSystemErrorMessage(errno)}.`
}
