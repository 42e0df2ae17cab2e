import { spawn } from 'node:child_process'
import { once as onceEmitted } from 'node:events'
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { once } from '#platform/async/once.ts'
import type { Log } from '#platform/process/log.ts'
import { readManifest } from './manifest.ts'
import { hashSources } from './sources.ts'

/** Returns the folder of the console's bundle. Builds a missing bundle. */
export type ConsoleBundle = () => Promise<string>

/** Several bundles are stored because servers of another version can share the data folder. */
const maxBundles = 3

const bundlerScript = fileURLToPath(new URL('./bundle.ts', import.meta.url))

/** Finds the bundle of an earlier start with the same sources, or builds it once for all callers. */
export function createConsoleBundle({ dataDir, log }: { dataDir: string; log: Log }): ConsoleBundle {
  return once(async () => {
    const parent = join(dataDir, 'console.remembered')
    const folder = join(parent, await hashSources())
    if (await readManifest(folder)) {
      // The most recently used bundles remain.
      const now = new Date()
      await utimes(folder, now, now).catch(() => {})
      return folder
    }
    const started = performance.now()
    await bundleInto(folder)
    log.info({ ms: Math.round(performance.now() - started) }, 'console bundled')
    await deleteOldBundles(parent).catch((error) =>
      log.warn({ err: error }, 'old bundles of the console could not be deleted'),
    )
    return folder
  })
}

/** Signals that end all processes of a terminal or a service, and with them the bundler. */
const stopSignals: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP'])

/** The bundler was asked to end, in most cases together with the service. The next request starts it again. */
export class BundlerStopped extends Error {
  constructor(signal: NodeJS.Signals) {
    super(`The bundler of the console was stopped by ${signal}.`)
  }
}

/** Builds the bundle and moves it into place atomically, because another server can build it at the same time. */
async function bundleInto(folder: string): Promise<void> {
  const draft = `${folder}.${process.pid}`
  try {
    await runBundler(draft)
    await rename(draft, folder).catch(async () => {
      if (await readManifest(folder)) return
      // A folder without a manifest was damaged, for example by an interrupted deletion.
      await deleteBundle(folder)
      await rename(draft, folder)
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** The end of the bundler's output that is part of an error message. */
const maxOutputLength = 4000

async function runBundler(folder: string): Promise<void> {
  // An empty environment, because this process's environment contains credentials.
  const child = spawn(process.execPath, [bundlerScript, folder], { stdio: ['ignore', 'ignore', 'pipe'], env: {} })
  let output = ''
  // Without free file descriptors, the process has no pipes; the `error` event follows.
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-maxOutputLength)
  })
  const [code, signal] = (await onceEmitted(child, 'close')) as [number | null, NodeJS.Signals | null]
  if (signal && stopSignals.has(signal)) throw new BundlerStopped(signal)
  if (code !== 0)
    throw new Error(`The console could not be bundled: ${output.trim() || `the bundler ended with ${signal ?? code}`}`)
}

async function deleteOldBundles(parent: string): Promise<void> {
  const names = await readdir(parent)
  // Left by an interrupted deletion.
  const interrupted = names.filter((name) => name.endsWith(deletedSuffix))
  await Promise.all(interrupted.map((name) => rm(join(parent, name), { recursive: true, force: true })))
  const bundles = names.filter((name) => !interrupted.includes(name))
  const dated = await Promise.all(
    bundles.map(async (name) => ({ path: join(parent, name), at: (await stat(join(parent, name))).mtimeMs })),
  )
  const old = dated.sort((a, b) => b.at - a.at).slice(maxBundles)
  await Promise.all(old.map(({ path }) => deleteBundle(path)))
}

const deletedSuffix = '.deleted'

/** Renames the folder first: if the deletion is interrupted, no bundle with missing files remains under its name. */
async function deleteBundle(folder: string): Promise<void> {
  const renamed = `${folder}.${process.pid}${deletedSuffix}`
  await rename(folder, renamed).catch((error) => {
    // Another server deletes it.
    if (error.code !== 'ENOENT') throw error
  })
  await rm(renamed, { recursive: true, force: true })
}
