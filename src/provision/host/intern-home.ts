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
import { printable } from '#platform/text/printable.ts'
import type { ProcessId } from './processes.ts'

/** The longest path a Unix socket can have on Linux. */
const maxSocketPath = 107

/** The service's record of a daemon, in a file that the intern cannot write. */
export type DaemonRecord = {
  process: ProcessId
  socketPath: string
  /** The port for servers on other hosts, if they reach it. */
  port?: number
  token: string
  secret: string
  uid?: number
  /** The folder of its control group. */
  group?: string
  /** Set if all processes of the intern have ended and none was started since, so that no process must be searched for. */
  ended?: true
}

/** The command of an agent, as in the daemon's settings. */
export type AgentCommand = {
  command: string
  args: string[]
  env: { [name: string]: string }
  modes?: { [mode: string]: string }
  authenticate?: string
  _meta?: object
}

export type HomeContents = {
  agent: AgentCommand
  instructions: string
  /** The system-wide configuration of git. */
  gitConfig: string
  limits: { [name: string]: number }
  /** Whether the intern has MCP servers. Their secrets are in no file: the daemon reads them from its standard input. */
  hasMcpServers: boolean
  /** Whether the daemon is started for a prompt. Then its agent starts with the daemon. */
  startsAgent: boolean
  baseUrl: string
  /** Trusted authorities as PEM; undefined for those of the system. */
  authorities: string | undefined
  /** The user that it runs as; undefined for the user of this process. */
  uid: number | undefined
  /** The address on which it listens for other hosts, as in the daemon's settings. */
  listen: { host: string; port: number; tls: object } | undefined
}

export const settingsFile = (home: string) => join(home, 'settings.json')
export const logFile = (home: string) => join(home, 'daemon.log')
export const instructionsFile = (home: string) => join(home, 'instructions.md')
export const gitConfigFile = (home: string) => join(home, 'gitconfig')
export const baseUrlFile = (home: string) => join(home, 'service-url')
export const authoritiesFile = (home: string) => join(home, 'trusted.pem')
const recordFile = (home: string) => join(home, 'daemon.json')

/**
 * Creates or renews an intern's folder. An intern with a separate user can read the folder, and can write only its workspace, its
 * state and, until `restrictSocket`, the folder of its socket. It cannot change the files that the service trusts.
 */
export function prepareHome(
  home: string,
  {
    agent,
    instructions,
    gitConfig,
    limits,
    hasMcpServers,
    startsAgent,
    baseUrl,
    authorities,
    uid,
    listen,
  }: HomeContents,
): { socketPath: string; token: string } {
  prepareFolders(home, uid)
  const connection = prepareSocketFolder(home)
  chownFolder(connection, uid)
  const token = randomBytes(32).toString('hex')
  const socketPath = join(connection, 's')
  const paths = { socket: socketPath, token_file: 'token', workspace: 'workspace', state: 'state' }
  const settings = {
    ...paths,
    ...(listen && { listen }),
    agent,
    limits,
    ...(hasMcpServers && { mcp_servers: 'stdin' }),
    ...(startsAgent && { start_agent: true }),
  }
  writeOwned(uid, join(home, 'token'), token)
  writeOwned(uid, instructionsFile(home), instructions)
  writeOwned(uid, gitConfigFile(home), gitConfig)
  writeBaseUrl(home, baseUrl, uid)
  if (authorities !== undefined) writeOwned(uid, authoritiesFile(home), authorities)
  writeOwned(uid, settingsFile(home), JSON.stringify(settings, null, 2))
  return { socketPath, token }
}

/** Creates the folders that the intern writes, and their parent. */
export function prepareFolders(home: string, uid: number | undefined): void {
  const open = uid === undefined ? 0o700 : 0o711
  mkdirSync(home, { recursive: true, mode: open })
  chmodSync(home, open)
  for (const name of ['workspace', 'state']) chownFolder(join(home, name), uid)
}

/** Writes the service's URL, which agents read for each request. It can change when another server takes the intern over. */
export function writeBaseUrl(home: string, baseUrl: string, uid: number | undefined): void {
  replaceFile(baseUrlFile(home), baseUrl, uid)
}

/** Replaces a file atomically. The intern can read it, but not write it. */
export function replaceFile(file: string, text: string, uid: number | undefined): void {
  const draft = `${file}.new`
  writeOwned(uid, draft, text)
  renameSync(draft, file)
}

/** Lets other users pass through the folder to their own folders. Its files, which a backup can have restored, become private. */
export function allowTraversal(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) chmodSync(join(folder, entry.name), 0o600)
  }
  chmodSync(folder, 0o711)
}

/** Prevents the daemon's user from replacing the socket, once the daemon listens. */
export function restrictSocket(socketPath: string, uid: number | undefined): void {
  if (uid === undefined) return
  chownSync(dirname(socketPath), process.getuid!(), process.getgid!())
}

/** Writes the record atomically. */
export function writeDaemonRecord(home: string, record: DaemonRecord): void {
  const draft = `${recordFile(home)}.new`
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
  renameSync(draft, recordFile(home))
}

/** Removes `ended` from the record before a process is started, because the server can be killed between the two. */
export function clearEnded(home: string): void {
  const { ended, ...record } = readDaemonRecord(home) ?? {}
  if (ended) writeDaemonRecord(home, record as DaemonRecord)
}

export function readDaemonRecord(home: string): DaemonRecord | undefined {
  try {
    return JSON.parse(readFileSync(recordFile(home), 'utf8')) as DaemonRecord
  } catch {
    return undefined
  }
}

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

/** The last line of a daemon's log. */
export function readLastLogLine(home: string): string {
  try {
    const lines = readTail(logFile(home), 4096).trimEnd().split('\n')
    return printable((lines.at(-1) ?? '').slice(-500))
  } catch {
    return ''
  }
}

function readTail(file: string, bytes: number): string {
  const open = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    const from = Math.max(0, fstatSync(open).size - bytes)
    return buffer.toString('utf8', 0, readSync(open, buffer, 0, bytes, from))
  } finally {
    closeSync(open)
  }
}

/** The folder of the socket: in the intern's folder, or a temporary one if that path is too long for a socket. */
function prepareSocketFolder(home: string): string {
  const socketFolder = join(home, 'door')
  if (Buffer.byteLength(join(socketFolder, 's')) <= maxSocketPath) return socketFolder
  const earlier = readDaemonRecord(home)
  if (earlier) rmSync(dirname(earlier.socketPath), { recursive: true, force: true })
  const temporary = Buffer.byteLength(tmpdir()) < 80 ? tmpdir() : '/tmp'
  return mkdtempSync(join(temporary, 'signalbox-'))
}

/** Creates a folder for the intern alone, and changes the owner of its content if necessary. */
function chownFolder(folder: string, uid: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = uid ?? process.getuid?.()
  if (owner === undefined || lstatSync(folder).uid === owner) return
  chownAll(folder, owner)
}

function chownAll(path: string, owner: number): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) chownAll(join(path, name), owner)
  lchownSync(path, owner, owner)
}

/** Writes a file that the intern can read, but not write. */
function writeOwned(uid: number | undefined, file: string, text: string): void {
  rmSync(file, { force: true })
  writeFileSync(file, text, { mode: uid === undefined ? 0o600 : 0o640 })
  if (uid !== undefined) {
    chownSync(file, process.getuid!(), uid)
    chmodSync(file, 0o640)
  }
}
