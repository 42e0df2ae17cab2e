// What `npm start` runs: the service as an earlier start has bundled it from exactly these sources (`bundle.ts`), else
// the sources themselves.
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { currentBundle } from './current-bundle.ts'

const bundle = currentBundle()
await import(bundle ? new URL('server.mjs', bundle).href : './server.ts')

/** Not while the first requests come. */
const laterMs = 3000
if (!bundle) setTimeout(makeBundle, laterMs).unref()

/** For the next start, beside this one: where it cannot be made, the next start takes the sources, too. */
function makeBundle() {
  const script = fileURLToPath(new URL('./bundle.ts', import.meta.url))
  // With nothing of our environment: it holds credentials.
  const child = spawn(process.execPath, [script], { stdio: 'ignore', detached: true, env: {} }).on('error', () => {})
  child.unref()
  try {
    if (child.pid) setPriority(child.pid, 10)
  } catch {
    // Then it takes its turn with us.
  }
}
