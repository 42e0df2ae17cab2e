import type { Config } from '#config/settings.ts'
import { connectRuns, type DaemonAddress } from '#interns/connect-runs.ts'
import type { DaemonCertificates } from '#interns/daemon-certificates.ts'
import { addressElsewhere, type ElsewhereDeps, keptElsewhere, logElsewhere, openAccess } from '#interns/elsewhere.ts'
import type { McpServer } from '#interns/mcp-servers.ts'
import { Refusal } from '#interns/refusal.ts'
import { type Intern, isUp } from '#interns/store.ts'
import type { Now } from '#lib/clock.ts'
import { healthOf } from '../daemon-health.ts'
import type { Provisioner } from '../provisioner.ts'
import { renewCertificatesEveryMs } from '../tcp-listener.ts'
import type { Cluster } from './access.ts'
import { evictedByNode } from './eviction.ts'
import { addressOfFiles as addressOfFilesPod } from './files-pod.ts'
import { knownOf, rotatedOf } from './intern-files.ts'
import { daemonPort, nameOf } from './objects.ts'
import type { Pod } from './pod.ts'
import { podLog } from './pod-log.ts'
import { healthMs, PodStarts } from './pod-starts.ts'
import { Pods } from './pods.ts'
import { endPod, endStrangers, removeAll } from './removal.ts'
import { watchPod } from './watch-pod.ts'

export type KubernetesDeps = ElsewhereDeps & {
  config: Config
  cluster: Cluster
  certificates: Pick<DaemonCertificates, 'forDaemon' | 'forServer'>
  /** The path of the API below the service's address. */
  apiPath: () => string
  warn: (message: string) => void
  now: Now
  /** The intern's servers of tools, with their secrets. */
  mcpServersOf: (intern: Intern) => Promise<McpServer[]>
  /** The password of its repository. */
  passwordOf: (intern: Intern) => Promise<string | undefined>
}

/** Interns as pods of a cluster: a StatefulSet of one each, with a volume, in which the daemon is all that runs. */
export function kubernetesProvisioner(deps: KubernetesDeps): Provisioner {
  const { config, cluster, hosts, certificates, warn } = deps
  const { client, image } = cluster
  const pods = new Pods({ client, onError: (error) => warn(`Pods of interns cannot be watched: ${error.message}`) })
  const removal = { client, stopMs: config.kubernetes_stop_ms }
  const isHere = ({ hostname }: Intern) => hosts.here !== undefined && (hostname ?? hosts.here) === hosts.here
  const baseUrl = () => cluster.serviceUrl + deps.apiPath()

  const addressIn = async (id: string, host: string, token: string): Promise<DaemonAddress> => ({
    ...{ host, port: daemonPort, token, tls: await certificates.forServer(id) },
  })
  const addressOf = async (intern: Intern): Promise<DaemonAddress> => {
    if (!isHere(intern)) return addressElsewhere(deps, intern)
    const access = openAccess(deps.vault, intern)
    if (access?.host === undefined)
      throw new Refusal('intern_unreachable', 'The intern cannot be reached: it has no pod.')
    return addressIn(intern.id, access.host, access.token)
  }
  const health = async (intern: Intern, withinMs: number) => healthOf(await addressOf(intern), withinMs)
  const runs = (intern: Intern) => connectRuns(() => addressOf(intern))

  const addressOfFiles = (intern: Intern) =>
    addressOfFilesPod(
      {
        ...{ config, client, image, addressIn, rotate: () => rotate(intern) },
        answers: async (address) => (await healthOf(address, healthMs)) !== undefined,
      },
      intern.id,
    )

  /** Daemons that run read what is rotated again. */
  const rotate = async ({ id, name }: Intern) => {
    try {
      const files = { ...rotatedOf(await certificates.forDaemon(id)), 'service-url': baseUrl() }
      await client.merge('Secret', nameOf(id), { stringData: files })
    } catch (error) {
      warn(`The certificate of the intern ${name} could not be renewed: ${(error as Error).message}`)
    }
  }

  const starts = new PodStarts({ ...deps, pods, baseUrl, addressIn })
  const stop = async ({ id }: Intern) => {
    starts.abort(id, 'The intern was stopped meanwhile.')
    await endPod(removal, id)
  }

  return {
    placeOf: (intern) => ({ hostname: hosts.here ?? '', home: nameOf(intern.id) }),
    secretOf: async (intern) => knownOf(await client.get('Secret', nameOf(intern.id))).key,
    start: (intern, secret, onProgress) => starts.start(intern, secret, onProgress),
    async adopt(intern) {
      if (intern.tcpAccess === null || (await health(intern, healthMs)) === undefined) return false
      // It may be long since anybody did.
      void rotate(intern)
      return true
    },
    watch(intern, gone, outdated) {
      const access = openAccess(deps.vault, intern)
      const renewing = setInterval(() => void rotate(intern), renewCertificatesEveryMs).unref()
      const watched = {
        ...{ intern: intern.id, address: access?.host ?? '', image, unresponsiveMs: config.intern_unresponsive_ms },
        health: (withinMs: number) => health(intern, withinMs).catch(() => undefined),
        evicted: (pod: Pod) => evictedByNode(client, intern.id, pod),
      }
      const unwatch = watchPod(pods, watched, gone, outdated)
      return () => {
        clearInterval(renewing)
        unwatch()
      }
    },
    // Whether the API server is there or not: nobody waits for it.
    endStrangers: async (idsHere) =>
      void endStrangers({ client, warn }, idsHere).catch((error: Error) =>
        warn(`Pods of nobody are not ended: ${error.message}`),
      ),
    stop,
    // Pods are none of this server: the next one starts what this one was starting.
    leave: async ({ id }) => starts.abort(id, 'The server stops.'),
    async destroy(intern) {
      if (!isHere(intern)) throw new Error(`Its files are on ${intern.hostname}.`)
      starts.abort(intern.id, 'The intern was deleted meanwhile.')
      await removeAll(removal, intern.id)
    },
    runs,
    kept(intern) {
      if (!isHere(intern)) return keptElsewhere(deps, intern)
      return isUp(intern) ? runs(intern) : connectRuns(() => addressOfFiles(intern))
    },
    log: (intern, wanted) =>
      isHere(intern) ? podLog(client, intern.id, wanted) : logElsewhere(deps, intern, wanted.bytes),
    // All servers of a namespace are one host.
    serveKept: async () => undefined,
  }
}
