import { closeSync, constants, type Dirent, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { type ConfinedFolder, descriptorPath, hasDescriptors, requireInside } from './confined-folder.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/**
 * An open folder for walking a tree. Entries are opened relative to its descriptor and links are not followed, so that the walk
 * stays inside if folders are moved or replaced. The calls are synchronous: a search opens tens of thousands of files, and an
 * asynchronous call costs several times as much.
 */
export class OpenFolder implements Disposable {
  readonly #fd: number
  readonly #path: string

  private constructor(path: string) {
    this.#fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    this.#path = hasDescriptors ? descriptorPath(this.#fd) : path
  }

  /** @param path as `locate` returns it. @throws FileError if the folder was moved out of the confined one. */
  static open(confined: ConfinedFolder, path: string): OpenFolder {
    const folder = new OpenFolder(path)
    try {
      if (hasDescriptors) requireInside(confined, readlinkSync(folder.#path))
      return folder
    } catch (error) {
      folder[Symbol.dispose]()
      throw error
    }
  }

  openSubfolder(name: string): OpenFolder {
    return new OpenFolder(`${this.#path}/${name}`)
  }

  entries(): Dirent[] {
    return readdirSync(this.#path, { withFileTypes: true })
  }

  /** Reads the first bytes of a file into a buffer. A pipe has none. @returns the number of bytes. */
  readStart(name: string, target: Buffer): number {
    const fd = openSync(`${this.#path}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      let length = 0
      while (length < target.length) {
        const bytes = readSync(fd, target, length, target.length - length, null)
        if (bytes === 0) break
        length += bytes
      }
      return length
    } finally {
      closeSync(fd)
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
  }
}
