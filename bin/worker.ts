import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// Loading the modules creates much short-lived garbage, and V8 does not shrink the young generation again.
setFlagsFromString('--semi-space-growth-factor=1')

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
// Ignores signals that a terminal or service manager sends to all processes: the primary stops its workers.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {})
process.umask(0o077)

const { createLog } = await import('#platform/process/log.ts')
const { newUuid } = await import('#platform/core/id.ts')
const { readVariable } = await import('#platform/process/environment.ts')
const { logUncaught } = await import('#platform/process/uncaught.ts')
const { createChannelPort } = await import('#app/workers/ports.ts')
const { runWorker } = await import('#app/workers/worker.ts')

runWorker({
  port: createChannelPort(process),
  variable: (name) => readVariable(process.env, name),
  now: Date.now,
  newId: newUuid,
  logUncaught,
  createLog: ({ log_level }) => createLog({ level: log_level, format: 'json' }),
  exit: (code) => process.exit(code),
})
// The modules are loaded.
setFlagsFromString('--semi-space-growth-factor=2')
