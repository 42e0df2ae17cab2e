import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { reachable, requireFree } from '#api/access/address.ts'
import type { ApiDeps } from '#api/access/deps.ts'
import type { Interns } from '#api/interns/interns.ts'
import { welcomeDemo } from '#api/interns/supervision.ts'
import { type InternAddress, keepInternListener } from '#api/server/intern-listener.ts'
import { type ApiOptions, createApi, listen } from '#api/server/server.ts'
import { startMetricsServer } from '#api/telemetry/metrics-server.ts'
import type { LoadReport } from '#catalogue/sources/load.ts'
import { reloadCatalogue } from '#catalogue/sources/reload.ts'
import type { FirstKeys } from '#identity/accounts/bootstrap.ts'
import { linkFromStore } from '#identity/sign-in/link-from-store.ts'
import { once } from '#platform/async/once.ts'
import type { Config } from '#platform/config/settings.ts'
import { createShutdown, type Shutdown } from '#platform/http/shutdown.ts'
import { openDeps } from './open/deps.ts'
import type { Parts } from './open/parts.ts'

export type Service = {
  /** The base URL, version segment included. */
  url: string
  /** The URL of the console, for a browser on this host; undefined where it is left out. */
  consoleUrl: string | undefined
  /** The URL where metrics are served without a key, if there is one. */
  metricsUrl: string | undefined
  /** On the very first start only: the secrets that it made. One that the operator chose is told to nobody. */
  firstKeys: Partial<FirstKeys> | undefined
  /** Whether the first start made a demo intern. */
  demo: boolean
  /** On the very first start only, where it made the management key: the token of a link that signs its owner in. */
  signInToken: string | undefined
  /** Reads the catalogue's files again, as the operator. @throws Fault `conflict` when they changed nothing. */
  reloadCatalogue: () => Promise<LoadReport>
  /**
   * Finishes requests under way, within the grace time, and lets go of everything.
   * @param options.drain takes new ones for `drain_ms` before; a second call without it ends that at once.
   */
  stop: (options?: { drain?: boolean }) => Promise<void>
  /** After `stop`: the number of metered requests that could be kept nowhere. */
  lost: () => number
}

/** The last part of the grace time, in which interns are ended. Before that, their streams go on like all others. */
export const internsEndMs = 1_000

/**
 * Opens the store, brings it up to date and answers requests.
 * @throws StartupError with one sentence; whatever was opened is closed again.
 */
export async function startService({
  config,
  settingSources,
  variable,
  log,
  now,
  newId,
  ...options
}: Parts & ApiOptions): Promise<Service> {
  // The first keys are shown once, by the start that made them: it must not fail for want of a port after that.
  const { host, port, metrics_port } = config
  await requireFree({ PORT: { host, port }, ...(metrics_port && { METRICS_PORT: { host, port: metrics_port } }) })
  await using opened = new AsyncDisposableStack()
  const shutdown = createShutdown()
  const { isShuttingDown } = shutdown
  const { deps, interns, firstKeys, ledger } = await openDeps(
    { config, settingSources, variable, log, now, newId },
    isShuttingDown,
    opened,
  )
  const metricsUrl = await openMetricsPort(deps, opened)
  const app = await createApi(deps, options)
  const at: { url?: string } = {}
  opened.defer(() => closeGracefully(shutdown, app, interns, { graceMs: config.shutdown_grace_ms, ...at }))
  const url = await listen(app, config)
  at.url = url
  await interns.begin(url)
  prepareConsole(deps)
  const demo = firstKeys !== undefined && config.demo_intern
  if (demo) await makeDemo(deps, interns, firstKeys)
  const running = opened.move()
  const end = once(() => running.disposeAsync())
  return {
    url,
    consoleUrl: consoleUrl(config, url),
    metricsUrl,
    firstKeys: firstKeys && madeKeys(firstKeys, config),
    demo,
    signInToken: await firstSignIn(deps, firstKeys, config),
    reloadCatalogue: () => reloadCatalogue(deps),
    lost: ledger.lost,
    async stop({ drain = false } = {}) {
      if (drain) await shutdown.drain(app.server, config.drain_ms)
      else shutdown.skipDrain()
      if (drain) log.info({ drainMs: config.drain_ms }, 'drained: no new connections are accepted')
      await end()
    },
  }
}

/** Where a browser on this host finds the console. */
export function consoleUrl(config: Pick<Config, 'console'>, url: string): string | undefined {
  return config.console ? new URL(reachable(url)).origin : undefined
}

/** In the background: who asks for it before it is there waits, and is told where it cannot be had. */
export function prepareConsole({ console, log }: Pick<ApiDeps, 'console' | 'log'>): void {
  console?.().catch((error) => log.error({ err: error }, 'the console is not there'))
}

/** @returns where metrics are served without a key, if the settings name a port for that. */
export async function openMetricsPort(
  { config, log, metrics }: Pick<ApiDeps, 'config' | 'log'> & { metrics: Pick<ApiDeps['metrics'], 'read'> },
  opened: AsyncDisposableStack,
): Promise<string | undefined> {
  if (config.metrics_port === undefined) return undefined
  const server = await startMetricsServer(
    metrics,
    { host: config.host, port: config.metrics_port },
    config.metrics_hosts,
  )
  opened.defer(server.close)
  log.info({ url: server.url }, 'serving metrics without a key')
  return server.url
}

/** The first keys that nobody chose: only those are told. */
export function madeKeys({ managementKey, apiKey }: FirstKeys, config: Config): Partial<FirstKeys> {
  return {
    ...(config.bootstrap_management_key === undefined && { managementKey }),
    ...(config.bootstrap_api_key === undefined && { apiKey }),
  }
}

/**
 * Whoever chose the management key has it, and a start without a person at the terminal tells its journal nothing that
 * signs in.
 */
export async function firstSignIn(
  deps: Parameters<typeof linkFromStore>[0],
  firstKeys: FirstKeys | undefined,
  config: Config,
): Promise<string | undefined> {
  if (!firstKeys || !config.console || config.bootstrap_management_key !== undefined) return undefined
  return (await linkFromStore(deps)).token
}

async function makeDemo(deps: ApiDeps, interns: Interns, { apiKey }: FirstKeys): Promise<void> {
  const owner = await deps.keys.find(apiKey)
  if (owner) await welcomeDemo(deps, interns, owner)
}

type Closing = { graceMs: number; url?: string }

/**
 * Requests in flight can finish, but do not hold up the end for longer than the grace time. Interns end after them, and until then
 * reach this service: other servers still send turns to them.
 */
async function closeGracefully(
  shutdown: Shutdown,
  app: FastifyInstance,
  { supervisor }: Interns,
  { graceMs, url }: Closing,
) {
  const startedAt = performance.now()
  const impatience = new AbortController()
  const late = sleep(Math.max(0, graceMs - internsEndMs), undefined, { signal: impatience.signal }).catch(() => {})
  if (supervisor.isSupervisingAny() && url !== undefined) {
    await using listener = await keepInternListener(app.server, addressOf(url))
    shutdown.leave(app.server)
    await Promise.race([Promise.all([listener.clientsGone, supervisor.turnsOver(impatience.signal)]), late])
    await supervisor.stop()
  }
  const leftMs = Math.max(internsEndMs, graceMs - (performance.now() - startedAt))
  const closing = shutdown.close(app, Math.min(graceMs, leftMs))
  await Promise.race([closing, late])
  impatience.abort()
  await Promise.all([closing, supervisor.stop()])
}

function addressOf(url: string): InternAddress {
  const { hostname, port } = new URL(reachable(url))
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }
}
