// Plain JavaScript for any Node, loaded before everything else (`node --import`): it caches what Node compiles of each
// TypeScript file, the entry file included. It is also the first code that runs where `npm ci` did not.
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const oldestMajorVersion = 26
if (Number.parseInt(process.versions.node, 10) < oldestMajorVersion) {
  const { existsSync } = await import('node:fs')
  const isInstalled = existsSync(fileURLToPath(new URL('../node_modules/node/package.json', import.meta.url)))
  console.error(
    isInstalled
      ? 'The Node that Signalbox brings along is missing, as after "npm ci --ignore-scripts": run "npm rebuild node esbuild" in its folder, then "npm start" again.'
      : 'Signalbox is not installed yet: run "npm ci" in its folder first.',
  )
  process.exit(1)
}
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
