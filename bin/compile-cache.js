// Plain JavaScript for any Node, loaded before everything else (`node --import`): it caches what Node compiles of each
// TypeScript file, the entry file included, and sets when V8 optimizes a function. It is also the first code that runs
// where `npm ci` did not.
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

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
// V8 skips its middle compiler, whose code needs up to 45 MB more, and optimizes a function after 500 calls instead of 3000
// (docs/decisions/0291). Set here, because an older Node refuses to start with an option that it does not know.
setFlagsFromString('--no-maglev')
setFlagsFromString('--invocation-count-for-turbofan=500')
