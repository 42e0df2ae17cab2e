import { getSystemErrorMessage } from 'node:util'

/** The system's own words for what a person does with a file. */
const deeds: Record<string, string> = {
  open: 'open',
  read: 'read',
  write: 'write',
  mkdir: 'make',
  scandir: 'list',
  opendir: 'list',
  unlink: 'delete',
  rm: 'delete',
  rename: 'rename',
  fsync: 'write',
  ftruncate: 'write',
}

/** What people meet most, in plainer words than the system's. */
const plainWords: Record<string, string> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
}

/** Why a file cannot be read, to end a sentence with: neither its path nor the system's call is said again. */
export function whyUnread(error: unknown): string {
  const { code, errno } = Object(error) as Partial<NodeJS.ErrnoException>
  if (code !== undefined && Object.hasOwn(plainWords, code)) return plainWords[code]!
  if (typeof errno === 'number') return getSystemErrorMessage(errno)
  return error instanceof Error ? error.message : String(error)
}

/** The same of a file that cannot be written: what is missing then is the folder that it would be in. */
export const whyUnwritten = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'its folder does not exist' : whyUnread(error)

/**
 * What the system refused, in one sentence for whoever is at the terminal: a file that may not be read, a full disk.
 * @returns undefined for what is no refusal of the system, but a defect of ours.
 */
export function systemRefusal(error: unknown): string | undefined {
  const { errno, syscall, path } = Object(error) as Partial<NodeJS.ErrnoException>
  if (!(error instanceof Error) || typeof errno !== 'number' || typeof syscall !== 'string') return undefined
  const deed = `${deeds[syscall] ?? syscall}${path === undefined ? '' : ` ${path}`}`
  return `The system does not let this program ${deed}: ${getSystemErrorMessage(errno)}.`
}
