import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Fault } from '#platform/core/fault.ts'
import { isTransient } from './processes.ts'

/** The number of user ids for interns, from the setting `intern_users_from` on. */
const userCount = 200_000_000

/** The user that an intern runs as: the owner of its folder, or a user that no other intern of this host has. */
export function allocateUser(home: string, base: number): number {
  const owner = findOwner(home)
  if (owner !== undefined && owner >= base && owner < base + userCount) return owner
  const siblings = dirname(home)
  const usedIds = new Set(listEntries(siblings).map((name) => findOwner(join(siblings, name))))
  // Starts at an id that depends only on the intern, so that it is usually the same after its folder was lost.
  const digest = hash('sha256', basename(home), 'buffer')
  let user = base + (digest.readUInt32BE() % userCount)
  while (usedIds.has(user)) user = base + ((user - base + 1) % userCount)
  return user
}

/** The user that fetches repositories. It is neither the user of an intern nor of the server. */
export const getCloningUser = (base: number) => base + userCount

/** The owner of an intern's workspace. */
function findOwner(home: string): number | undefined {
  return statSync(join(home, 'workspace'), { throwIfNoEntry: false })?.uid
}

/** The script of the check. Its arguments are the folder and the files. It fails at the first one that is not accessible. */
const accessScript = `
const [folder, ...files] = process.argv.slice(1)
for (const file of files) fs.accessSync(file, fs.constants.R_OK)
fs.accessSync(folder, fs.constants.X_OK)
`

/**
 * Checks that the users of interns can work: starts a process as the first user id, which must be able to read `files` and to
 * traverse `folder`. @returns the reason why not, or undefined. @throws Fault `unavailable` if the process cannot be started now.
 */
export function checkUserIds(base: number, files: string[], folder: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', accessScript, '--', folder, ...files], {
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

/**
 * The fault of a check without a result, because of a temporary lack of resources. It must not count as a negative result: the
 * caller would then run interns as root.
 */
const untestedFault = (reason: string) =>
  new Fault('unavailable', `The check whether interns can have separate users failed: ${reason}`)

function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // With an incomplete list, two interns could get the same user.
    if (isTransient(error)) throw error
    return []
  }
}
