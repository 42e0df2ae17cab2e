import { chmod, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DaemonRecord } from './daemon-record.ts'

/** Removes an intern's folder. It is asynchronous, because an intern can have created any number of files. */
export async function removeHome(home: string, record: DaemonRecord | undefined): Promise<void> {
  if (record && !record.socketPath.startsWith(home)) await removeFolder(dirname(record.socketPath))
  await removeFolder(home)
}

/** Removes a folder, also with read-only folders in it, such as caches of build tools. Links are not followed. */
async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    await makeFoldersWritable(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeFoldersWritable(path: string): Promise<void> {
  await chmod(path, 0o700)
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await makeFoldersWritable(join(path, entry.name))
}
