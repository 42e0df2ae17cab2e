import { stderrLog } from '#daemon/log.ts'
import { serveStoppedIntern } from '#daemon/server/serve-stopped-intern.ts'
import { readSettings } from '#daemon/settings/settings.ts'

// Serves the files of a stopped intern from a pod of its volume. Ends after a minute without a request.
process.umask(0o077)
try {
  const settings = readSettings(process.argv[2] ?? '', process.env)
  const served = await serveStoppedIntern(settings, { idleMs: 60_000, log: stderrLog, now: Date.now })
  process.on('SIGTERM', served.stop)
  await served.ended
  process.exit(0)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
