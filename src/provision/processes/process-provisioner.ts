import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { DaemonApi } from '#interns/contract/daemon-api.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import { type RemoteInternDeps, remoteAddress, remoteLog, remoteStorage } from '#interns/hosts/remote-interns.ts'
import type { GitAuthor } from '#interns/registry/git-author.ts'
import type { Progress } from '#interns/registry/intern.ts'
import { hasNoProcesses, type Intern, isAwake } from '#interns/registry/intern-store.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { connectRuns, connectStorage } from '#interns/remote/connect-runs.ts'
import type { InternLog, LogLength } from '#interns/remote/log.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import { once } from '#platform/async/once.ts'
import { repeat } from '#platform/async/reconcile.ts'
import type { Config } from '#platform/config/settings.ts'
import { describeOutOfMemory, selectLimitsOutsideGroup } from '../host/control-group.ts'
import { type DaemonRecord, readDaemonRecord, writeDaemonRecord } from '../host/home/daemon-record.ts'
import { findHome, writeBaseUrl } from '../host/home/intern-home.ts'
import { createLogConnection, readLog } from '../host/home/intern-log.ts'
import { removeHome } from '../host/home/remove-home.ts'
import { connectLocalRuns } from '../host/local-runs.ts'
import { isAlive, type ProcessId } from '../host/processes.ts'
import { allocateUser } from '../host/user-ids.ts'
import { endInterruptedClone } from '../repository/clone.ts'
import { RunningClones } from '../repository/running-clones.ts'
import type { DaemonLocation, Provisioner } from '../supervisor/provisioner.ts'
import { endDaemon, isResponding } from './daemon-process.ts'
import { endForeignDaemons } from './foreign-daemons.ts'
import { monitorIntern } from './intern-monitor.ts'
import { checkInternUsers } from './intern-users.ts'
import { ProcessStarter } from './process-starter.ts'
import { type StorageListener, startStorageListener } from './storage-listener.ts'
import { StorageProcesses } from './storage-processes.ts'
import { renewCertificatesEveryMs, type TcpListeners, writeCertificates } from './tcp-listener.ts'

type ProcessDeps = RemoteInternDeps & {
  config: Config
  /** The addresses on which daemons listen for servers on other hosts; undefined if they do not. */
  listeners: TcpListeners | undefined
  /** The data folder, as an absolute path. */
  dataDir: string
  /** The URL of the service for processes on this host. */
  baseUrl: () => string
  variable: (name: string) => string | undefined
  warn: (message: string) => void
  /** Resolves when no process uses the files of an intern at rest. */
  waitUntilEnded: (intern: Intern) => Promise<void>
  /** The password of an intern's repository. */
  passwordOf: (intern: Intern) => Promise<string | undefined>
  /** The intern's MCP servers, with their secrets. */
  mcpServersOf: (intern: Intern) => Promise<McpServer[]>
  /** The git author for the intern. */
  gitAuthorOf: (intern: Intern) => Promise<GitAuthor>
  /** Removes this secret, and what looks like a secret, from a text. */
  mask: (text: string, secret: string | undefined) => string
  /** Called when the resources of an intern could not be measured; the measurement is repeated. */
  onMeasureError: (error: Error) => void
}

/**
 * Runs interns as processes of this host: a daemon for each in a separate folder and, if the service is root, with a separate
 * user.
 */
export class ProcessProvisioner implements Provisioner {
  readonly #deps: ProcessDeps
  /** The folder of interns' folders. */
  readonly #homes: string
  /** Whether each intern gets a separate user. */
  readonly #haveSeparateUsers: () => Promise<boolean>
  /** The ends of the daemons that this process started, until they are reported or no longer needed. */
  readonly #endings = new Map<string, Promise<string>>()
  readonly #runningClones: RunningClones
  readonly #storageProcesses: StorageProcesses
  readonly #starter: ProcessStarter

