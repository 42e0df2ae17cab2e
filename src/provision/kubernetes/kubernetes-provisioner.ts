import type { DaemonApi, InternHealth } from '#interns/contract/daemon-api.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import {
  openAccess,
  type RemoteInternDeps,
  remoteAddress,
  remoteLog,
  remoteStorage,
} from '#interns/hosts/remote-interns.ts'
import type { GitAuthor } from '#interns/registry/git-author.ts'
import type { Progress } from '#interns/registry/intern.ts'
import { type Intern, isAwake } from '#interns/registry/intern-store.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import { connectRuns, type DaemonAddress } from '#interns/remote/connect-runs.ts'
import type { DaemonCertificates } from '#interns/remote/daemon-certificates.ts'
import type { InternLog, LogLength } from '#interns/remote/log.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import { repeat } from '#platform/async/reconcile.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import { readHealth } from '../host/daemon-health.ts'
import { renewCertificatesEveryMs } from '../processes/tcp-listener.ts'
import type { DaemonLocation, Provisioner } from '../supervisor/provisioner.ts'
import type { Cluster } from './client/access.ts'
import type { KubernetesClient } from './client/client.ts'
import { readStoredSecrets, toRotatedFiles } from './intern-files.ts'
import { daemonPort, objectName } from './objects.ts'
import { findEviction } from './pods/eviction.ts'
import { findFilesAddress } from './pods/files-pod.ts'
import type { Pod } from './pods/pod.ts'
import { readPodLog } from './pods/pod-log.ts'
import { healthMs, PodStarts } from './pods/pod-starts.ts'
import { Pods } from './pods/pods.ts'
import { endOrphanedPods, endPod, removeAll } from './pods/removal.ts'
import { watchPod } from './pods/watch-pod.ts'

type KubernetesDeps = RemoteInternDeps & {
  config: Config
  cluster: Cluster
  certificates: Pick<DaemonCertificates, 'forDaemon' | 'forServer'>
  /** The path of the API below the service's address. */
  apiPath: () => string
  warn: (message: string) => void
  now: Now
  /** The intern's MCP servers, with their secrets. */
  mcpServersOf: (intern: Intern) => Promise<McpServer[]>
  /** The git author for the intern. */
  gitAuthorOf: (intern: Intern) => Promise<GitAuthor>
  /** The password of the intern's repository. */
  passwordOf: (intern: Intern) => Promise<string | undefined>
}

/** Runs interns as pods of a cluster: a StatefulSet with one pod and a volume for each. The pod runs only the daemon. */
export class KubernetesProvisioner implements Provisioner {
  readonly #deps: KubernetesDeps
  readonly #client: KubernetesClient
  readonly #removal: { client: KubernetesClient; stopMs: number }
  readonly #pods: Pods
  readonly #starts: PodStarts

