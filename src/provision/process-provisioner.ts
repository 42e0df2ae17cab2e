import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Config } from '#config/settings.ts'
import { connectRuns, keptThrough } from '#interns/connect-runs.ts'
import { addressElsewhere, type ElsewhereDeps, keptElsewhere } from '#interns/elsewhere.ts'
import type { McpServer } from '#interns/mcp-servers.ts'
import { Refusal } from '#interns/refusal.ts'
import type { Repository } from '#interns/repository.ts'
import type { Runs } from '#interns/runs.ts'
import { type Intern, isUp } from '#interns/store.ts'
import { once } from '#lib/once.ts'
import { markerOf } from '#lib/process-marker.ts'
import { agentCommandOf } from './agent-command.ts'
import { lackOfMemory, makeGroup, notHeldBy } from './control-group.ts'
import { roomForGroups } from './control-groups.ts'
import { healthOf } from './daemon-health.ts'
import { daemonLimits } from './daemon-limits.ts'
import {
  allowTraversal,
  baseUrlFile,
  type DaemonRecord,
  endOfLog,
  forgetEnd,
  instructionsFile,
  prepareHome,
  readDaemonRecord,
  removeHome,
  restrictSocket,
  writeBaseUrl,
  writeDaemonRecord,
} from './intern-home.ts'
import { monitorIntern } from './intern-monitor.ts'
import { KeptInterns } from './kept-interns.ts'
import { startKeptListener } from './kept-listener.ts'
import { killAll } from './kill-all.ts'
import { PassingFailure } from './passing-failure.ts'
import { endsWithin, isAlive, type ProcessId, send, withDescendants } from './processes.ts'
import { programs } from './programs.ts'
import type { Provisioner } from './provisioner.ts'
import { aboutRepository, cloneRepository } from './repository/clone.ts'
import { exceededByDisk } from './resource-limits.ts'
import { startDaemon } from './start-daemon.ts'
import { prepareListener, renewCertificatesEveryMs, type TcpListeners, writeCertificates } from './tcp-listener.ts'
import { unreachable } from './unreachable.ts'
import { allocateUser, whyUsersFail } from './user-ids.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Named from outside, so that not even the first file of a process is compiled anew: that takes 10 MB and 50 ms. */
const sharedCompileCache = join(root, 'node_modules/.cache/compile')
/** Files of ours that a process of an intern reads. They stand for the different ways in which access may be denied. */
const needed = ['bin/daemon.ts', 'src/daemon/start.ts', 'package.json', 'node_modules/zod/package.json']

const patience = { startMs: 20_000, healthMs: 2000, stopMs: 1200, endMs: 10_000 }

export type ProcessDeps = ElsewhereDeps & {
  config: Config
  /** Where interns' daemons listen for servers on other hosts, if they do. */
  listeners: TcpListeners | undefined
  /** The data folder, as an absolute path. */
  dataDir: string
  /** The service itself, as a process on its host reaches it. */
  baseUrl: () => string
  variable: (name: string) => string | undefined
  warn: (message: string) => void
  /** Resolves when nothing is at the files of an intern that is at rest. */
  ended: (intern: Intern) => Promise<void>
  /** The password of an intern's repository. */
  passwordOf: (intern: Intern) => Promise<string | undefined>
  /** The intern's servers of tools, with their secrets. */
  mcpServersOf: (intern: Intern) => Promise<McpServer[]>
  /** A text without this secret, or what looks like one. */
  mask: (text: string, secret: string | undefined) => string
}

