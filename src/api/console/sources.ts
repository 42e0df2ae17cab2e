import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of this package, which contains the console's sources. */
export const packageFolder = fileURLToPath(new URL('../../..', import.meta.url))
export const consoleFolder = join(packageFolder, 'console')

/** The console's dependencies, and its bundler. */
const packages = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  'preact-iso',
  'preact-render-to-string',
  'marked',
  'esbuild',
]

const require = createRequire(import.meta.url)

/**
 * The names of the screens: the folders of the console that contain a `screen.tsx`. A name is also the first part of
 * the screen's path.
 */
export function screenNames(): string[] {
  return readdirSync(consoleFolder, { recursive: true, encoding: 'utf8' })
    .flatMap((file) => /^([\w-]+)[\\/]screen\.tsx$/.exec(file)?.[1] ?? [])
    .sort()
}

/** The source files of the bundle, relative to the console's folder, in a fixed order. */
export async function bundledFiles(): Promise<string[]> {
  const files = await readdir(consoleFolder, { recursive: true })
  return files.filter((file) => /(?<!\.test)\.(tsx?|css|svg)$/.test(file)).sort()
}

/** A hash of everything that affects the bundle: the content of its sources, and the versions of packages. */
export async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of await bundledFiles()) hash.update(`${file}\0`).update(await readFile(join(consoleFolder, file)))
  hash.update(await readFile(new URL('./bundle.ts', import.meta.url)))
  for (const name of packages) hash.update(`${name} ${await installedVersion(name)}\0`)
  return hash.digest('hex').slice(0, 20)
}

/** `require(name/package.json)` fails for packages that do not export it. */
async function installedVersion(name: string): Promise<string> {
  for (const folder of require.resolve.paths(name) ?? []) {
    const text = await readFile(join(folder, name, 'package.json'), 'utf8').catch(() => undefined)
    if (text !== undefined) return (JSON.parse(text) as { version: string }).version
  }
  return 'none'
}
