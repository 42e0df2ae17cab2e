import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Replaces a file atomically, with the owner and mode of `writeServiceFile`. */
export function replaceServiceFile(file: string, text: string, uid: number | undefined): void {
  const draft = `${file}.new`
  writeServiceFile(draft, text, uid)
  renameSync(draft, file)
}

/** Creates a folder for the intern alone, and changes the owner of its content if necessary. */
export function chownFolder(folder: string, uid: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = uid ?? process.getuid?.()
  if (owner === undefined || lstatSync(folder).uid === owner) return
  chownAll(folder, owner)
}

function chownAll(path: string, owner: number): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) chownAll(join(path, name), owner)
  lchownSync(path, owner, owner)
}

/**
 * Writes a file that belongs to the user of this service. An intern with its own `uid` can read it, but not write it. Without
 * one, the intern runs as the user of this service and can also write it.
 */
export function writeServiceFile(file: string, text: string, uid: number | undefined): void {
  // An existing file would keep its mode.
  rmSync(file, { force: true })
  writeFileSync(file, text, { mode: uid === undefined ? 0o600 : 0o640 })
  if (uid !== undefined) {
    // Each user of an intern has a group with the same number.
    chownSync(file, process.getuid!(), uid)
    chmodSync(file, 0o640)
  }
}
