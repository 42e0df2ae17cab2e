import { enableCompileCache } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Loading the catalogue creates much short-lived garbage, and V8 does not shrink the young generation again.
setFlagsFromString('--semi-space-growth-factor=1')

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
const { loadSettings } = await import('#platform/config/load.ts')
const { UserFacingError } = await import('#platform/core/fault.ts')
const { createLog, logStream } = await import('#platform/process/log.ts')
const { OutputStream } = await import('#platform/process/output-stream.ts')
const { newUuid } = await import('#platform/core/id.ts')
const { readVariable } = await import('#platform/process/environment.ts')
const { once } = await import('#platform/async/once.ts')
const { describeSandbox } = await import('#app/active-sandbox.ts')
const { logUncaught } = await import('#platform/process/uncaught.ts')
const { welcomeText } = await import('#app/welcome.ts')
const { countWorkers } = await import('#app/workers/count.ts')

type Service = import('#app/start.ts').Service
type WorkersService = import('#app/workers/primary.ts').WorkersService

/** How long a start can continue after a signal to stop, in milliseconds. */
const startTimeoutMs = 10_000
/** How long the release of all resources can take after the grace time, in milliseconds. */
const releaseTimeoutMs = 60_000

process.umask(0o077)
try {
  const { config, sources: settingSources } = loadSettings(process.env)
  const stream = logStream(config.log_format)
  const log = createLog({ level: config.log_level, format: config.log_format }, stream)
  const exit = (code: number): never => {
    log.info({ code }, 'exit')
    process.exit(code)
  }
  const stopping = new AbortController()
  const exitWith = (message: string) => {
    log.error({ resources: process.getActiveResourcesInfo() }, message)
    exit(1)
  }
  const stop = async (options: { drain: boolean }, code = 0) => {
    stopping.abort()
    // A start in progress is finished first: otherwise it could leave interns running and never show the generated keys.
    const startTimer = setTimeout(
      exitWith,
      startTimeoutMs,
      'the start did not end after a signal to stop: its interns run until the next start',
    )
    const started = await starting.catch(() => undefined)
    clearTimeout(startTimer)
    // The reason of a failed start is printed below.
    if (!started) return
    const limitMs = (options.drain ? config.drain_ms : 0) + config.shutdown_grace_ms + releaseTimeoutMs
    setTimeout(exitWith, limitMs, 'the service did not stop in time: its remaining processes are not awaited')
    try {
      await started.stop(options)
    } catch (error) {
      log.error({ err: error }, 'the service did not end as it should')
      exit(1)
    }
    const hasFailed = code !== 0 || started.lostRequestCount() > 0
    exit(hasFailed ? 1 : 0)
  }
  // Registered before the start, because a signal without a handler ends the process.
  // SIGTERM drains first, so that a load balancer notices. Ctrl-C at a terminal does not.
  // A terminal sends Ctrl-C to npm and to this process, and npm forwards it, so a second signal does not force the end.
  for (const [signal, drain] of [
    ['SIGINT', false],
    ['SIGTERM', true],
  ] as const) {
    const stopOnce = once(() => stop({ drain }))
    process.on(signal, () => {
      log.info({ signal, drainMs: drain ? config.drain_ms : 0, graceMs: config.shutdown_grace_ms }, 'signal: stopping')
      void stopOnce()
    })
  }
  process.on('SIGHUP', async () => {
    log.info({ signal: 'SIGHUP' }, 'signal: reading the catalogue again')
    const started = await starting.catch(() => undefined)
    await started?.reloadCatalogue().then(
      ({ models, endpoints }) => log.info({ models, endpoints }, 'catalogue reloaded'),
      (error: Error) => log.error(error.message),
    )
  })
  process.on('SIGUSR2', async () => {
    log.info({ signal: 'SIGUSR2' }, 'signal: replacing workers')
    const started = await starting.catch(() => undefined)
    await started?.replaceWorkers?.().then(
      () => log.info('workers replaced'),
      (error: Error) => log.error(error.message),
    )
  })

  const parts = {
    config,
    settingSources,
    variable: (name: string) => readVariable(process.env, name),
    log,
    now: Date.now,
    newId: newUuid,
    stopping: stopping.signal,
    onUnsupportedSchema(reason: string) {
      log.error({ reason }, 'the database schema is no longer supported: draining, then stopping')
      void stop({ drain: true }, 1)
    },
  }
  const workers = countWorkers(config.workers, availableParallelism())
  const start = async (): Promise<Service & Partial<WorkersService>> => {
    const script = fileURLToPath(new URL('./worker.ts', import.meta.url))
    if (workers === 1) return (await import('#app/start.ts')).startService(parts)
    return (await import('#app/workers/primary.ts')).startWorkers(parts, workers, {
      script,
      writeLog: (lines) => stream.write(lines),
    })
  }
  const starting = start()
  const endUncaught = once(async () => {
    // Writes metered requests and releases interns before the process ends.
    await stop({ drain: false }, 1)
    process.exit(1)
  })
  logUncaught({ log, end: endUncaught })
  // Tries the sandbox while the rest starts. The result is only printed, so a failure must not end the start.
  const sandboxProbe = describeSandbox({ config, path: process.env.PATH }).catch(
    (error: Error) => `unknown: ${error.message}`,
  )
  const service = await starting
  const sandbox = await sandboxProbe
  // Printed last, because a reader of this line can send a signal immediately.
  new OutputStream(1).write(
    `${welcomeText({ ...service, publicUrl: config.public_url, sandbox })}listening on ${service.url}\n`,
  )
  // A primary answers no requests, so a small young generation is sufficient.
  if (workers === 1) setFlagsFromString('--semi-space-growth-factor=2')
} catch (error) {
  const message = error instanceof UserFacingError ? error.message : await refusalOf(error)
  if (message === undefined) throw error
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Returns the system's or database's error in one sentence; undefined for an internal error. */
async function refusalOf(error: unknown): Promise<string | undefined> {
  const { describeSystemError } = await import('#platform/process/system-error.ts')
  const { toDatabaseFault } = await import('#platform/db/maintenance/failures.ts')
  const database = toDatabaseFault(error)
  return database ? `${database.message} (${(error as Error).message})` : describeSystemError(error)
}
