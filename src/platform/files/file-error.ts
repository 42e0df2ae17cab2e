import { printableLine } from '../text/printable.ts'

/** The kinds of file errors. `unknown`: the file does not exist. `outside`: the path leads out of the workspace. */
export type FileErrorKind =
  | 'invalid'
  | 'outside'
  | 'unknown'
  | 'conflict'
  | 'too_large'
  | 'no_access'
  | 'full'
  | 'range'

/**
 * An error of an operation on a file. The message has two forms. The code that finds the error does not know the name of the
 * file, so it throws the end of a sentence: `is outside the workspace`. `describeFileError` returns an error with the whole
 * sentence: `notes/a.md is outside the workspace.`
 */
export class FileError extends Error {
  readonly kind: FileErrorKind

  constructor(kind: FileErrorKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

const errorTexts: Record<string, [kind: FileErrorKind, text: string]> = {
  ENOENT: ['unknown', 'does not exist'],
  EISDIR: ['conflict', 'is a folder'],
  ENOTDIR: ['conflict', 'is not a folder, or is inside of something that is not a folder'],
  ENOTEMPTY: ['conflict', 'is a folder that is not empty'],
  EEXIST: ['conflict', 'exists already'],
  ELOOP: ['outside', 'is a symbolic link that cannot be followed'],
  EACCES: ['no_access', 'cannot be accessed: permission denied'],
  EPERM: ['no_access', 'cannot be accessed: permission denied'],
  EROFS: ['no_access', 'cannot be changed: the file system is read-only'],
  ENXIO: ['invalid', 'is not a regular file'],
  EINVAL: ['invalid', 'cannot be moved there, or has an invalid name'],
  ENOSPC: ['full', 'cannot be written: the disk is full'],
  EDQUOT: ['full', 'cannot be written: the disk is full'],
  EFBIG: ['too_large', 'exceeds the maximum file size of the file system'],
  ENAMETOOLONG: ['invalid', 'has a name that is too long'],
  ERR_INVALID_ARG_VALUE: ['invalid', 'has an invalid name'],
}

/** Runs `act`. If it fails, throws the error of `describeFileError`. */
export async function withFilePath<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw describeFileError(path, error)
  }
}

/** Returns an error whose message is a sentence that starts with the path. */
export function describeFileError(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const described = code === undefined ? undefined : errorTexts[code]
  const text = `${printableLine(path)} ${described?.[1] ?? message}.`
  if (described) return new FileError(described[0], text, { cause: error })
  return error instanceof FileError
    ? new FileError(error.kind, text, { cause: error })
    : new Error(text, { cause: error })
}
