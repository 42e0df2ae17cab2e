import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { bundles, folderFor } from './current-bundle.ts'

/**
 * Puts the service and the packages that every start needs into a few files: to find, read and check 1,300 modules is
 * half of the work of a start, and their wrappers and comments are 14 MB. Names stay, so that stacks can be read.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** Packages that few starts need stay where they are, and what looks for files beside its own. */
const external = ['undici', 'prom-client', 'pg', 'pg-native', 'pino-pretty', 'yaml', 'libphonenumber-js', 'esbuild']
const isPackage = /(?:^|\/)node_modules\//

const besideUs = "new URL('./worker.ts', import.meta.url)"
/** What interns' processes run, as `src/provision/programs.ts` names it. */
const programOfIntern = /new URL\('\.\.\/\.\.\/bin\/(\w+)\.ts', import\.meta\.url\)/g

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
      // The other entry is bundled beside this one.
      const written = path.endsWith('/bin/server.ts')
        ? source.replace(besideUs, "new URL('./worker.mjs', here)")
        : path.endsWith('/src/provision/programs.ts')
          ? source.replace(programOfIntern, "new URL('./interns/$1.mjs', here)")
          : source
      const text = written.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      return { loader: 'ts', contents: path.endsWith('/db/kysely.ts') ? withKysely(text) : text }
    })
  },
}

/** As modules, of which only what is used is taken. */
function withKysely(text: string): string {
  const [, names] = /export const (\{[^}]*\}) = kysely/.exec(text) ?? []
  return `export ${names} from 'kysely'`
}

// Interns may run as users of their own, and these are no secrets.
process.umask(0o022)
const making = new URL(`making-${process.pid}/`, bundles)
mkdirSync(making, { recursive: true })
const bundled = (entryPoints: string[], below = '') =>
  build({
    absWorkingDir: root,
    entryPoints,
    define: { here: 'import.meta.url' },
    outdir: fileURLToPath(new URL(below, making)),
    bundle: true,
    splitting: true,
    format: 'esm',
    // Plain .js files in here would be read to find out what they are.
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: `node${process.versions.node}`,
    plugins: [inPlace],
    external,
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    banner: {
      js: `import{createRequire as madeRequire}from'node:module';const require=madeRequire(${JSON.stringify(pathToFileURL(root).href)});`,
    },
  })
const made = [
  await bundled(['bin/server.ts', 'bin/worker.ts']),
  // By themselves: what they share with the service would be in many small files, or in large ones that they hardly need.
  await bundled(['bin/daemon.ts', 'bin/agent.ts', 'bin/files.ts'], 'interns/'),
]
const inputs = new Set(made.flatMap(({ metafile }) => Object.keys(metafile.inputs)))
const sources = [...inputs].filter((path) => !isPackage.test(path))
const folder = folderFor(sources)
rmSync(folder, { recursive: true, force: true })
renameSync(making, folder)
writeFileSync(new URL('sources.json.new', bundles), JSON.stringify(sources))
renameSync(new URL('sources.json.new', bundles), new URL('sources.json', bundles))

// Processes that still run may start workers from the one before.
const age = (name: string) => statSync(new URL(name, bundles)).mtimeMs
const folders = readdirSync(bundles).filter((name) => !/^(sources|stamp)\.json/.test(name))
for (const name of folders.sort((a, b) => age(b) - age(a)).slice(2))
  rmSync(new URL(name, bundles), { recursive: true, force: true })
