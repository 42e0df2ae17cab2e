// Loaded before a process (`node --import`). At its exit, logs where Zod created schemas, except those of settings.
import { isMainThread } from 'node:worker_threads'

Error.stackTraceLimit = 100
const places = new Set()
globalThis.__zod_globalConfig = {
  postProcessor() {
    const frames = new Error('made here').stack.split('\n').filter((line) => line.includes('/src/'))
    const place = frames.find((line) => !line.includes('/platform/json/lazy-zod.ts'))
    if (!place?.includes('/src/platform/config/')) places.add(place?.replace(/.*\/src\//, 'src/') ?? 'elsewhere')
  },
}
if (isMainThread) process.on('exit', () => process.stderr.write(`schemas made: ${JSON.stringify([...places])}\n`))
