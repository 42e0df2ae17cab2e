import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * What files take on the disk, in bytes. A process of its own counts: there may be millions. Files may come and go
 * meanwhile: what is counted is counted, and where nothing can be, nothing is.
 */
export function diskUse(paths: string[]): Promise<number> {
  const folders = paths.filter((path) => existsSync(path))
  if (folders.length === 0) return Promise.resolve(0)
  return new Promise((resolve) => {
    execFile('du', ['-skx', '--', ...folders], { env: { PATH: '/usr/bin:/bin' }, cwd: '/' }, (_error, said) => {
      const sizes = said.match(/^\d+/gm) ?? []
      resolve(sizes.reduce((sum, kibibytes) => sum + Number(kibibytes) * 1024, 0))
    })
  })
}
