// Loaded before a process (`node --import`). At its exit, logs where Zod created schemas, except those of settings.
import { isMainThread } from 'node:worker_threads'

Error.stackTraceLimit = 100
const locations = new Set()
globalThis.__zod_globalConfig = {
  postProcessor() {
    const frames = new Error('made here').stack.split('\n').filter((line) => line.includes('/src/'))
    const location = frames.find((line) => !line.includes('/platform/json/lazy-zod.ts'))
    if (!location?.includes('/src/platform/config/'))
      locations.add(location?.replace(/.*\/src\//, 'src/') ?? 'elsewhere')
  },
}
if (isMainThread) process.on('exit', () => process.stderr.write(`schemas made: ${JSON.stringify([...locations])}\n`))
