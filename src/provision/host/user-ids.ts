import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PassingFailure } from './passing-failure.ts'
import { isTransient } from './processes.ts'

/** No system hands out user ids of this range: systemd and Debian keep the ones below for containers and people. */
const range = 200_000_000

/** The user that an intern runs as: the one it has, else one that no intern beside it has. */
export function allocateUser(home: string, base: number): number {
  const present = ownerOf(home)
  if (present !== undefined && present >= base && present < base + range) return present
  const siblings = dirname(home)
  const taken = new Set(namesIn(siblings).map((name) => ownerOf(join(siblings, name))))
  const digest = hash('sha256', basename(home), 'buffer')
  let user = base + (digest.readUInt32BE() % range)
  while (taken.has(user)) user = base + ((user - base + 1) % range)
  return user
}

/** The user that fetches repositories for interns: not the user of any intern, and not of the server. */
export const cloningUser = (base: number) => base + range

/** The owner of an intern's workspace. */
export function ownerOf(home: string): number | undefined {
  return statSync(join(home, 'workspace'), { throwIfNoEntry: false })?.uid
}

/**
 * Tries whether a user of the range can run what an intern needs: `files` are to be read, `folder` to be passed.
 * @returns why not, or undefined when it can.
 */
export function whyUsersFail(base: number, files: string[], folder: string): Promise<string | undefined> {
  const look = 'for (const file of process.argv.slice(2)) fs.accessSync(file, 4); fs.accessSync(process.argv[1], 1)'
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', look, '--', folder, ...files], {
      ...{ uid: base, gid: base, cwd: '/', env: {}, timeout: 5000 },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let complaint = ''
    child.once('error', (error) => {
      if (isTransient(error)) reject(untried(error.message))
      else resolve(error.message)
    })
    // Out of file descriptors there is no pipe, only the error in a moment.
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text
    })
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(undefined)
      if (code === null) return reject(untried(`the trial was ended by ${signal}`))
      resolve(/Error: (.*)/.exec(complaint)?.[1] ?? `a trial process ended with ${code}`)
    })
  })
}

/** Nobody is to run as root because something was lacking for a moment. */
const untried = (why: string) =>
  new PassingFailure(`Whether interns can have users of their own could not be tried: ${why}`)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    // Unseen siblings might get to share a user.
    if (isTransient(error)) throw error
    return []
  }
}
