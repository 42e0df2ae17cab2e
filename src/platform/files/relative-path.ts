import { FileError } from './file-error.ts'

/** The longest path, in bytes. The kernel accepts 4,096 with the folder before it. */
const maxPathBytes = 3500
const maxNameBytes = 255
/** The depth limit of archives. Ordinary trees are less deep, and each level costs time for each entry. */
const maxLevels = 100

/** @throws FileError for an entry of an archive that is too deep. */
export function requireLevels(path: string): void {
  if (path.split('/').length > maxLevels) throw new FileError('invalid', `is more than ${maxLevels} folders deep`)
}

/**
 * Checks a path of an untrusted caller: relative to the folder, with `/` between its parts. The folder itself is `.` or empty.
 * @throws FileError that says what is wrong with it.
 */
export function parseRelativePath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (path.includes('\0')) throw new FileError('invalid', 'contains the invalid character NUL')
  if (path.includes('\ufffd')) throw new FileError('invalid', 'is not valid UTF-8')
  if (path.startsWith('/')) throw new FileError('invalid', 'is absolute; use a path relative to the workspace')
  if (parts.includes('..')) throw new FileError('invalid', 'contains ".."; use a path inside the workspace')
  const longName = parts.find((part) => Buffer.byteLength(part) > maxNameBytes)
  if (longName !== undefined) throw new FileError('invalid', `contains a name of more than ${maxNameBytes} bytes`)
  if (Buffer.byteLength(path) > maxPathBytes) throw new FileError('invalid', `has more than ${maxPathBytes} bytes`)
  return parts.join('/') || '.'
}
