// Plain JavaScript, loaded before everything else (`node --import`): what Node makes of each TypeScript file is kept,
// the entry file included, so that the next start need not make it again.
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
