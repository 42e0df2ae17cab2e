import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { maxSocketPath } from '#platform/net/socket-path.ts'
import { readDaemonRecord } from './daemon-record.ts'
import { chownFolder, replaceServiceFile, writeServiceFile } from './owned-files.ts'

/** The command of an agent, as in the daemon's settings. */
export type AgentCommand = {
  command: string
  args: string[]
  env: { [name: string]: string }
  modes?: { [mode: string]: string }
  authenticate?: string
  _meta?: object
}

type HomeContents = {
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
  /** Trusted CA certificates as PEM; undefined for those of the system. */
  caCertificates: string | undefined
  /** The user id of the intern's processes; undefined for the user of this process. */
  uid: number | undefined
  /** The address on which the daemon listens for other hosts, as in the daemon's settings. */
  listen: { host: string; port: number; tls: object } | undefined
}

export const settingsFile = (home: string) => join(home, 'settings.json')
export const logFile = (home: string) => join(home, 'daemon.log')
export const instructionsFile = (home: string) => join(home, 'instructions.md')
export const gitConfigFile = (home: string) => join(home, 'gitconfig')
export const baseUrlFile = (home: string) => join(home, 'service-url')
export const caFile = (home: string) => join(home, 'trusted.pem')

/**
 * Returns the folder of an intern on this host.
 * @param homes the folder of interns' folders in the data folder of this server.
 * @param stored the folder in which it was started last. It is in another data folder if another server of this host started it,
 * or if the data folder was moved since.
 */
export function findHome(homes: string, id: string, stored: string | null): string {
  const home = join(homes, id)
  if (stored === null || stored === home || existsSync(stored)) return stored ?? home
  return existsSync(home) || !existsSync(dirname(stored)) ? home : stored
}

/**
 * Creates or renews an intern's folder. An intern with a separate user can read the folder. It can write only its workspace, its
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
    caCertificates,
    uid,
    listen,
  }: HomeContents,
): { socketPath: string; token: string } {
  prepareFolders(home, uid)
  const socketFolder = prepareSocketFolder(home)
  chownFolder(socketFolder, uid)
  const token = randomBytes(32).toString('hex')
  const socketPath = join(socketFolder, socketName)
  const paths = { socket: socketPath, token_file: 'token', workspace: 'workspace', state: 'state' }
  const settings = {
    ...paths,
    listen,
    agent,
    limits,
    ...(hasMcpServers && { mcp_servers: 'stdin' }),
    ...(startsAgent && { start_agent: true }),
  }
  writeServiceFile(join(home, 'token'), token, uid)
  writeServiceFile(instructionsFile(home), instructions, uid)
  writeServiceFile(gitConfigFile(home), gitConfig, uid)
  writeBaseUrl(home, baseUrl, uid)
  if (caCertificates !== undefined) writeServiceFile(caFile(home), caCertificates, uid)
  writeServiceFile(settingsFile(home), JSON.stringify(settings, null, 2), uid)
  return { socketPath, token }
}

/** Creates the folders that the intern writes, and their parent. */
export function prepareFolders(home: string, uid: number | undefined): void {
  const mode = uid === undefined ? 0o700 : 0o711
  mkdirSync(home, { recursive: true, mode })
  chmodSync(home, mode)
  for (const name of ['workspace', 'state']) chownFolder(join(home, name), uid)
}

/** Writes the service's URL, which agents read for each request. It can change when another server takes the intern over. */
export function writeBaseUrl(home: string, baseUrl: string, uid: number | undefined): void {
  replaceServiceFile(baseUrlFile(home), baseUrl, uid)
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

/** A short name, because the system limits the path of a socket to `maxSocketPath` bytes. */
const socketName = 's'

/** Returns the folder of the socket: in the intern's folder, or a temporary one if that path is too long for a socket. */
function prepareSocketFolder(home: string): string {
  const socketFolder = join(home, 'door')
  if (Buffer.byteLength(join(socketFolder, socketName)) <= maxSocketPath) return socketFolder
  const earlierRecord = readDaemonRecord(home)
  if (earlierRecord) rmSync(dirname(earlierRecord.socketPath), { recursive: true, force: true })
  const prefix = join(tmpdir(), 'signalbox-')
  const isShort = Buffer.byteLength(`${prefix}XXXXXX/${socketName}`) <= maxSocketPath
  return mkdtempSync(isShort ? prefix : '/tmp/signalbox-')
}
