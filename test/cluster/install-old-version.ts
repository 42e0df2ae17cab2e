import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The last commit with schema version 88, which does not know the range of supported schemas. */
const oldCommit = '255dc54090ebcdf614c63e973e2bb5276880dd2a'
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Installs an older version of this service, with its packages, into a cache folder.
 * @returns the folder.
 * @throws Error if the commit is not in this clone or its packages cannot be installed.
 */
export function installOldVersion(): string {
  const cache = process.env.OLD_VERSION_CACHE ?? join(homedir(), '.cache', 'signalbox-old-version')
  const folder = join(cache, oldCommit)
  if (existsSync(folder)) return folder
  if (spawnSync('git', ['cat-file', '-e', oldCommit], { cwd: root, stdio: 'ignore' }).status !== 0) {
    throw new Error(`this clone does not contain commit ${oldCommit.slice(0, 8)} (git fetch --unshallow)`)
  }
  const unfinished = `${folder}-${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    const archive = execFileSync('git', ['archive', oldCommit], { cwd: root, maxBuffer: 1e9 })
    execFileSync('tar', ['-x', '-C', unfinished], { input: archive })
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: unfinished, stdio: 'pipe' })
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    throw new Error(`commit ${oldCommit.slice(0, 8)} could not be installed: ${(error as Error).message}`)
  }
  return folder
}
