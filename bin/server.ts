import { enableCompileCache } from 'node:module'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Reading the catalogue makes much short-lived garbage. Room for it, once taken, is never given back.
setFlagsFromString('--semi-space-growth-factor=1')

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
const { loadSettings } = await import('#platform/config/load.ts')
const { StartupError } = await import('#platform/core/fault.ts')
const { createLog, logStream } = await import('#platform/process/log.ts')
const { newUuid } = await import('#platform/core/id.ts')
const { once } = await import('#platform/async/once.ts')
const { activeSandbox } = await import('#app/active-sandbox.ts')
const { logUncaught } = await import('#platform/process/uncaught.ts')
const { welcome } = await import('#api/pages/welcome.ts')
const { countOf } = await import('#app/workers/count.ts')

type Service = import('#app/start.ts').Service
type WorkersService = import('#app/workers/primary.ts').WorkersService

/** A start that is to be stopped may go on for this long. */
const patienceMs = 10_000

process.umask(0o077)
try {
  const { config, sources: settingSources } = loadSettings(process.env)
  const stream = logStream(config.log_format)
  const log = createLog({ level: config.log_level, format: config.log_format }, stream)
  // Heard before anything is done: a signal that nobody hears yet ends the process.
  // A terminal sends Ctrl-C to npm and to us, and npm passes it on: the second one is not impatience. One that comes
  // while the service starts lets it, for a while: ended halfway, it would leave interns behind and tell nobody the keys.
  const exit = (code: number): never => {
    log.info({ code }, 'exit')
    process.exit(code)
  }
  const stop = async (how: { drain: boolean }, code = 0) => {
    const impatience = setTimeout(() => process.exit(1), patienceMs)
    const started = await starting.catch(() => undefined)
    clearTimeout(impatience)
    // Why it did not start is told below.
    if (!started) return
    try {
      await started.stop(how)
    } catch (error) {
      log.error({ err: error }, 'the service did not end as it should')
      exit(1)
    }
    exit(code || started.lost() ? 1 : 0)
  }
  // Whoever sits at a terminal waits; a balancer has to be told first.
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
    variable: (name: string) => process.env[name],
    log,
    now: Date.now,
    newId: newUuid,
    onUnsupportedSchema(reason: string) {
      log.error({ reason }, 'the database schema is not supported any more: draining, then stopping')
      void stop({ drain: true }, 1)
    },
  }
  const workers = countOf(config.workers, availableParallelism())
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
    // What was metered is written down first, and interns are handed on.
    await stop({ drain: false }, 1)
    process.exit(1)
  })
  logUncaught({ log, end: endUncaught })
  // Tried while the rest starts, and told for people only: that it cannot be tried must not end anything.
  const trying = activeSandbox({ config, path: process.env.PATH }).catch((error: Error) => `unknown: ${error.message}`)
  const service = await starting
  const sandbox = await trying
  // Last: whoever reads this line may send a signal at once.
  process.stdout.write(`${welcome({ ...service, publicUrl: config.public_url, sandbox })}listening on ${service.url}\n`)
  // A primary answers no requests: its garbage may as well be collected often.
  if (workers === 1) setFlagsFromString('--semi-space-growth-factor=2')
} catch (error) {
  const told = error instanceof StartupError ? error.message : await refusalOf(error)
  if (told === undefined) throw error
  process.stderr.write(`${told}\n`)
  process.exit(1)
}

/** Of the system or the database, in one sentence; undefined for a defect of ours. */
async function refusalOf(error: unknown): Promise<string | undefined> {
  const { systemRefusal } = await import('#platform/process/system-error.ts')
  const { databaseFault } = await import('#platform/db/maintenance/failures.ts')
  const database = databaseFault(error)
  return database ? `${database.message} (${(error as Error).message})` : systemRefusal(error)
}
