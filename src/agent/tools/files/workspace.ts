import type { Dirent } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { type ConfinedFolder, locateTarget, openFile, withFolder } from '#platform/files/confined-folder.ts'
import { withFilePath } from '#platform/files/file-error.ts'
import { removeEntry } from '#platform/files/remove-entry.ts'
import { replaceFile } from '#platform/files/replace-file.ts'

/** The folder that an agent works in. File operations cannot leave it. */
export type Workspace = ConfinedFolder

export type Entry = { name: string; kind: 'file' | 'folder' | 'link' | 'other' }

/** @returns the first bytes of a regular file, at most `limit`, its complete size, and its permissions. */
export async function readBytes(
  workspace: Workspace,
  path: string,
  limit: number,
): Promise<{ bytes: Buffer; size: number; mode: number }> {
  return withFilePath(path, async () => {
    await using file = await openFile(workspace, path)
    const { size, mode } = await file.stat()
    const bytes = Buffer.alloc(Math.min(size, limit))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
    return { bytes: bytes.subarray(0, bytesRead), size, mode: mode & 0o7777 }
  })
}

/** Returns whether this is the path of a readable file. */
export function isFile(workspace: Workspace, path: string): Promise<boolean> {
  return readBytes(workspace, path, 0).then(
    () => true,
    () => false,
  )
}

/**
 * Writes a file atomically. Creates it and its folders if they are missing. If writing fails, an existing file stays
 * unchanged. @param mode the permissions of a new file. @returns whether the file is new.
 */
export async function writeText(
  workspace: Workspace,
  path: string,
  text: string,
  mode?: number,
): Promise<{ made: boolean }> {
  const writeContent = (draft: FileHandle) => draft.writeFile(text)
  return withFilePath(path, () => replaceFile(workspace, path, { writeContent, mode }))
}

/** Changes the permissions of a file. */
export async function changeMode(
  workspace: Workspace,
  path: string,
  toNewMode: (mode: number) => number,
): Promise<void> {
  return withFilePath(path, async () => {
    await using file = await openFile(workspace, path)
    await file.chmod(toNewMode((await file.stat()).mode & 0o7777))
  })
}

/** Removes a file. */
export async function removeFile(workspace: Workspace, path: string): Promise<void> {
  return withFilePath(path, () => removeEntry(workspace, path, { recursive: false }))
}

/** Returns the entries of a folder, sorted by name. Links are listed, not followed. */
export async function readEntries(workspace: Workspace, path: string): Promise<Entry[]> {
  return withFilePath(path, async () => {
    const found = await withFolder(workspace, await locateTarget(workspace, path), (folder) =>
      readdir(folder, { withFileTypes: true }),
    )
    return sortEntries(found)
  })
}

/** Sorts entries by name. */
export function sortEntries(found: Dirent[]): Entry[] {
  const kindOf = (entry: Dirent) =>
    entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'other'
  return found
    .map((entry): Entry => ({ name: entry.name, kind: kindOf(entry) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}