/** Interns as processes of this host: a daemon each, in a folder and, where we are root, under a user of its own. */
export function processProvisioner(deps: ProcessDeps): Provisioner {
  const { config, dataDir, listeners, hosts } = deps
  const isHere = ({ hostname }: Intern) => hosts.here !== undefined && (hostname ?? hosts.here) === hosts.here
  const homes = join(dataDir, 'interns')
  const usersWork = once(() => checkUsers(deps, homes))
  const room = once(async () =>
    config.intern_control_groups ? roomForGroups(config.keep_interns_running, deps.warn) : undefined,
  )
  /** The ends of the daemons that this process started. */
  const endings = new Map<string, Promise<string>>()
  const homeOf = (intern: Intern) => (isHere(intern) && intern.home) || join(homes, intern.id)

  const runsOf = (intern: Intern): Runs =>
    isHere(intern) ? runsHere(homeOf(intern)) : connectRuns(() => addressElsewhere(deps, intern))

  /** The interns whose repositories are being cloned. */
  const cloning = new Map<string, AbortController>()
  const clone = async (intern: Intern, repository: Repository, home: string, uid: number | undefined) => {
    const stopped = new AbortController()
    cloning.set(intern.id, stopped)
    try {
      const password = await deps.passwordOf(intern)
      const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(config.repository_clone_ms)])
      const around = { config, path: deps.variable('PATH') ?? '', host: 'on this server', mask: deps.mask } as const
      await cloneRepository(around, { home, repository, password, uid, signal })
    } finally {
      cloning.delete(intern.id)
    }
  }

  const keptInterns = new KeptInterns({ config, path: deps.variable('PATH') ?? '' })
  const connectKept = (intern: Intern) => {
    const home = homeOf(intern)
    const uid = async () => {
      await deps.ended(intern)
      return (await usersWork()) ? allocateUser(home, config.intern_users_from) : undefined
    }
    return keptInterns.connect({ id: intern.id, home, uid })
  }

  const stop = async (intern: Intern) => {
    cloning.get(intern.id)?.abort()
    const wasServing = keptInterns.end(intern.id)
    const home = homeOf(intern)
    const record = isHere(intern) && readDaemonRecord(home)
    if (!record || (record.ended && !wasServing)) return
    await endDaemon(home, record)
    writeDaemonRecord(home, { ...record, ended: true })
  }
  const start: Provisioner['start'] = async (intern, secret, onProgress) => {
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
      await clone(intern, repository, home, uid)
    }
    step('Starting the daemon')
    const groups = await room()
    const group = groups && makeGroup(groups, intern.id, config)
    const { process: daemon, ended } = await startDaemon({ ...deps, home, uid, group, compileCache, input })
    const record = {
      process: daemon,
      ...connection,
      ...(listen && { port: listen.port }),
      secret,
      ...(uid !== undefined && { uid }),
      ...(group && { group }),
    }
    writeDaemonRecord(home, record)
    endings.set(nameOf(daemon), ended)
    step('Waiting for the daemon')
    try {
      await answering(home, record)
      requireRoom(await counted)
    } catch (error) {
      await endDaemon(home, record)
      throw error
    }
    restrictSocket(connection.socketPath, uid)
    return listen && { port: listen.port, token: connection.token }
  }

  /** A daemon that listens for other hosts gets new certificates. */
  const renewCertificates = async ({ id }: Intern, home: string, { port, uid }: DaemonRecord) => {
    if (listeners && port !== undefined) await writeCertificates(listeners, { id, home, uid })
  }

  return {
    placeOf: (intern) => ({ hostname: hosts.here ?? '', home: homeOf(intern) }),
    secretOf: async (intern) => readDaemonRecord(homeOf(intern))?.secret,
    start,
    async adopt(intern) {
      const record = isHere(intern) ? readDaemonRecord(homeOf(intern)) : undefined
      if (!record || !isAlive(record.process) || !(await answers(record))) return false
      writeBaseUrl(homeOf(intern), deps.baseUrl(), record.uid)
      // It may be long since anybody did.
      await renewCertificates(intern, homeOf(intern), record)
      return true
    },
    watch(intern, gone) {
      const record = readDaemonRecord(homeOf(intern))
      const ending = () => {
        const ended = record && endings.get(nameOf(record.process))
        if (record) endings.delete(nameOf(record.process))
        return ended
      }
      const daemon = {
        process: record?.process,
        ending,
        answers: async (withinMs: number) => record !== undefined && answers(record, withinMs),
        unresponsiveMs: config.intern_unresponsive_ms,
      }
      const home = homeOf(intern)
      const used = record && {
        home,
        pid: record.process.pid,
        uid: record.uid,
        resourceLimits: notHeldBy(record.group, config),
        end: () => endDaemon(home, record),
      }
      const renewing = setInterval(() => {
        if (record)
          void renewCertificates(intern, home, record).catch((error: Error) =>
            deps.warn(`The certificate of the intern ${intern.name} could not be renewed: ${error.message}`),
          )
      }, renewCertificatesEveryMs).unref()
      const unwatch = monitorIntern(daemon, used, (reason) => gone(reason + lackOfMemory(record?.group)))
      return () => {
        clearInterval(renewing)
        unwatch()
      }
    },
    async endStrangers(idsHere) {
      const present = existsSync(homes) ? readdirSync(homes) : []
      const ids = await idsHere()
      const strangers = present.filter((id) => !ids.has(id))
      for (const id of strangers) {
        const record = readDaemonRecord(join(homes, id))
        if (!record || !isAlive(record.process)) continue
        deps.warn(`The intern ${id} does not live here any more: its daemon is ended, its files are left in ${homes}.`)
        await endDaemon(join(homes, id), record)
      }
    },
    stop,
    leave: stop,
    async destroy(intern) {
      if (!isHere(intern)) throw new Error(`Its folder is on the host ${intern.hostname}.`)
      await stop(intern)
      await removeHome(homeOf(intern), readDaemonRecord(homeOf(intern)))
    },
    runs: runsOf,
    kept(intern) {
      if (!isHere(intern)) return keptElsewhere(deps, intern)
      return isUp(intern) ? runsHere(homeOf(intern)) : keptThrough(() => connectKept(intern))
    },
    async serveKept(find) {
      if (!listeners) return undefined
      const restingHere = async (id: string) => {
        const intern = await find(id)
        return intern && isHere(intern) && mayBeRead(intern) ? intern : undefined
      }
      return startKeptListener({ ...listeners, warn: deps.warn }, async (id) => {
        const intern = await restingHere(id)
        if (!intern) throw new Refusal('intern_unreachable', 'The intern is not at rest here any more: ask again.')
        return connectKept(intern)
      })
    },
  }
}

