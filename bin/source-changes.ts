const workerUrl = "new URL('./worker.ts', import.meta.url)"
/** The programs of interns' processes, as `src/provision/processes/programs.ts` names them. */
const programOfIntern = /new URL\('(?:\.\.\/)+bin\/(\w+)\.ts', import\.meta\.url\)/g

/** How source files differ in a bundle, by their paths from the repository's root. */
export const sourceChanges = new Map<string, (source: string) => string>([
  // The other entry is bundled beside this one.
  ['bin/server.ts', (source) => wrapInFunction(replaceOrThrow(source, workerUrl, "new URL('./worker.mjs', here)"))],
  ['bin/worker.ts', wrapInFunction],
  [
    'src/provision/processes/programs.ts',
    (source) => replaceOrThrow(source, programOfIntern, "new URL('./interns/$1.mjs', here)"),
  ],
  ['src/platform/db/kysely.ts', withKysely],
  // esbuild then sees the packages that are loaded later, and bundles them.
  ['src/platform/process/lazy-modules.ts', (source) => replaceOrThrow(source, /^const require = .*/m, '')],
])

/** @throws Error if the source has no match, because it was rewritten. */
function replaceOrThrow(source: string, pattern: string | RegExp, text: string): string {
  const result = source.replace(pattern, text)
  if (result === source) throw new Error(`The bundle cannot replace ${pattern}: it is not in the source.`)
  return result
}

/** Imports by name, so that esbuild bundles only what is used. */
function withKysely(text: string): string {
  const [, names] = /export const (\{[^}]*\}) = kysely/.exec(text) ?? []
  return `export ${names} from 'kysely'`
}

/** Puts top-level `await` into a function: a CommonJS script has none. */
function wrapInFunction(module: string): string {
  const [imports] = /^(?:import .*\n)+/.exec(module)!
  return `${imports}export const running = (async () => {\n${module.slice(imports.length)}\n})()`
}
