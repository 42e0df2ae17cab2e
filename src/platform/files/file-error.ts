import { printableLine } from '../text/printable.ts'

/** Why something cannot be done with a file, in a word for programs. */
export type FileErrorKind =
  | 'invalid'
  | 'outside'
  | 'unknown'
  | 'conflict'
  | 'too_large'
  | 'no_access'
  | 'full'
  | 'range'

/** The message is about one name, and follows it: `is outside the workspace`. */
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
  ENOTDIR: ['conflict', 'is not a folder, or lies under something that is none'],
  ENOTEMPTY: ['conflict', 'is a folder that is not empty'],
  EEXIST: ['conflict', 'exists already'],
  ELOOP: ['outside', 'is a symbolic link that cannot be followed'],
  EACCES: ['no_access', 'may not be accessed'],
  EPERM: ['no_access', 'may not be accessed'],
  EROFS: ['no_access', 'may not be changed'],
  ENXIO: ['invalid', 'is not a regular file'],
  EINVAL: ['invalid', 'cannot be moved there, or has a name that is not possible'],
  ENOSPC: ['full', 'cannot be written: the disk is full'],
  EDQUOT: ['full', 'cannot be written: the disk is full'],
  EFBIG: ['too_large', 'is larger than a file may be here'],
  ENAMETOOLONG: ['invalid', 'has too long a name'],
  ERR_INVALID_ARG_VALUE: ['invalid', 'has a name that is not possible'],
}

/** Says what was wrong with the file, in the words in which it was named. */
export async function aboutFile<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw saidOf(path, error)
  }
}

/** What went wrong with this file, as a sentence. */
export function saidOf(path: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const known = code === undefined ? undefined : errorTexts[code]
  const text = `${printableLine(path)} ${known?.[1] ?? message}.`
  if (known) return new FileError(known[0], text, { cause: error })
  return error instanceof FileError
    ? new FileError(error.kind, text, { cause: error })
    : new Error(text, { cause: error })
}
