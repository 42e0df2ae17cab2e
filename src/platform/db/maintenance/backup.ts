import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { UserFacingError } from '../../core/fault.ts'
import { writeErrorText } from '../../process/system-error.ts'

/**
 * Writes a consistent copy of an embedded database into a new file that only its owner can read. The database stays in use.
 * @throws UserFacingError if the file exists or cannot be written. An incomplete file is removed.
 */
export function backUp(database: string, file: string): void {
  const descriptor = createBackupFile(file)
  try {
    using source = new DatabaseSync(database, { readOnly: true })
    source.prepare('vacuum into ?').run(file)
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(file, { force: true })
    throw new UserFacingError(`The backup ${file} could not be written: ${(error as Error).message}.`)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates an empty file, and returns its open descriptor. @throws UserFacingError if the file exists. */
function createBackupFile(file: string): number {
  try {
    return openSync(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new UserFacingError(`${file} already exists. Specify a new file.`)
    throw new UserFacingError(`The backup ${file} cannot be written: ${writeErrorText(error)}.`)
  }
}
