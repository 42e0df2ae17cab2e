import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { reachableUrl, requireFreePorts } from '#api/access/address.ts'
import type { ApiDeps } from '#api/access/deps.ts'
import type { Interns } from '#api/interns/interns.ts'
import { internAddress, keepInternListener } from '#api/server/intern-listener.ts'
import { type ApiOptions, createApi, listen } from '#api/server/server.ts'
import { startMetricsServer } from '#api/telemetry/metrics-server.ts'
import type { LoadReport } from '#catalogue/sources/layer.ts'
import { listProviderNeeds, type ProviderNeeds } from '#catalogue/sources/provider-needs.ts'
import { reloadCatalogue } from '#catalogue/sources/reload.ts'
import { once } from '#platform/async/once.ts'
import type { Config } from '#platform/config/settings.ts'
import { createShutdown, type Shutdown } from '#platform/http/shutdown.ts'
import { type FirstStart, finishFirstStart } from './first-start.ts'
import { openDeps } from './open/deps.ts'
import type { Parts } from './open/parts.ts'

export type Service = FirstStart & {
  /** The base URL, version segment included. */
  url: string
  /** The URL of the console for a browser on this host; undefined if the console is disabled. */
  consoleUrl: string | undefined
  /** The URL where metrics are served without a key, if there is one. */
  metricsUrl: string | undefined
  /** The environment variables that each provider needs; undefined until the catalogue is loaded. */
  providers: ProviderNeeds[] | undefined
  /** Reloads the catalogue's files on behalf of the operator. @throws Fault `conflict` if they changed nothing. */
  reloadCatalogue: () => Promise<LoadReport>
  /**
   * Finishes requests in flight within the grace time, then releases all resources.
   * @param options.drain first accepts new requests for `drain_ms`; a second call without `drain` ends the draining at once.
   */
  stop: (options?: { drain?: boolean }) => Promise<void>
  /** After `stop`: the number of metered requests that could not be stored. */
  lostRequestCount: () => number
}

/** The last part of the grace time, in which interns are ended. Before that, their streams continue like all others. */
export const internsEndMs = 1_000

/**
 * Opens and migrates the store, and answers requests.
 * @throws UserFacingError with one sentence. All opened parts are closed again.
 */
export async function startService(parts: Parts, apiOptions: ApiOptions = {}): Promise<Service> {
  const { config, log, stopping } = parts
  await requirePorts(config)
  await using cleanup = new AsyncDisposableStack()
  const shutdown = createShutdown()
  const { deps, interns, firstKeys, ledger } = await openDeps(parts, shutdown.isShuttingDown, cleanup)
  const metricsUrl = await openMetricsPort(deps, cleanup)
  const app = await createApi(deps, apiOptions)
  // Undefined for the cleanup of a start that fails before the service listens.
  let listeningUrl: string | undefined
  cleanup.defer(() => closeGracefully(shutdown, app, interns, { graceMs: config.shutdown_grace_ms, url: listeningUrl }))
  const url = await listen(app, config)
  listeningUrl = url
  await interns.start(url)
  prepareConsole(deps)
  const firstStart = await finishFirstStart({ ...deps, supervision: interns, stopping }, firstKeys)
  const running = cleanup.move()
  const end = once(() => running.disposeAsync())
  return {
    ...firstStart,
    url,
    consoleUrl: consoleUrl(config, url),
    metricsUrl,
    providers: listProviderNeeds(deps.catalogue.current(), deps.hasCredential),
    reloadCatalogue: () => reloadCatalogue(deps),
    lostRequestCount: ledger.lostRequestCount,
    async stop({ drain = false } = {}) {
      if (drain) {
        await shutdown.drain(app.server, config.drain_ms)
        log.info({ drainMs: config.drain_ms }, 'drained: no new connections are accepted')
      } else shutdown.skipDrain()
      await end()
    },
  }
}

/**
 * Refuses to start while a port is in use. The first keys are displayed once, by the start that creates them, so that start
 * must not fail later.
 * @throws UserFacingError
 */
export async function requirePorts({ host, port, metrics_port }: Config): Promise<void> {
  await requireFreePorts({ PORT: { host, port }, ...(metrics_port && { METRICS_PORT: { host, port: metrics_port } }) })
}

/** Returns the URL of the console for a browser on this host. */
export function consoleUrl(config: Pick<Config, 'console'>, url: string): string | undefined {
  return config.console ? new URL(reachableUrl(url)).origin : undefined
}

/** Builds the console in the background. Requests wait for it, and get the error if the build fails. */
export function prepareConsole({ console, log }: Pick<ApiDeps, 'console' | 'log'>): void {
  console?.().catch((error) => log.error({ err: error }, 'the console could not be built'))
}

/** Serves metrics without a key, if the settings name a port for them. @returns their URL. */
export async function openMetricsPort(
  { config, log, metrics }: Pick<ApiDeps, 'config' | 'log'> & { metrics: Pick<ApiDeps['metrics'], 'read'> },
  cleanup: AsyncDisposableStack,
): Promise<string | undefined> {
  if (config.metrics_port === undefined) return undefined
  const server = await startMetricsServer(
    metrics,
    { host: config.host, port: config.metrics_port },
    config.metrics_hosts,
  )
  cleanup.defer(server.close)
  log.info({ url: server.url }, 'serving metrics without a key')
  return server.url
}

type CloseOptions = { graceMs: number; url: string | undefined }

/**
 * Stops the service. Requests in flight can finish within the grace time. Interns end after them, and until then they
 * can reach this service: other servers still send turns to them.
 */
async function closeGracefully(
  shutdown: Shutdown,
  app: FastifyInstance,
  { supervisor }: Interns,
  { graceMs, url }: CloseOptions,
) {
  const startedAt = performance.now()
  const waits = new AbortController()
  const graceOver = sleep(Math.max(0, graceMs - internsEndMs), undefined, { signal: waits.signal }).catch(() => {})
  if (supervisor.isSupervisingAny() && url !== undefined) {
    await using listener = await keepInternListener(app.server, internAddress(url))
    shutdown.beginShutdown(app.server)
    const turnsEnded = listener.clientsClosed.then(() => supervisor.waitForTurns(waits.signal))
    await Promise.race([turnsEnded, graceOver])
    await supervisor.stop()
  }
  const remainingMs = Math.max(internsEndMs, graceMs - (performance.now() - startedAt))
  const closing = shutdown.close(app, Math.min(graceMs, remainingMs))
  await Promise.race([closing, graceOver])
  waits.abort()
  await Promise.all([closing, supervisor.stop()])
}
