import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Returns the total size of folders, in bytes. */
export type DiskUse = (paths: string[]) => Promise<number>

/** Transient errors of starting a process. */
const transientCodes: readonly unknown[] = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']

/**
 * The disk use of folders, in bytes. Counted by a separate process, because there can be millions of files. Files that change
 * meanwhile are counted or not; folders that cannot be read count as 0.
 * @throws Error of the system if it cannot start a process now.
 */
export const diskUse: DiskUse = (paths) => {
  const folders = paths.filter((path) => existsSync(path))
  if (folders.length === 0) return Promise.resolve(0)
  return new Promise((resolve, reject) => {
    execFile('du', ['-skx', '--', ...folders], { env: { PATH: '/usr/bin:/bin' }, cwd: '/' }, (error, output) => {
      if (transientCodes.includes(error?.code)) return reject(error)
      const sizes = output.match(/^\d+/gm) ?? []
      resolve(sizes.reduce((sum, kibibytes) => sum + Number(kibibytes) * 1024, 0))
    })
  })
}
