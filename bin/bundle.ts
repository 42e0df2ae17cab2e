// Run by `npm run build`. Bundles the service and the packages that every start needs into a few files: resolving and loading
// 1,300 modules takes half of a start, and their wrappers and comments are 14 MB. Names are not minified, to keep stacks readable.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { bundlesFolder, currentBundle, folderFor, unchangedSince } from './current-bundle.ts'
import { sourceChanges } from './source-changes.ts'

// `npm ci` and `npx signalbox` run this too, by the script `prepare`. The bundle then often exists already.
if (currentBundle()) process.exit()

const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages that are not bundled: few starts need them, or they read files next to their own. */
const external = [
  'prom-client',
  'pg',
  'pg-native',
  'pino-pretty',
  'yaml',
  'libphonenumber-js',
  'openid-client',
  '@simplewebauthn/server',
  'jose',
  'esbuild',
]
const isPackage = /(?:^|\/)node_modules\//

/** Keeps paths relative to a source file valid in the bundle. */
const sourcePaths: Plugin = {
  name: 'source paths',
  setup({ onLoad, onResolve }) {
    // Omits the schema library's messages in other languages, which are not used.
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {}' }))
    // Fastify loads HTTP/2 at every start, and this service does not use it.
    onResolve({ filter: /^node:http2$/ }, ({ importer }) =>
      importer.endsWith('fastify/lib/server.js') ? { path: 'http2', namespace: 'unused' } : undefined,
    )
    onLoad({ filter: /^http2$/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (isPackage.test(path)) return undefined
      const source = readFileSync(path, 'utf8')
      const changed = sourceChanges.get(path.slice(root.length))?.(source) ?? source
      return { loader: 'ts', contents: changed.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) }
    })
  },
}

/**
 * Escapes all characters that are not ASCII, because V8 stores a script of only ASCII with one byte per character, and any other script
 * with two. Esbuild leaves such characters in patterns and raw strings. An escape would change a raw string, so a script that has
 * such a character in a raw string is not changed.
 */
function escapeNonAscii(script: string): string {
  if (/\.raw`[^`]*[^\0-\x7f]/.test(script)) return script
  return script.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// The bundle is not secret, and interns that run as other users must be able to read it.
process.umask(0o022)
const startedAt = Date.now()
const unfinished = new URL(`making-${process.pid}/`, bundlesFolder)
mkdirSync(unfinished, { recursive: true })
const commonOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node' as const,
  target: `node${process.versions.node}`,
  plugins: [sourcePaths] as Plugin[],
  minifyWhitespace: true,
  legalComments: 'none' as const,
  metafile: true as const,
  logLevel: 'warning' as const,
} satisfies BuildOptions
const outputPath = (name: string) => fileURLToPath(new URL(name, unfinished))
const outputs = [
  await build({
    ...commonOptions,
    entryPoints: ['bin/service.ts'],
    outfile: outputPath('service.cjs'),
    format: 'cjs',
    external,
    banner: { js: '(function (exports, require, module, here) {' },
    footer: { js: '})' },
  }),
  // Built separately from the service: code that both use would be in many small files, or in large files that are mostly unused.
  await build({
    ...commonOptions,
    entryPoints: ['bin/daemon.ts', 'bin/agent.ts', 'bin/files.ts'],
    outdir: outputPath('interns/'),
    define: { here: 'import.meta.url' },
    splitting: true,
    format: 'esm',
    // Node would have to parse plain .js files to detect their module type.
    outExtension: { '.js': '.mjs' },
    external: [...external, 'undici'],
    banner: {
      js: `import{createRequire as madeRequire}from'node:module';const require=madeRequire(${JSON.stringify(pathToFileURL(root).href)});`,
    },
  }),
]
writeFileSync(outputPath('service.cjs'), escapeNonAscii(readFileSync(outputPath('service.cjs'), 'utf8')))
const runner = JSON.stringify(pathToFileURL(`${root}bin/run-script.ts`).href)
for (const name of ['server', 'worker'])
  writeFileSync(
    outputPath(`${name}.mjs`),
    `import { runScript } from ${runner}\nawait runScript(import.meta.url, '${name}')\n`,
  )
const inputs = new Set(outputs.flatMap(({ metafile }) => Object.keys(metafile.inputs)))
const sources = [...inputs].filter((path) => !isPackage.test(path) && !path.startsWith('unused:'))
const folder = folderFor(sources)
// If a source changed during the build, the bundle does not match its name. The next start builds another one.
if (unchangedSince(sources, startedAt)) publishBundle()
else remove(unfinished)

// Running processes can start workers from the previous bundle. Recent folders can belong to another process's build.
const hourMs = 3_600_000
const writtenAt = (name: string) => statSync(new URL(name, bundlesFolder), { throwIfNoEntry: false })?.mtimeMs ?? 0
const foldersMatching = (form: RegExp) => readdirSync(bundlesFolder).filter((name) => form.test(name))
const olderBundles = foldersMatching(/^[0-9a-f]{32}$/)
  .sort((a, b) => writtenAt(b) - writtenAt(a))
  .slice(2)
const leftovers = foldersMatching(/^making-/).filter((name) => writtenAt(name) < startedAt - hourMs)
for (const name of [...olderBundles, ...leftovers]) remove(new URL(name, bundlesFolder))

function publishBundle() {
  remove(folder)
  renameSync(unfinished, folder)
  const draft = new URL(`sources.json.${process.pid}`, bundlesFolder)
  writeFileSync(draft, JSON.stringify(sources))
  renameSync(draft, new URL('sources.json', bundlesFolder))
}

function remove(path: URL) {
  rmSync(path, { recursive: true, force: true })
}
