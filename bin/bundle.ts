import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { bundles, folderFor, unchangedSince } from './current-bundle.ts'
import { sourceChanges } from './source-changes.ts'

/**
 * Puts the service and the packages that every start needs into a few files: to find, read and check 1,300 modules is
 * half of the work of a start, and their wrappers and comments are 14 MB. Names stay, so that stacks can be read.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages that few starts need stay where they are, and what looks for files beside its own. */
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

/** Files find others beside them as if they were still where they were written. */
const inPlace: Plugin = {
  name: 'in place',
  setup({ onLoad }) {
    // Messages of the schema library in other languages, which nothing asks for.
    onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: 'export {}' }))
    // HTTP/2, which this service does not speak, is loaded when it is asked for.
    onLoad({ filter: /fastify\/lib\/server\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace("const http2 = require('node:http2')\n", '')
        .replaceAll('http2.create', "require('node:http2').create"),
    }))
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (isPackage.test(path)) return undefined
      const source = readFileSync(path, 'utf8')
      const changed = sourceChanges.get(path.slice(root.length))?.(source) ?? source
      return { loader: 'ts', contents: changed.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)) }
    })
  },
}

/**
 * Of ASCII alone V8 keeps one byte a character, else two. Esbuild leaves other characters in patterns, and in raw texts, where they
 * cannot be written in another way.
 */
function inAscii(script: string): string {
  if (/\.raw`[^`]*[^\0-\x7f]/.test(script)) return script
  return script.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// Interns may run as users of their own, and these are no secrets.
process.umask(0o022)
const beganAt = Date.now()
const making = new URL(`making-${process.pid}/`, bundles)
mkdirSync(making, { recursive: true })
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node' as const,
  target: `node${process.versions.node}`,
  plugins: [inPlace] as Plugin[],
  minifyWhitespace: true,
  legalComments: 'none' as const,
  metafile: true as const,
  logLevel: 'warning' as const,
} satisfies BuildOptions
const path = (name: string) => fileURLToPath(new URL(name, making))
const made = [
  await build({
    ...common,
    entryPoints: ['bin/service.ts'],
    outfile: path('service.cjs'),
    format: 'cjs',
    external,
    banner: { js: '(function (exports, require, module, here) {' },
    footer: { js: '})' },
  }),
  // By themselves: what they share with the service would be in many small files, or in large ones that they hardly need.
  await build({
    ...common,
    entryPoints: ['bin/daemon.ts', 'bin/agent.ts', 'bin/files.ts'],
    outdir: path('interns/'),
    define: { here: 'import.meta.url' },
    splitting: true,
    format: 'esm',
    // Plain .js files in here would be read to find out what they are.
    outExtension: { '.js': '.mjs' },
    external: [...external, 'undici'],
    banner: {
      js: `import{createRequire as madeRequire}from'node:module';const require=madeRequire(${JSON.stringify(pathToFileURL(root).href)});`,
    },
  }),
]
writeFileSync(path('service.cjs'), inAscii(readFileSync(path('service.cjs'), 'utf8')))
const runner = JSON.stringify(pathToFileURL(`${root}bin/run-script.ts`).href)
for (const name of ['server', 'worker'])
  writeFileSync(
    path(`${name}.mjs`),
    `import { runScript } from ${runner}\nawait runScript(import.meta.url, '${name}')\n`,
  )
const inputs = new Set(made.flatMap(({ metafile }) => Object.keys(metafile.inputs)))
const sources = [...inputs].filter((path) => !isPackage.test(path))
const folder = folderFor(sources)
// Else it would stand under the name of what some of it is not. The next start makes another.
if (unchangedSince(sources, beganAt)) keep()
else remove(making)

// Processes that still run may start workers from the one before. What another process makes now is not old.
const hourMs = 3_600_000
const writtenAt = (name: string) => statSync(new URL(name, bundles), { throwIfNoEntry: false })?.mtimeMs ?? 0
const named = (form: RegExp) => readdirSync(bundles).filter((name) => form.test(name))
const older = named(/^[0-9a-f]{32}$/)
  .sort((a, b) => writtenAt(b) - writtenAt(a))
  .slice(2)
const left = named(/^making-/).filter((name) => writtenAt(name) < beganAt - hourMs)
for (const name of [...older, ...left]) remove(new URL(name, bundles))

function keep() {
  remove(folder)
  renameSync(making, folder)
  const draft = new URL(`sources.json.${process.pid}`, bundles)
  writeFileSync(draft, JSON.stringify(sources))
  renameSync(draft, new URL('sources.json', bundles))
}

function remove(what: URL) {
  rmSync(what, { recursive: true, force: true })
}
