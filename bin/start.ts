// Run by `npm start`. Starts the service from the bundle of exactly these sources (`bundle.ts`) if there is one, else
// from the sources, with a hint.
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { currentBundle } from './current-bundle.ts'

const bundle = currentBundle()
if (!bundle)
  process.stdout.write('Starting from the sources, which is slower. "npm run build" builds a bundle of them.\n')
await import(bundle ? new URL('server.mjs', bundle).href : './server.ts')

/** Delay before building a bundle, so that it does not slow down the first requests. */
const bundleDelayMs = 3000
if (!bundle) setTimeout(buildBundle, bundleDelayMs).unref()

/** Builds the bundle for the next start in another process. Ignores errors: the next start then uses the sources. */
function buildBundle() {
  const script = fileURLToPath(new URL('./bundle.ts', import.meta.url))
  // An empty environment, because this process's environment contains credentials.
  const child = spawn(process.execPath, [script], { stdio: 'ignore', detached: true, env: {} }).on('error', () => {})
  child.unref()
  try {
    if (child.pid) setPriority(child.pid, 10)
  } catch {
    // Without permission it runs at the same priority.
  }
}
