/**
 * Bundles the console and writes its files to the folder in the arguments. Files that browsers load are also written
 * compressed; pages contain the style sheet, and the service itself loads the module for the server. A separate program,
 * so that the service does not keep the bundler in memory.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { type BuildOptions, build, buildSync, type Metafile, type OutputFile, type Plugin } from 'esbuild'
import { nicenessPlus } from '#platform/process/process-priority.ts'
import { type Manifest, manifestName } from './manifest.ts'
import { bundledFiles, consoleFolder, packageFolder, screenNames } from './sources.ts'

const commonOptions = {
  absWorkingDir: packageFolder,
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  outdir: 'out',
  legalComments: 'none',
  logLevel: 'silent',
} satisfies BuildOptions

/**
 * Replaces `marked` by its lexer, the only part that the console uses. The package is one module that creates a parser, so
 * that the bundler cannot remove the rest. Its source map contains the modules that it was made from.
 */
const lexerOfMarked: Plugin = {
  name: 'lexer-of-marked',
  setup({ onResolve, onLoad }) {
    const map = readFileSync(new URL(`${import.meta.resolve('marked')}.map`), 'utf8')
    const { sources, sourcesContent } = JSON.parse(map) as Record<string, string[]>
    const contentOf = (path: string) =>
      path === 'marked'
        ? "export { _Lexer as Lexer } from './Lexer.ts'"
        : sourcesContent![sources!.findIndex((source) => basename(source) === basename(path))]
    const namespace = 'marked'
    onResolve({ filter: /^marked$/ }, ({ path }) => ({ path, namespace }))
    onResolve({ filter: /./, namespace }, ({ path }) => ({ path, namespace }))
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: contentOf(path), loader: 'ts' }))
  },
}

/** Builds the scripts of the console for browsers. */
const bundleBrowserCode = () =>
  build({
    ...commonOptions,
    plugins: [lexerOfMarked],
    entryPoints: { main: 'console/main.tsx' },
    // Puts the modules that several screens use into the entry chunk.
    inject: ['console/shared-chunk.ts'],
    format: 'esm',
    splitting: true,
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
  })

/**
 * Builds the module with which the service renders pages. Screens and components that only the browser renders are not
 * bundled.
 */
const bundleServerCode = (renderedScreens: string[]) =>
  buildSync({
    ...commonOptions,
    entryPoints: { server: 'console/server/create-renderer.ts' },
    inject: ['console/server/browser-globals.ts'],
    external: [
      ...screenNames()
        .filter((name) => !renderedScreens.includes(name))
        .map((name) => `./console/${name}/screen.tsx`),
      './console/management-screens.ts',
      './console/components/palette/open-palette.tsx',
      './console/requests/detail/detail.tsx',
    ],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
  })

/** Builds one style sheet for all screens, with the shared styles first. */
function bundleStyle(files: string[]) {
  const order = ['style', 'components']
  const rank = (file: string) => {
    const position = order.findIndex((folder) => file.startsWith(`${folder}/`))
    return position === -1 ? order.length : position
  }
  const sheets = files.filter((file) => file.endsWith('.css')).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const contents = sheets.map((file) => `@import './${file}';`).join('\n')
  return buildSync({
    ...commonOptions,
    stdin: { contents, loader: 'css', resolveDir: consoleFolder, sourcefile: 'style.css' },
    entryNames: 'style-[hash]',
  })
}

/** Returns a file and its static imports, recursively. */
function collectStaticImports(outputs: Metafile['outputs'], path: string, files = new Set<string>()): Set<string> {
  if (files.has(path)) return files
  files.add(path)
  for (const imported of outputs[path]?.imports ?? []) {
    if (imported.kind === 'import-statement') collectStaticImports(outputs, imported.path, files)
  }
  return files
}

/** The first API requests of screens. Importing the list does not load the screens. */
async function listFirstRequests(): Promise<Manifest['firstRequests']> {
  const { screens } = await import(pathToFileURL(join(consoleFolder, 'screens.ts')).href)
  return Object.fromEntries(
    (screens as { name: string; firstRequest?: string }[]).flatMap(({ name, firstRequest }) =>
      firstRequest === undefined ? [] : [[name, firstRequest]],
    ),
  )
}

type SharedFiles = Pick<Manifest, 'style' | 'icon' | 'firstRequests' | 'server'>

function manifestOf(outputs: Metafile['outputs'], sharedFiles: SharedFiles): Manifest {
  const findOutput = (matches: (output: Metafile['outputs'][string]) => boolean) =>
    Object.entries(outputs).find(([, output]) => matches(output))?.[0]
  const main = findOutput(({ entryPoint }) => entryPoint === 'console/main.tsx')
  if (main === undefined) throw new Error('The bundle has no script for console/main.tsx.')
  const mainFiles = collectStaticImports(outputs, main)
  const fileNames = (paths: Iterable<string>) => [...paths].map((path) => basename(path))
  const screens = screenNames().map((name) => {
    // One chunk can contain several screens.
    const screen = findOutput(({ inputs }) => `console/${name}/screen.tsx` in inputs)
    const files = screen ? collectStaticImports(outputs, screen) : new Set<string>()
    return [name, fileNames([...files].filter((path) => !mainFiles.has(path)))]
  })
  return {
    main: basename(main),
    mainImports: fileNames(mainFiles).filter((name) => name !== basename(main)),
    ...sharedFiles,
    screens: Object.fromEntries(screens),
    // Set when the files are written.
    files: [],
  }
}

/** Returns the file of a bundle that has one. */
function onlyFile({ outputFiles: [file] }: { outputFiles: OutputFile[] }): OutputFile {
  if (!file) throw new Error('The bundler returned no file.')
  return file
}

/** Writes a file, also compressed. @returns its name. */
function writeCompressed(folder: string, name: string, bytes: Uint8Array): string {
  writeFileSync(join(folder, name), bytes)
  writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  writeFileSync(join(folder, `${name}.br`), brotli)
  return name
}

async function bundle(folder: string): Promise<void> {
  const files = await bundledFiles()
  const { outputFiles, metafile } = await bundleBrowserCode()
  const sheet = onlyFile(bundleStyle(files))
  const icon = readFileSync(join(consoleFolder, 'style/icon.svg'))
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`
  mkdirSync(folder, { recursive: true })
  const firstRequests = await listFirstRequests()
  const server = onlyFile(bundleServerCode(Object.keys(firstRequests)))
  const serverName = basename(server.path)
  writeFileSync(join(folder, serverName), server.contents)
  const sharedFiles = { style: basename(sheet.path), icon: iconName, firstRequests, server: serverName }
  const manifest = manifestOf(metafile.outputs, sharedFiles)
  const scripts = outputFiles.filter(({ path }) => extname(path) === '.js')
  const write = ({ path, contents }: OutputFile) => writeCompressed(folder, basename(path), contents)
  writeFileSync(join(folder, sharedFiles.style), sheet.contents)
  manifest.files = [...scripts.map(write), writeCompressed(folder, iconName, icon)]
  writeFileSync(join(folder, manifestName), JSON.stringify(manifest))
}

try {
  // A lower priority, so that requests are handled first.
  setPriority(nicenessPlus(5))
} catch {
  // Some environments do not allow a process to change its priority. The bundle is built all the same.
}
const [, , folder] = process.argv
if (folder === undefined) throw new Error('The folder for the bundle is missing in the arguments.')
await bundle(folder)
