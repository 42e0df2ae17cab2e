import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded into a server with `--import`. On SIGUSR2, collects garbage and writes the megabytes in use to a file, so that a
// benchmark measures live memory and not garbage.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => {
  // Twice: finalizers that run after the first collection release further memory.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(process.env.LIVE_MEMORY_FILE!, String((heapUsed + external) / 1024 / 1024))
})
