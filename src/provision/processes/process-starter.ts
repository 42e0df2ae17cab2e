import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GitAuthor } from '#interns/registry/git-author.ts'
import type { Progress } from '#interns/registry/intern.ts'
import type { Intern } from '#interns/registry/intern-store.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import { once } from '#platform/async/once.ts'
import type { Config } from '#platform/config/settings.ts'
import { trustedCaCertificates } from '#platform/net/ca-certificates.ts'
import { createInternGroup } from '../host/control-group.ts'
import { createGitConfig } from '../host/git-config.ts'
import { clearEnded, type DaemonRecord, readDaemonRecord, writeDaemonRecord } from '../host/home/daemon-record.ts'
import {
  type AgentCommand,
  baseUrlFile,
  caFile,
  gitConfigFile,
  instructionsFile,
  prepareHome,
  restrictSocket,
} from '../host/home/intern-home.ts'
import { prepareParentGroup } from '../host/parent-group.ts'
import { noProcess, type ProcessId } from '../host/processes.ts'
import { findExceededDiskLimit } from '../host/resource-limits.ts'
import { cloningStep, createProgressReporter } from '../host/start-progress.ts'
import { allocateUser } from '../host/user-ids.ts'
import type { RunningClones } from '../repository/running-clones.ts'
import { createAgentCommand, createInstructions } from './agent-command.ts'
import { toDaemonLimits } from './daemon-limits.ts'
import { endDaemon, waitUntilResponding } from './daemon-process.ts'
import { programs } from './programs.ts'
import { startDaemon } from './start-daemon.ts'
import { prepareListener, type TcpListeners } from './tcp-listener.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/**
 * Passed in the environment, so that the first file of a process uses the compile cache too. Compiling it takes 10 MB
 * and 50 ms.
 */
const sharedCompileCache = join(root, 'node_modules/.cache/compile')

type StartDeps = {
  config: Config
  dataDir: string
  variable: (name: string) => string | undefined
  listeners: TcpListeners | undefined
  baseUrl: () => string
  warn: (message: string) => void
  mcpServersOf: (intern: Intern) => Promise<McpServer[]>
  gitAuthorOf: (intern: Intern) => Promise<GitAuthor>
  homeOf: (intern: Intern) => string
  /** Whether each intern gets a separate user. */
  haveSeparateUsers: () => Promise<boolean>
  runningClones: Pick<RunningClones, 'register'>
  /** Ends the processes of an intern. */
  end: (intern: Intern) => Promise<void>
  /** Called with each daemon that runs, and the promise of how it ends. */
  onStarted: (daemon: ProcessId, ended: Promise<string>) => void
}

/** The folder of an intern, and its user, if it has a separate one. */
type PreparedHome = { home: string; uid: number | undefined; compileCache: string }

/** The result of the preparation of a start. The daemon reads `input` on its standard input. */
type PreparedStart = PreparedHome & {
  daemonAddress: ReturnType<typeof prepareHome>
  listen: Awaited<ReturnType<typeof prepareListener>> | undefined
  input: string | undefined
}

/** Starts the daemons of interns on this host. */
export class ProcessStarter {
  readonly #deps: StartDeps
  readonly #prepareGroups: () => Promise<string | undefined>

