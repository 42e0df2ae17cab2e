import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// The daemon of an intern: runs its agent, and serves its runs and files to the server.
// Many interns share a machine. A small young generation saves most of the memory at the cost of some CPU time.
setFlagsFromString('--max-semi-space-size=1')
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
const { randomUUID } = await import('node:crypto')
const { readSettings } = await import('#daemon/settings/settings.ts')
const { launchAhead, createProcessLauncher } = await import('#daemon/acp/launch.ts')
const { once } = await import('#platform/async/once.ts')
const { stderrLog } = await import('#daemon/log.ts')
const { monotonicNow } = await import('#daemon/runs/monotonic-clock.ts')

process.umask(0o077)
const errorFields = (error: unknown) => ({ why: error instanceof Error ? error.stack : String(error) })
try {
  const file = process.argv[2] ?? process.env.SIGNALBOX_DAEMON_SETTINGS
  if (!file) throw new Error('Give the file of settings: node bin/daemon.ts settings.json')
  const settings = readSettings(file, process.env)
  const { agent, workspace, limits, startsAgent } = settings
  // Starts the agent while the daemon loads, because the agent takes longer.
  const launch = startsAgent ? launchAhead(createProcessLauncher(agent, workspace, limits, stderrLog)) : undefined
  const { startDaemon } = await import('#daemon/server/start.ts')
  const daemon = await startDaemon(settings, {
    launch,
    log: stderrLog,
    now: Date.now,
    monotonicNow,
    newId: randomUUID,
  })
  // A second signal must not end the process before it has notified its callers.
  const stopDaemon = once(() => daemon.stop())
  const stopAndExit = () => stopDaemon().then(() => process.exit(0))
  process.on('SIGTERM', stopAndExit)
  process.on('SIGINT', stopAndExit)
  // A rejection without a handler affects no turn and is only logged. After an uncaught exception the daemon is restarted.
  process.on('unhandledRejection', (reason) => stderrLog('failed.unheard', errorFields(reason)))
  process.on('uncaughtException', (error) => {
    stderrLog('failed.uncaught', errorFields(error))
    void stopDaemon().finally(() => process.exit(1))
  })
  process.stdout.write('ready\n')
  // Node writes the cache only at a normal exit, and a daemon can be killed.
  flushCompileCache()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