  constructor(deps: ProcessDeps) {
    this.#deps = deps
    this.#homes = join(deps.dataDir, 'interns')
    this.#haveSeparateUsers = once(() => checkInternUsers(deps, this.#homes))
    this.#runningClones = new RunningClones(deps)
    this.#storageProcesses = new StorageProcesses({ config: deps.config, path: deps.variable('PATH') ?? '' })
    this.#starter = new ProcessStarter({
      ...deps,
      haveSeparateUsers: this.#haveSeparateUsers,
      runningClones: this.#runningClones,
      homeOf: (intern) => this.#homeOf(intern),
      end: (intern) => this.#end(intern),
      onStarted: (daemon, ended) => void this.#endings.set(processKey(daemon), ended),
    })
  }

  locationOf(intern: Intern): DaemonLocation {
    // Only a server with a host runs interns.
    return { hostname: this.#deps.hosts.thisHost ?? '', home: this.#homeOf(intern) }
  }

  async secretOf(intern: Intern): Promise<string | undefined> {
    return readDaemonRecord(this.#homeOf(intern))?.secret
  }

  start(intern: Intern, secret: string, onProgress: (progress: Progress) => void): Promise<TcpAccess | undefined> {
    return this.#starter.start(intern, secret, onProgress)
  }

  async adopt(intern: Intern): Promise<boolean> {
    const home = this.#homeOf(intern)
    const record = this.#isOnThisHost(intern) ? readDaemonRecord(home) : undefined
    if (!record || !isAlive(record.process) || !(await isResponding(record))) return false
    writeBaseUrl(home, this.#deps.baseUrl(), record.uid)
    // The daemon's certificates can be close to their expiry.
    await this.#renewCertificates(intern, home, record)
    return true
  }

  watch(intern: Intern, onEnd: (reason: string) => void): () => void {
    const { config, onMeasureError, warn } = this.#deps
    const home = this.#homeOf(intern)
    const record = readDaemonRecord(home)
    const daemon = {
      process: record?.process,
      ending: () => record && this.#removeEnding(record.process),
      isResponding: async (withinMs: number) => record !== undefined && isResponding(record, withinMs),
      unresponsiveMs: config.intern_unresponsive_ms,
    }
    const monitored = record && {
      home,
      pid: record.process.pid,
      uid: record.uid,
      resourceLimits: selectLimitsOutsideGroup(record.group, config),
      end: () => endDaemon(home, record),
      onMeasureError,
    }
    const stopRenewing = repeat(async () => record && this.#renewCertificates(intern, home, record), {
      firstMs: renewCertificatesEveryMs,
      everyMs: renewCertificatesEveryMs,
      onError: ({ message }) => warn(`The certificate of the intern ${intern.name} could not be renewed: ${message}`),
    })
    const unwatch = monitorIntern(daemon, monitored, (reason) => onEnd(reason + describeOutOfMemory(record?.group)))
    return () => {
      stopRenewing()
      unwatch()
    }
  }

  endForeignDaemons(idsHere: () => Promise<ReadonlySet<string>>): Promise<void> {
    return endForeignDaemons(this.#homes, idsHere, this.#deps.warn)
  }

  stop(intern: Intern): Promise<void> {
    this.#runningClones.stop(intern.id)
    return this.#end(intern)
  }

  leave(intern: Intern): Promise<void> {
    return this.stop(intern)
  }

  async destroy(intern: Intern): Promise<void> {
    if (!this.#isOnThisHost(intern)) throw new Error(`Its folder is on the host ${intern.hostname}.`)
    await this.stop(intern)
    await removeHome(this.#homeOf(intern), readDaemonRecord(this.#homeOf(intern)))
  }

  runsOf(intern: Intern): DaemonApi {
    return this.#isOnThisHost(intern)
      ? connectLocalRuns(this.#homeOf(intern))
      : connectRuns(() => remoteAddress(this.#deps, intern))
  }

  storageOf(intern: Intern): Pick<DaemonApi, 'files' | 'transcripts'> {
    if (!this.#isOnThisHost(intern)) return remoteStorage(this.#deps, intern)
    return isAwake(intern) ? connectLocalRuns(this.#homeOf(intern)) : connectStorage(() => this.#connectStorage(intern))
  }

  async readLog(intern: Intern, { bytes }: LogLength): Promise<InternLog> {
    return this.#isOnThisHost(intern) ? readLog(this.#homeOf(intern), bytes) : remoteLog(this.#deps, intern, bytes)
  }

  async serveStorage(find: FindIntern): Promise<StorageListener | undefined> {
    const { listeners, warn } = this.#deps
    if (!listeners) return undefined
    return startStorageListener({ ...listeners, warn }, (id, resource) => this.#connectForTransfer(find, id, resource))
  }

  #isOnThisHost(intern: Intern): boolean {
    return this.#deps.hosts.isOnThisHost(intern.hostname)
  }

  #homeOf(intern: Intern): string {
    return findHome(this.#homes, intern.id, this.#isOnThisHost(intern) ? intern.home : null)
  }

  /** Ends the processes of an intern, but not a start that is running. */
  async #end(intern: Intern): Promise<void> {
    const wasServing = this.#storageProcesses.end(intern.id)
    if (!this.#isOnThisHost(intern)) return
    const home = this.#homeOf(intern)
    await endInterruptedClone(home)
    const record = readDaemonRecord(home)
    if (!record || (record.ended && !wasServing)) return
    await endDaemon(home, record)
    void this.#removeEnding(record.process)
    writeDaemonRecord(home, { ...record, ended: true })
  }

  /** How a daemon that this process started has ended; returned once. */
  #removeEnding(daemon: ProcessId): Promise<string> | undefined {
    const ending = this.#endings.get(processKey(daemon))
    this.#endings.delete(processKey(daemon))
    return ending
  }

  /** Writes new certificates for a daemon that listens for other hosts. */
  async #renewCertificates({ id }: Intern, home: string, { port, uid }: DaemonRecord): Promise<void> {
    const { listeners } = this.#deps
    if (listeners && port !== undefined) await writeCertificates(listeners, { id, home, uid })
  }

  /** A connection for one request to the stored files of an intern that does not run. */
  #connectStorage(intern: Intern): Promise<Socket> {
    const home = this.#homeOf(intern)
    const findUid = async () => {
      await this.#deps.waitUntilEnded(intern)
      return (await this.#haveSeparateUsers()) ? allocateUser(home, this.#deps.config.intern_users_from) : undefined
    }
    return this.#storageProcesses.connect({ id: intern.id, home, findUid })
  }

  /** A connection for a request of a server on another host. @throws Refusal. */
  async #connectForTransfer(find: FindIntern, id: string, resource: 'files' | 'log'): Promise<Duplex> {
    const current = await find(id)
    const intern = current && this.#isOnThisHost(current) ? current : undefined
    if (resource === 'log') {
      if (intern) return createLogConnection(this.#homeOf(intern))
      throw new Refusal('intern_unreachable', 'The intern is not on this host any more: retry.')
    }
    if (intern && hasNoProcesses(intern)) return this.#connectStorage(intern)
    throw new Refusal('intern_unreachable', 'The intern is not at rest on this host any more: retry.')
  }
}

type FindIntern = (id: string) => Promise<Intern | undefined>

const processKey = ({ pid, began }: ProcessId) => `${pid} ${began}`
