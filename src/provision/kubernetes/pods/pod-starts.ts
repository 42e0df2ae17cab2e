import type { GitAuthor } from '#interns/registry/git-author.ts'
import type { Progress } from '#interns/registry/intern.ts'
import type { Intern } from '#interns/registry/intern-store.ts'
import type { McpServer } from '#interns/registry/mcp-server-schema.ts'
import type { DaemonAddress } from '#interns/remote/connect-runs.ts'
import type { DaemonCertificates } from '#interns/remote/daemon-certificates.ts'
import type { TcpAccess } from '#interns/remote/tcp-access.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import { readHealth } from '../../host/daemon-health.ts'
import { cloningStep, createProgressReporter } from '../../host/start-progress.ts'
import type { Cluster } from '../client/access.ts'
import { createInternFiles, readStoredSecrets } from '../intern-files.ts'
import { createObjects, daemonPort, objectName } from '../objects.ts'
import type { Pods } from './pods.ts'
import { endFilesPod } from './removal.ts'
import { applyObjects, startRespondingPod } from './start-pod.ts'

type StartDeps = {
  config: Config
  cluster: Cluster
  certificates: Pick<DaemonCertificates, 'forDaemon'>
  pods: Pods
  now: Now
  /** The URL of the API for pods. */
  baseUrl: () => string
  /** The connection to the daemon of a pod with this address. */
  addressIn: (id: string, host: string, token: string) => Promise<DaemonAddress>
  mcpServersOf: (intern: Intern) => Promise<McpServer[]>
  gitAuthorOf: (intern: Intern) => Promise<GitAuthor>
  passwordOf: (intern: Intern) => Promise<string | undefined>
}

const steps = ['Creating its objects', 'Starting its pod', cloningStep, 'Waiting for the daemon'] as const

/** The time limit of a health check. */
export const healthMs = 2000

/** The interns that this server is starting as pods. */
export class PodStarts {
  readonly #deps: StartDeps
  /** Aborts the start of each intern that is being started. */
  readonly #abortControllers = new Map<string, AbortController>()

  constructor(deps: StartDeps) {
    this.#deps = deps
  }

  /** @throws Error with the reason, written for the intern's owner. */
  async start(intern: Intern, secret: string, onProgress: (progress: Progress) => void): Promise<TcpAccess> {
    const { config, cluster, pods, now, addressIn } = this.#deps
    const { client } = cluster
    const { id } = intern
    const reportStep = createProgressReporter(steps, intern, onProgress)
    reportStep('Creating its objects')
    const abortController = new AbortController()
    this.abort(id, 'The intern is being started again.')
    this.#abortControllers.set(id, abortController)
    try {
      const { token } = readStoredSecrets(await client.get('Secret', objectName(id)))
      await this.#requireFiles(intern)
      // Two pods must not use the volume at the same time.
      await endFilesPod({ client, stopMs: config.kubernetes_stop_ms }, id)
      const objects = await this.#createObjects(intern, secret, token)
      await applyObjects(client, objects)
      reportStep('Starting its pod')
      const host = await startRespondingPod(
        { client, pods, now },
        {
          internId: id,
          settingsHash: objects.settingsHash,
          signal: abortController.signal,
          isResponding: async (address) =>
            (await readHealth(await addressIn(id, address, token), healthMs)) !== undefined,
          startMs: config.kubernetes_start_ms,
          unresponsiveMs: config.intern_unresponsive_ms,
          cloneMs: config.repository_clone_ms,
          onCloning: () => reportStep(cloningStep),
          onRunning: () => reportStep('Waiting for the daemon'),
        },
      )
      return { host, port: daemonPort, token }
    } finally {
      if (this.#abortControllers.get(id) === abortController) this.#abortControllers.delete(id)
    }
  }

  /** Creates the definitions of the objects of an intern. Applies none of them. */
  async #createObjects(intern: Intern, secret: string, token: string): Promise<ReturnType<typeof createObjects>> {
    const { config, certificates, mcpServersOf, gitAuthorOf, passwordOf, baseUrl } = this.#deps
    const { image, serviceUrl } = this.#deps.cluster
    const files = createInternFiles({
      config,
      intern,
      secret,
      token,
      servers: await mcpServersOf(intern),
      certificates: await certificates.forDaemon(intern.id),
      gitAuthor: await gitAuthorOf(intern),
      password: await passwordOf(intern),
      baseUrl: baseUrl(),
    })
    return createObjects({ config, image, serviceUrl }, intern.id, files)
  }

  /** Aborts a start, if there is one, with this reason. */
  abort(id: string, reason: string): void {
    this.#abortControllers.get(id)?.abort(new Error(reason))
  }

  /** Prevents an intern that was moved to this cluster from starting with an empty volume. */
  async #requireFiles({ id, movedAt, hostname }: Intern): Promise<void> {
    const { client } = this.#deps.cluster
    if (movedAt === null || (await client.get('PersistentVolumeClaim', objectName(id)))) return
    throw new Error(
      `The intern was moved to ${hostname}, and its files are missing: copy them into a PersistentVolumeClaim ${objectName(id)}.`,
    )
  }
}
