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
