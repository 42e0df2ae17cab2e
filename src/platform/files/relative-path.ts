import { FileError } from './file-error.ts'

/** The longest path, in bytes: the kernel takes 4,096, with the folder before it. */
const longestPath = 3500
const longestName = 255
/** In archives. No program goes deeper by itself, and each level costs a look at each entry. */
const mostLevels = 100

/** @throws FileError for an entry of an archive that lies too deep. */
export function requireLevels(path: string): void {
  if (path.split('/').length > mostLevels) throw new FileError('invalid', `lies more than ${mostLevels} folders deep`)
}

/**
 * A path as strangers may give one: relative to the folder, with `/` between its parts. The folder itself is `.` or
 * nothing. @throws FileError that says what is wrong with it.
 */
export function relativePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (path.includes('\0')) throw new FileError('invalid', 'holds a character that no name can have (NUL)')
  if (path.includes('\ufffd')) throw new FileError('invalid', 'is not valid UTF-8')
  if (path.startsWith('/')) throw new FileError('invalid', 'is absolute; give a path relative to the workspace')
  if (parts.includes('..')) throw new FileError('invalid', 'holds ".."; give a path from the workspace down')
  const long = parts.find((part) => Buffer.byteLength(part) > longestName)
  if (long !== undefined) throw new FileError('invalid', `holds a name of more than ${longestName} bytes`)
  if (Buffer.byteLength(path) > longestPath) throw new FileError('invalid', `has more than ${longestPath} bytes`)
  return parts.join('/') || '.'
}
