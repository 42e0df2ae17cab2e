import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Fault } from '#platform/core/fault.ts'
import { isTransient } from './processes.ts'

/** The number of user ids from `intern_users_from` on. Systems do not assign ids that high: systemd and Debian use lower ones. */
const userCount = 200_000_000

/** The user that an intern runs as: the owner of its folder, or a user that no other intern of this host has. */
export function allocateUser(home: string, base: number): number {
  const owner = findOwner(home)
  if (owner !== undefined && owner >= base && owner < base + userCount) return owner
  const siblings = dirname(home)
  const usedIds = new Set(readNames(siblings).map((name) => findOwner(join(siblings, name))))
  const digest = hash('sha256', basename(home), 'buffer')
  let user = base + (digest.readUInt32BE() % userCount)
  while (usedIds.has(user)) user = base + ((user - base + 1) % userCount)
  return user
}

/** The user that fetches repositories. It is neither the user of an intern nor of the server. */
export const cloningUser = (base: number) => base + userCount

/** The owner of an intern's workspace. */
function findOwner(home: string): number | undefined {
  return statSync(join(home, 'workspace'), { throwIfNoEntry: false })?.uid
}

/**
 * Tries whether a user of the range can read `files` and pass through `folder`, as interns must.
 * @returns the reason if not; else undefined.
 */
export function userIdsError(base: number, files: string[], folder: string): Promise<string | undefined> {
  const trialScript =
    'for (const file of process.argv.slice(2)) fs.accessSync(file, fs.constants.R_OK); fs.accessSync(process.argv[1], fs.constants.X_OK)'
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', trialScript, '--', folder, ...files], {
      uid: base,
      gid: base,
      cwd: '/',
      env: {},
      timeout: 5000,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.once('error', (error) => {
      if (isTransient(error)) reject(untestedFault(error.message))
      else resolve(error.message)
    })
    // Without free file descriptors the pipe is missing; the `error` event follows.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(undefined)
      if (code === null) return reject(untestedFault(`the trial was ended by ${signal}`))
      resolve(/Error: (.*)/.exec(errors)?.[1] ?? `a trial process ended with ${code}`)
    })
  })
}

/** A transient failure: an intern must not run as root because of a temporary lack of resources. */
const untestedFault = (reason: string) =>
  new Fault('unavailable', `The check whether interns can have separate users failed: ${reason}`)

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Otherwise two interns could get the same user.
    if (isTransient(error)) throw error
    return []
  }
}
