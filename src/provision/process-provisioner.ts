import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '#config/settings.ts'
import { connectRuns, keptThrough } from '#interns/connect-runs.ts'
import { addressElsewhere, type ElsewhereDeps, keptElsewhere, logElsewhere } from '#interns/elsewhere.ts'
import type { McpServer } from '#interns/mcp-servers.ts'
import { Refusal } from '#interns/refusal.ts'
import type { Runs } from '#interns/runs.ts'
import { type Intern, isUp } from '#interns/store.ts'
import { once } from '#lib/once.ts'
import { lackOfMemory, notHeldBy } from './control-group.ts'
import { answers, endDaemon } from './daemon-process.ts'
import { type DaemonRecord, readDaemonRecord, removeHome, writeBaseUrl, writeDaemonRecord } from './intern-home.ts'
import { logConnection, readLog } from './intern-log.ts'
import { monitorIntern } from './intern-monitor.ts'
import { KeptInterns } from './kept-interns.ts'
import { startKeptListener } from './kept-listener.ts'
import { checkUsers } from './own-users.ts'
import { processStarter } from './process-starter.ts'
import { isAlive, type ProcessId } from './processes.ts'
import type { Provisioner } from './provisioner.ts'
import { endKilled } from './repository/clone.ts'
import { Clonings } from './repository/clonings.ts'
import { renewCertificatesEveryMs, type TcpListeners, writeCertificates } from './tcp-listener.ts'
import { unreachable } from './unreachable.ts'
import { allocateUser } from './user-ids.ts'

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
  /** The ends of the daemons that this process started. */
  const endings = new Map<string, Promise<string>>()
  const homeOf = (intern: Intern) => (isHere(intern) && intern.home) || join(homes, intern.id)

  const runsOf = (intern: Intern): Runs =>
    isHere(intern) ? runsHere(homeOf(intern)) : connectRuns(() => addressElsewhere(deps, intern))

  const clonings = new Clonings(deps)
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
    clonings.stop(intern.id)
    const wasServing = keptInterns.end(intern.id)
    const home = homeOf(intern)
    if (isHere(intern)) await endKilled(home)
    const record = isHere(intern) && readDaemonRecord(home)
    if (!record || (record.ended && !wasServing)) return
    await endDaemon(home, record)
    writeDaemonRecord(home, { ...record, ended: true })
  }
  const started = (daemon: ProcessId, ended: Promise<string>) => void endings.set(nameOf(daemon), ended)
  const start = processStarter({ ...deps, homeOf, usersWork, clonings, stop, started })

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
    log: (intern, { bytes }) => (isHere(intern) ? readLog(homeOf(intern), bytes) : logElsewhere(deps, intern, bytes)),
    async serveKept(find) {
      if (!listeners) return undefined
      const restingHere = async (id: string) => {
        const intern = await find(id)
        return intern && isHere(intern) && mayBeRead(intern) ? intern : undefined
      }
      return startKeptListener({ ...listeners, warn: deps.warn }, async (id, what) => {
        if (what === 'log') {
          const intern = await find(id)
          if (intern && isHere(intern)) return logConnection(homeOf(intern))
          throw new Refusal('intern_unreachable', 'The intern does not live here any more: ask again.')
        }
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

function runsHere(home: string): Runs {
  const record = readDaemonRecord(home)
  return record ? connectRuns(record) : unreachable('The intern cannot be reached: its daemon is not there.')
}