  constructor(deps: KubernetesDeps) {
    this.#deps = deps
    this.#client = deps.cluster.client
    this.#removal = { client: this.#client, stopMs: deps.config.kubernetes_stop_ms }
    const onError = (error: Error) => deps.warn(`Pods of interns cannot be watched: ${error.message}`)
    this.#pods = new Pods({ client: this.#client, onError })
    this.#starts = new PodStarts({
      ...deps,
      pods: this.#pods,
      baseUrl: () => this.#baseUrl(),
      addressIn: (id, host, token) => this.#addressIn(id, host, token),
    })
  }

  locationOf(intern: Intern): DaemonLocation {
    // Only a server with a host runs interns.
    return { hostname: this.#deps.hosts.thisHost ?? '', home: objectName(intern.id) }
  }

  async secretOf(intern: Intern): Promise<string | undefined> {
    return readStoredSecrets(await this.#client.get('Secret', objectName(intern.id))).key
  }

  start(intern: Intern, secret: string, onProgress: (progress: Progress) => void): Promise<TcpAccess> {
    return this.#starts.start(intern, secret, onProgress)
  }

  async adopt(intern: Intern): Promise<boolean> {
    if (intern.tcpAccess === null || (await this.#health(intern, healthMs)) === undefined) return false
    // The daemon's certificates can be close to their expiry.
    void this.#renewCertificates(intern)
    return true
  }

  watch(intern: Intern, onEnd: (reason: string) => void, onOutdated: () => void): () => void {
    const { cluster, config, vault } = this.#deps
    const access = openAccess(vault, intern)
    const stopRenewing = repeat(() => this.#renewCertificates(intern), {
      firstMs: renewCertificatesEveryMs,
      everyMs: renewCertificatesEveryMs,
      onError: () => {},
    })
    const options = {
      internId: intern.id,
      address: access?.host ?? '',
      image: cluster.image,
      unresponsiveMs: config.intern_unresponsive_ms,
      health: (withinMs: number) => this.#health(intern, withinMs).catch(() => undefined),
      findEviction: (pod: Pod) => this.#findEviction(intern, pod),
    }
    const unwatch = watchPod(this.#pods, options, onEnd, onOutdated)
    return () => {
      stopRenewing()
      unwatch()
    }
  }

  /** Returns the reason for an eviction. Without access to the cluster the watch reports the end of the pod without it. */
  async #findEviction({ id }: Intern, pod: Pod): Promise<string | undefined> {
    try {
      return await findEviction(this.#client, id, pod)
    } catch (error) {
      this.#deps.warn(`The events of the pod ${pod.name} cannot be read: ${(error as Error).message}`)
      return undefined
    }
  }

  /** Does not wait for the API server, which can be unreachable. */
  async endForeignDaemons(idsHere: () => Promise<ReadonlySet<string>>): Promise<void> {
    const { warn } = this.#deps
    void endOrphanedPods({ client: this.#client, warn }, idsHere).catch((error: Error) =>
      warn(`Pods of other or deleted interns could not be ended: ${error.message}`),
    )
  }

  async stop({ id }: Intern): Promise<void> {
    this.#starts.abort(id, 'The intern was stopped.')
    await endPod(this.#removal, id)
  }

  /** Aborts a start, which the next server repeats. Pods do not belong to a server and continue. */
  async leave({ id }: Intern): Promise<void> {
    this.#starts.abort(id, 'The server is stopping.')
  }

  async destroy(intern: Intern): Promise<void> {
    if (!this.#isOnThisHost(intern)) throw new Error(`Its files are on ${intern.hostname}.`)
    this.#starts.abort(intern.id, 'The intern was deleted.')
    await removeAll(this.#removal, intern.id)
  }

  runsOf(intern: Intern): DaemonApi {
    return connectRuns(() => this.#addressOf(intern))
  }

  storageOf(intern: Intern): Pick<DaemonApi, 'files' | 'transcripts'> {
    if (!this.#isOnThisHost(intern)) return remoteStorage(this.#deps, intern)
    return isAwake(intern) ? this.runsOf(intern) : connectRuns(() => this.#addressOfFiles(intern))
  }

  readLog(intern: Intern, range: LogLength): Promise<InternLog> {
    if (!this.#isOnThisHost(intern)) return remoteLog(this.#deps, intern, range.bytes)
    return readPodLog(this.#client, intern.id, range)
  }

  /** All servers of a namespace count as one host. */
  async serveStorage(): Promise<undefined> {}

  #isOnThisHost(intern: Intern): boolean {
    return this.#deps.hosts.isOnThisHost(intern.hostname)
  }

  /** The URL of the API for pods. */
  #baseUrl(): string {
    return this.#deps.cluster.serviceUrl + this.#deps.apiPath()
  }

  async #addressIn(id: string, host: string, token: string): Promise<DaemonAddress> {
    return { host, port: daemonPort, token, tls: await this.#deps.certificates.forServer(id) }
  }

  async #addressOf(intern: Intern): Promise<DaemonAddress> {
    if (!this.#isOnThisHost(intern)) return remoteAddress(this.#deps, intern)
    const access = openAccess(this.#deps.vault, intern)
    if (access?.host === undefined)
      throw new Refusal('intern_unreachable', 'The intern cannot be reached: it has no pod.')
    return this.#addressIn(intern.id, access.host, access.token)
  }

  #addressOfFiles(intern: Intern): Promise<DaemonAddress> {
    const { config, cluster } = this.#deps
    return findFilesAddress(
      {
        config,
        client: this.#client,
        image: cluster.image,
        addressIn: (id, host, token) => this.#addressIn(id, host, token),
        renewCertificates: () => this.#renewCertificates(intern),
        isResponding: async (address) => (await readHealth(address, healthMs)) !== undefined,
      },
      intern.id,
    )
  }

  async #health(intern: Intern, withinMs: number): Promise<InternHealth | undefined> {
    return readHealth(await this.#addressOf(intern), withinMs)
  }

  /** Renews the certificates. Running daemons reload them. Never rejects. */
  async #renewCertificates({ id, name }: Intern): Promise<void> {
    const { certificates, warn } = this.#deps
    try {
      const files = { ...toRotatedFiles(await certificates.forDaemon(id)), 'service-url': this.#baseUrl() }
      await this.#client.merge('Secret', objectName(id), { stringData: files })
    } catch (error) {
      warn(`The certificate of the intern ${name} could not be renewed: ${(error as Error).message}`)
    }
  }
}
