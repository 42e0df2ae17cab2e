import { hostname } from 'node:os'
import { maskSecrets } from '#gateway/attempt/secrets/mask-secrets.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { EndReason } from '#interns/contract/run.ts'
import { type HostDescription, InternHosts } from '#interns/hosts/hosts.ts'
import { createIntern } from '#interns/lifecycle/create-intern.ts'
import { waitUntilEnded } from '#interns/lifecycle/wait-until-ended.ts'
import { findGitAuthor } from '#interns/registry/git-author.ts'
import type { Intern } from '#interns/registry/intern-store.ts'
import { readMcpServers } from '#interns/registry/mcp-servers.ts'
import { readRepositoryPassword } from '#interns/registry/repository.ts'
import { DaemonCertificates } from '#interns/remote/daemon-certificates.ts'
import { encryptAccess } from '#interns/remote/tcp-access.ts'
import type { DecisionCollector } from '#interns/rules/decision-collector.ts'
import { type FollowDeps, followRuns } from '#interns/runs/follow-runs.ts'
import type { ReadMeteredUsage } from '#interns/runs/metered-usage.ts'
import type { ReadSpending } from '#interns/runs/run-spending.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Log } from '#platform/process/log.ts'
import { throttleWarnings } from '#platform/process/warning-throttle.ts'
import { readCluster } from '#provision/kubernetes/client/access.ts'
import { KubernetesProvisioner } from '#provision/kubernetes/kubernetes-provisioner.ts'
import { ProcessProvisioner } from '#provision/processes/process-provisioner.ts'
import type { Provisioner } from '#provision/supervisor/provisioner.ts'
import { Supervisor } from '#provision/supervisor/supervisor.ts'
import { reachableUrl } from '../access/address.ts'
import { createStarterCheck } from './starter-check.ts'

export type SupervisionParts = {
  config: Config
  dataDir: string
  db: Db
  vault: Vault
  now: Now
  newId: NewId
  log: Log
  variable: (name: string) => string | undefined
  readMeteredUsage: ReadMeteredUsage
  readSpending: ReadSpending
  observeRunEnd: (outcome: EndReason) => void
  decisions: DecisionCollector
}

/** The parts that run and supervise interns. */
export type Supervision = {
  hosts: InternHosts
  provisioner: Provisioner
  supervisor: Supervisor
  /** Starts the supervision of interns; the service listens at `url`. */
  start: (url: string) => Promise<void>
}

/** Opens the parts. None of them runs before `start`: only one of several processes of a service supervises interns. */
export function openSupervision(parts: SupervisionParts): Supervision {
  const { config, db, vault, now, newId, log } = parts
  let baseUrl = ''
  const thisHost = ownHost(config, db)
  const hosts = new InternHosts({ db, clock: createDatabaseClock(db, now), ownHost: thisHost })
  const provisioner = createProvisioner(parts, { hosts, thisHost, baseUrl: () => baseUrl })
  const onError = throttleWarnings(log, 'intern')
  const checkStarter = createStarterCheck({ db, now })
  const followDeps: FollowDeps = { ...parts, checkStarter, onEnded: createRunEndReport(parts), onError }
  const supervisor = new Supervisor({
    db,
    now,
    provisioner,
    hosts,
    onError,
    server: newId(),
    // Pods are not processes of a server, so they continue when the server ends.
    keepRunning: config.keep_interns_running || config.provisioner === 'kubernetes',
    idleMs: config.intern_idle_ms,
    sealAccess: (...access) => encryptAccess(vault, ...access),
    recordRuns: (intern) => followRuns(followDeps, intern, () => provisioner.runsOf(intern)),
  })
  const start = (url: string) => {
    baseUrl = reachableUrl(url)
    return supervisor.start()
  }
  return { hosts, provisioner, supervisor, start }
}

type ProvisionerContext = {
  hosts: InternHosts
  thisHost: HostDescription | undefined
  /** Returns the URL at which the service listens; empty before the start. */
  baseUrl: () => string
}

/** Creates what runs the daemons of interns: as processes, or as pods of Kubernetes. */
function createProvisioner(parts: SupervisionParts, { hosts, thisHost, baseUrl }: ProvisionerContext): Provisioner {
  const { config, dataDir, db, vault, now, log, variable } = parts
  const certificates = new DaemonCertificates({ db, vault, now })
  const commonDeps = {
    config,
    warn: (message: string) => log.warn(message),
    hosts,
    vault,
    certificates,
    mcpServersOf: ({ id }: Intern) => readMcpServers({ db, vault }, id),
    gitAuthorOf: (intern: Intern) => findGitAuthor(db, intern),
    passwordOf: ({ id }: Intern) => readRepositoryPassword({ db, vault }, id),
  }
  if (config.provisioner === 'kubernetes') {
    const apiPath = () => new URL(baseUrl()).pathname
    return new KubernetesProvisioner({ ...commonDeps, now, apiPath, cluster: readCluster(config, variable) })
  }
  const listenAddress = thisHost?.address && (config.intern_listen ?? thisHost.address)
  return new ProcessProvisioner({
    ...commonDeps,
    dataDir,
    baseUrl,
    variable,
    mask: maskSecrets,
    onMeasureError: throttleWarnings(log, 'the disk use or processes of an intern could not be measured'),
    waitUntilEnded: ({ id }) => waitUntilEnded({ db }, id),
    listeners: listenAddress ? { listen: listenAddress, ports: config.intern_ports, certificates } : undefined,
  })
}

/** Returns the listener that counts ended runs, and logs those that spent their budget. */
function createRunEndReport({ log, observeRunEnd }: SupervisionParts): FollowDeps['onEnded'] {
  return ({ name, id }, { id: run, outcome, message, usage }) => {
    observeRunEnd(outcome ?? 'finished')
    if (outcome === 'over_budget')
      log.info({ intern: id, name, run, message, cost: usage?.cost }, 'a turn has spent its budget')
  }
}

/** The host of this server; undefined if it runs no interns. With SQLite no other server can reach the host. */
function ownHost(config: Config, { kind }: Db): HostDescription | undefined {
  if (config.interns === 'off') return undefined
  const { intern_labels: labels, intern_capacity: capacity } = config
  // All servers of a namespace manage its pods, each of which has an address.
  if (config.provisioner === 'kubernetes')
    return { name: config.intern_host ?? `kubernetes-${config.kubernetes_namespace}`, address: null, labels, capacity }
  const address = kind === 'postgres' ? (config.intern_address ?? null) : null
  return { name: config.intern_host ?? hostname(), address, labels, capacity }
}

/** The first start waits for its demo intern up to this time, so that the printed commands work immediately. */
const demoStartTimeoutMs = 15_000

/**
 * Creates the intern of the first start. It uses the demo model, which needs no provider's credential.
 * @param stopping ends the wait for its start.
 */
export async function createDemoIntern(
  deps: { db: Db; now: Now; newId: NewId; vault: Vault },
  { supervisor }: Pick<Supervision, 'supervisor'>,
  owner: Caller,
  stopping?: AbortSignal,
): Promise<void> {
  const description = 'Plays scenes on the demo model; docs/agents.md lists them.'
  const { intern } = await createIntern(deps, owner, { name: 'demo', description, provision: true })
  await supervisor.waitUntilSettled(intern.id, demoStartTimeoutMs, stopping)
}
