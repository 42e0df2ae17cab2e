import { writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// For measuring what a server holds, and not what it has not thrown away yet: on SIGUSR2 it throws that away, and
// writes the megabytes that are left to a file.
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => {
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  writeFileSync(process.env.HELD_FILE!, String((heapUsed + external) / 1024 / 1024))
})
