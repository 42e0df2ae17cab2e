import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { chmod, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { shown } from '#lib/shown.ts'
import type { ProcessId } from './processes.ts'

/** The longest path a Unix socket can have on Linux. */
const maxSocketPath = 107

/** What the service knows of a daemon, where the intern cannot write. */
export type Record = {
  process: ProcessId
  socketPath: string
  token: string
  secret: string
  uid?: number
  /** The folder of its control group. */
  group?: string
}

/** How an agent is run, as the daemon's settings say it. */
export type AgentCommand = {
  command: string
  args: string[]
  env: { [name: string]: string }
  modes?: { [mode: string]: string }
  _meta?: object
}

export type Wanted = {
  agent: AgentCommand
  instructions: string
  limits: { [name: string]: number }
  baseUrl: string
  /** The user that it runs as, if not as ours. */
  uid: number | undefined
}

export const settingsFile = (home: string) => join(home, 'settings.json')
export const logFile = (home: string) => join(home, 'daemon.log')
export const instructionsFile = (home: string) => join(home, 'instructions.md')
export const baseUrlFile = (home: string) => join(home, 'service-url')
const recordFile = (home: string) => join(home, 'daemon.json')

/**
 * Makes or renews an intern's folder. Under a user of its own, the intern may read what stands in it and write only
 * its workspace, its state and, until `sealDoor`, the folder of its socket: what we trust, it cannot change.
 */
export function prepareHome(
  home: string,
  { agent, instructions, limits, baseUrl, uid }: Wanted,
): { socketPath: string; token: string } {
  const open = uid === undefined ? 0o700 : 0o711
  mkdirSync(home, { recursive: true, mode: open })
  chmodSync(home, open)
  for (const name of ['workspace', 'state']) giveFolder(join(home, name), uid)
  const door = doorOf(home)
  giveFolder(door, uid)
  const token = randomBytes(32).toString('hex')
  const socketPath = join(door, 's')
  const settings = { socket: socketPath, token_file: 'token', workspace: 'workspace', state: 'state', agent, limits }
  writeFor(uid, join(home, 'token'), token)
  writeFor(uid, instructionsFile(home), instructions)
  tellBaseUrl(home, baseUrl, uid)
  writeFor(uid, settingsFile(home), JSON.stringify(settings, null, 2))
  return { socketPath, token }
}

/** Where the service is, for agents that look each time: the one that takes an intern over may be elsewhere. */
export function tellBaseUrl(home: string, baseUrl: string, uid: number | undefined): void {
  const draft = `${baseUrlFile(home)}.new`
  writeFor(uid, draft, baseUrl)
  renameSync(draft, baseUrlFile(home))
}

/** Others may go through the folder to what is theirs. Its files, restored from a backup perhaps, are nobody else's. */
export function letPass(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600)
  }
  chmodSync(folder, 0o711)
}

/** Once the daemon listens, its user may no longer put anything else in the place of the socket. */
export function sealDoor(socketPath: string, uid: number | undefined): void {
  if (uid === undefined) return
  chownSync(dirname(socketPath), process.getuid!(), process.getgid!())
}

/** Written whole or not at all. */
export function writeRecord(home: string, record: Record): void {
  const draft = `${recordFile(home)}.new`
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
  renameSync(draft, recordFile(home))
}

export function readRecord(home: string): Record | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(home), 'utf8')) as Record
  } catch {
    return undefined
  }
}

/** However many files an intern has made: nobody waits for them to go but who asked for it. */
export async function removeHome(home: string, record: Record | undefined): Promise<void> {
  if (record && !record.socketPath.startsWith(home)) await removeFolder(dirname(record.socketPath))
  await removeFolder(home)
}

/** Also one with folders that may not be written, as caches of build tools have them. Links are never followed. */
async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    await openFolders(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700)
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(path, entry.name))
}

/** The end of what a daemon said on its way out. */
export function lastWords(home: string): string {
  try {
    const lines = endOf(logFile(home), 4096).trimEnd().split('\n')
    return shown((lines.at(-1) ?? '').slice(-500))
  } catch {
    return ''
  }
}

function endOf(file: string, bytes: number): string {
  const open = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    const from = Math.max(0, fstatSync(open).size - bytes)
    return buffer.toString('utf8', 0, readSync(open, buffer, 0, bytes, from))
  } finally {
    closeSync(open)
  }
}

/** The folder of the socket: beside the rest, or where its path is short enough for one. */
function doorOf(home: string): string {
  const beside = join(home, 'door')
  if (Buffer.byteLength(join(beside, 's')) <= maxSocketPath) return beside
  const earlier = readRecord(home)
  if (earlier) rmSync(dirname(earlier.socketPath), { recursive: true, force: true })
  const temporary = Buffer.byteLength(tmpdir()) < 80 ? tmpdir() : '/tmp'
  return mkdtempSync(join(temporary, 'signalbox-'))
}

/** A folder for the intern alone; what stands in it changes hands with it. */
function giveFolder(folder: string, uid: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = uid ?? process.getuid?.()
  if (owner === undefined || lstatSync(folder).uid === owner) return
  giveAll(folder, owner)
}

function giveAll(path: string, owner: number): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) giveAll(join(path, name), owner)
  lchownSync(path, owner, owner)
}

/** For the intern to read and not to write. */
function writeFor(uid: number | undefined, file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text, { mode: uid === undefined ? 0o600 : 0o640 })
  if (uid !== undefined) {
    chownSync(file, process.getuid!(), uid)
    chmodSync(file, 0o640)
  }
}