  constructor(deps: StartDeps) {
    const { config, warn } = deps
    this.#deps = deps
    this.#prepareGroups = once(async () =>
      config.intern_control_groups ? prepareParentGroup(config.keep_interns_running, warn) : undefined,
    )
  }

  /** @throws Error with the reason, written for the intern's owner. */
  async start(
    intern: Intern,
    secret: string,
    onProgress: (progress: Progress) => void,
  ): Promise<TcpAccess | undefined> {
    const { config, homeOf, runningClones, end } = this.#deps
    const { repository } = intern
    const reportStep = createProgressReporter(steps, intern, onProgress)
    const home = homeOf(intern)
    reportStep('Preparing the folder')
    // Before the first wait, so that stopping the intern also cancels the clone.
    using registeredStart = runningClones.register(intern)
    await end(intern)
    requireFiles(intern, home)
    clearEnded(home)
    // Counting many files takes long: it runs in parallel with the preparation.
    const exceededDiskLimit = findExceededDiskLimit(home, config)
    // The error is thrown where the result is awaited. If the start fails before, it must not be an unhandled rejection.
    exceededDiskLimit.catch(() => {})
    const prepared = await this.#prepare(intern, secret, home)
    const { uid, daemonAddress, listen } = prepared
    if (repository) {
      requireDiskSpace(await exceededDiskLimit)
      reportStep(cloningStep)
      await registeredStart.clone(repository, home, uid)
    }
    reportStep('Starting the daemon')
    try {
      const record = await this.#startDaemon(intern, secret, prepared)
      reportStep('Waiting for the daemon')
      await waitUntilResponding(home, record)
      requireDiskSpace(await exceededDiskLimit)
      restrictSocket(daemonAddress.socketPath, uid)
    } catch (error) {
      // The record is written before the process starts. A daemon that it does not name yet is found by its mark or user.
      const record = readDaemonRecord(home)
      if (record) await endDaemon(home, record)
      throw error
    }
    return listen && { port: listen.port, token: daemonAddress.token }
  }

  /** Creates the folder with the files that the daemon and its agent read. */
  async #prepare(intern: Intern, secret: string, home: string): Promise<PreparedStart> {
    const { config, listeners, haveSeparateUsers } = this.#deps
    const uid = (await haveSeparateUsers()) ? allocateUser(home, config.intern_users_from) : undefined
    const compileCache = uid === undefined ? sharedCompileCache : join(home, 'state', 'compiled')
    const baseUrl = this.#deps.baseUrl()
    const agent = this.#createAgentCommand(intern, secret, { home, compileCache, baseUrl })
    const servers = await this.#deps.mcpServersOf(intern)
    // An intern that was asleep is started for a prompt, so its agent is started without waiting for that prompt.
    const startsAgent = intern.asleepSince !== null
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const listen = listeners && (await prepareListener(listeners, { id: intern.id, home, uid }))
    const daemonAddress = prepareHome(home, {
      agent,
      limits: toDaemonLimits(config),
      startsAgent,
      baseUrl,
      uid,
      listen,
      caCertificates: trustedCaCertificates(),
      gitConfig: createGitConfig(await this.#deps.gitAuthorOf(intern)),
      instructions: createInstructions(intern),
      hasMcpServers: servers.length > 0,
    })
    const input = servers.length > 0 ? JSON.stringify(servers) : undefined
    return { home, uid, compileCache, daemonAddress, listen, input }
  }

  #createAgentCommand(
    intern: Intern,
    secret: string,
    { home, compileCache, baseUrl }: Pick<PreparedHome, 'home' | 'compileCache'> & { baseUrl: string },
  ): AgentCommand {
    const { config } = this.#deps
    const paths = {
      node: process.execPath,
      builtin: programs.agent,
      compileCache,
      instructions: instructionsFile(home),
      baseUrlFile: baseUrlFile(home),
      gitConfig: gitConfigFile(home),
      state: join(home, 'state', 'agent'),
      caFile: trustedCaCertificates() === undefined ? undefined : caFile(home),
    }
    return createAgentCommand(intern, {
      config,
      paths,
      secret,
      baseUrl,
      sandbox: createSandboxEnvironment(config),
    })
  }

  async #startDaemon({ id }: Intern, secret: string, prepared: PreparedStart): Promise<DaemonRecord> {
    const { config, onStarted } = this.#deps
    const { home, uid, daemonAddress, listen } = prepared
    const groups = await this.#prepareGroups()
    const group = groups && createInternGroup(groups, { id, uid }, config)
    const recordFields = {
      ...daemonAddress,
      ...(listen && { port: listen.port }),
      secret,
      uid,
      group,
    }
    // This process can be killed before it knows the daemon's process id. The next server must know that processes can remain.
    writeDaemonRecord(home, { process: noProcess, ...recordFields })
    const { process: daemon, ended } = await startDaemon({ ...this.#deps, ...prepared, group })
    const record = { process: daemon, ...recordFields }
    writeDaemonRecord(home, record)
    onStarted(daemon, ended)
    return record
  }
}

const steps = ['Preparing the folder', cloningStep, 'Starting the daemon', 'Waiting for the daemon'] as const

/** @param exceeded the limit that the intern's files exceed, in words. */
function requireDiskSpace(exceeded: string | undefined): void {
  if (exceeded) throw new Error(exceeded)
}

/** Prevents an intern that was moved to this host from starting with an empty folder. */
function requireFiles({ movedAt, hostname }: Intern, home: string): void {
  if (movedAt === null || existsSync(join(home, 'workspace'))) return
  throw new Error(
    `The intern was moved to the host ${hostname}, and its files are missing: copy its folder to ${home}.`,
  )
}

function createSandboxEnvironment({ without_sandbox, sandbox_program }: Config): Record<string, string> {
  return {
    SIGNALBOX_WITHOUT_SANDBOX: without_sandbox,
    ...(sandbox_program !== undefined && { SIGNALBOX_SANDBOX_PROGRAM: sandbox_program }),
  }
}
