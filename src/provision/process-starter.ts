import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '#config/settings.ts'
import type { McpServer } from '#interns/mcp-servers.ts'
import type { Intern } from '#interns/store.ts'
import { once } from '#lib/once.ts'
import { agentCommandOf } from './agent-command.ts'
import { makeGroup } from './control-group.ts'
import { roomForGroups } from './control-groups.ts'
import { daemonLimits } from './daemon-limits.ts'
import { endDaemon, untilAnswering } from './daemon-process.ts'
import {
  baseUrlFile,
  forgetEnd,
  instructionsFile,
  prepareHome,
  restrictSocket,
  writeDaemonRecord,
} from './intern-home.ts'
import { notStarted, type ProcessId } from './processes.ts'
import { programs } from './programs.ts'
import type { Provisioner } from './provisioner.ts'
import { aboutRepository } from './repository/clone.ts'
import type { Clonings } from './repository/clonings.ts'
import { exceededByDisk } from './resource-limits.ts'
import { startDaemon } from './start-daemon.ts'
import { prepareListener, type TcpListeners } from './tcp-listener.ts'
import { allocateUser } from './user-ids.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Named from outside, so that not even the first file of a process is compiled anew: that takes 10 MB and 50 ms. */
const sharedCompileCache = join(root, 'node_modules/.cache/compile')

type StartDeps = {
  config: Config
  dataDir: string
  variable: (name: string) => string | undefined
  listeners: TcpListeners | undefined
  baseUrl: () => string
  warn: (message: string) => void
  mcpServersOf: (intern: Intern) => Promise<McpServer[]>
  homeOf: (intern: Intern) => string
  /** Whether each intern gets a user of its own. */
  usersWork: () => Promise<boolean>
  clonings: Clonings
  stop: Provisioner['stop']
  /** Hears of a daemon that runs, and how it ends. */
  started: (daemon: ProcessId, ended: Promise<string>) => void
}

/** How an intern becomes a daemon on this host. */
export function processStarter(deps: StartDeps): Provisioner['start'] {
  const { config, listeners, homeOf, usersWork, clonings, stop, started } = deps
  const room = once(async () =>
    config.intern_control_groups ? roomForGroups(config.keep_interns_running, deps.warn) : undefined,
  )
  return async (intern, secret, onProgress) => {
    const { repository } = intern
    const steps = [
      'Preparing the folder',
      ...(repository ? ['Cloning the repository'] : []),
      'Starting the daemon',
      'Waiting for the daemon',
    ]
    const step = (label: (typeof steps)[number]) =>
      onProgress({ step_label: label, step_number: steps.indexOf(label) + 1, total_steps: steps.length })
    const home = homeOf(intern)
    step('Preparing the folder')
    await stop(intern)
    requireMoved(intern, home)
    forgetEnd(home)
    // However many files there are to count: the rest is done meanwhile.
    const counted = exceededByDisk(home, config)
    counted.catch(() => {})
    const uid = (await usersWork()) ? allocateUser(home, config.intern_users_from) : undefined
    const compileCache = uid === undefined ? sharedCompileCache : join(home, 'state', 'compiled')
    const baseUrl = deps.baseUrl()
    const places = {
      ...{ node: process.execPath, builtin: programs.agent, compileCache },
      ...{ instructions: instructionsFile(home), baseUrl: baseUrlFile(home), state: join(home, 'state', 'agent') },
    }
    const agent = agentCommandOf(intern, { config, places, secret, baseUrl, sandbox: sandboxOf(config) })
    const instructions = [intern.instructions, repository && aboutRepository(repository)].filter(Boolean).join('\n\n')
    const servers = await deps.mcpServersOf(intern)
    const startsAgent = intern.asleepSince !== null
    mkdirSync(home, { recursive: true, mode: 0o700 })
    const listen = listeners && (await prepareListener(listeners, { id: intern.id, home, uid }))
    const told = {
      agent,
      instructions,
      limits: daemonLimits(config),
      hasMcpServers: servers.length > 0,
      startsAgent,
      baseUrl,
    }
    const connection = prepareHome(home, { ...told, uid, listen })
    const input = servers.length > 0 ? JSON.stringify(servers) : undefined
    if (repository) {
      requireRoom(await counted)
      step('Cloning the repository')
      await clonings.clone(intern, repository, home, uid)
    }
    step('Starting the daemon')
    const groups = await room()
    const group = groups && makeGroup(groups, intern.id, config)
    const known = {
      ...connection,
      ...(listen && { port: listen.port }),
      secret,
      ...(uid !== undefined && { uid }),
      ...(group && { group }),
    }
    // We may be killed before we know its number: whoever comes next has to know that there is something to end.
    writeDaemonRecord(home, { process: notStarted, ...known })
    const { process: daemon, ended } = await startDaemon({ ...deps, home, uid, group, compileCache, input })
    const record = { process: daemon, ...known }
    writeDaemonRecord(home, record)
    started(daemon, ended)
    step('Waiting for the daemon')
    try {
      await untilAnswering(home, record)
      requireRoom(await counted)
    } catch (error) {
      await endDaemon(home, record)
      throw error
    }
    restrictSocket(connection.socketPath, uid)
    return listen && { port: listen.port, token: connection.token }
  }
}

/** @param full the limit of its files that is exceeded, in words. */
function requireRoom(full: string | undefined): void {
  if (full) throw new Error(full)
}

/** An intern that was moved here is not to begin anew because its files are not. */
function requireMoved({ movedAt, hostname }: Intern, home: string): void {
  if (movedAt === null || existsSync(join(home, 'workspace'))) return
  throw new Error(
    `The intern was moved to the host ${hostname}, and its files are not there: put its folder where ${home} is to be.`,
  )
}

function sandboxOf({ without_sandbox, sandbox_program }: Config): Record<string, string> {
  return {
    SIGNALBOX_WITHOUT_SANDBOX: without_sandbox,
    ...(sandbox_program !== undefined && { SIGNALBOX_SANDBOX_PROGRAM: sandbox_program }),
  }
}