/** Nothing is at its folder, and nothing is about to be. */
const mayBeRead = (intern: Intern) =>
  !isUp(intern) && ['running', 'stopped', 'failed', 'destroy_failed'].includes(intern.status)

const nameOf = ({ pid, began }: ProcessId) => `${pid} ${began}`

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

/** Whether each intern gets its own user. Warns if that should be so and is not possible. */
async function checkUsers({ config, dataDir, warn }: ProcessDeps, homes: string): Promise<boolean> {
  mkdirSync(homes, { recursive: true, mode: 0o700 })
  if (process.getuid?.() !== 0 || config.intern_users_from === 0) return false
  for (const folder of [dataDir, homes]) allowTraversal(folder)
  const files = [...Object.values(programs), ...needed.map((file) => join(root, file))]
  const why = await whyUsersFail(config.intern_users_from, files, homes)
  if (why) warn(`Interns run as root, like this server, because users of their own cannot run them here: ${why}`)
  return why === undefined
}

async function answering(home: string, record: DaemonRecord): Promise<void> {
  const until = performance.now() + patience.startMs
  while (!(await answers(record))) {
    if (!isAlive(record.process)) throw new Error(`The daemon ended while it started: ${endOfLog(home)}`)
    if (performance.now() > until)
      throw new PassingFailure(`The daemon did not answer within ${patience.startMs / 1000} seconds.`)
    await sleep(10)
  }
}

const answers = async (record: DaemonRecord, withinMs = patience.healthMs) =>
  (await healthOf(record, withinMs)) !== undefined

/**
 * The daemon ends its agent; all that is still there after a while, and what strayed from them, is made to.
 * @throws Error when something of the intern goes on all the same.
 */
async function endDaemon(home: string, { process: daemon, uid, group }: DaemonRecord): Promise<void> {
  const own = withDescendants(daemon, undefined)
  send(daemon, 'SIGTERM')
  await endsWithin(daemon, patience.stopMs)
  await killAll({ process: daemon, uid, group, mark: markerOf(join(home, 'workspace')) }, patience.endMs)
  for (const each of own) send(each, 'SIGKILL')
}

function runsHere(home: string): Runs {
  const record = readDaemonRecord(home)
  return record ? connectRuns(record) : unreachable('The intern cannot be reached: its daemon is not there.')
}
