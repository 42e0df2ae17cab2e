import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Adds up what stands in these folders. */
export type DiskUse = (paths: string[]) => Promise<number>

/** There is no process to count with, for the moment. */
const passing: readonly unknown[] = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']

/**
 * What files take on the disk, in bytes. A process of its own counts: there may be millions. Files may come and go
 * meanwhile: what is counted is counted, and where nothing can be, nothing is.
 * @throws Error of the system, where it has no room for that process now.
 */
export const diskUse: DiskUse = (paths) => {
  const folders = paths.filter((path) => existsSync(path))
  if (folders.length === 0) return Promise.resolve(0)
  return new Promise((resolve, reject) => {
    execFile('du', ['-skx', '--', ...folders], { env: { PATH: '/usr/bin:/bin' }, cwd: '/' }, (error, said) => {
      if (passing.includes(error?.code)) return reject(error)
      const sizes = said.match(/^\d+/gm) ?? []
      resolve(sizes.reduce((sum, kibibytes) => sum + Number(kibibytes) * 1024, 0))
    })
  })
}
