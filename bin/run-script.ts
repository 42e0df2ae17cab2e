import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'
import { crc32 } from 'node:zlib'

const root = new URL('..', import.meta.url)

type Entry = 'server' | 'worker'
type Service = Record<Entry, () => Promise<{ running: Promise<void> }>>

/** The delay of writing the cache, which takes about 40 ms. The cache then also contains the functions of the first requests. */
const writeDelayMs = 3000

/**
 * Runs the script of a bundle with the code cache of an earlier start. V8 compiles a function at its first call. Node's own
 * cache (`module.enableCompileCache`) is made before a module runs, so it does not contain the functions that a start calls.
 * @param importUrl the URL of the calling file in the bundle.
 * @param entry the exported function of the script to call.
 */
export async function runScript(importUrl: string, entry: Entry): Promise<void> {
  const filename = fileURLToPath(new URL('service.cjs', importUrl))
  // The primary and the workers call different functions, so each entry has its own cache.
  const compiledFile = fileURLToPath(new URL(`${entry}.compiled`, importUrl))
  const compiled = readCompiled(compiledFile)
  const script = new Script(readFileSync(filename, 'utf8'), {
    filename,
    cachedData: compiled,
    // Packages that are not bundled are imported as usual.
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} as Service }
  // The script is a function with the parameters of a CommonJS module and the URL (`banner` in `bin/bundle.ts`).
  script.runInThisContext()(module.exports, createRequire(root), module, importUrl)
  await (await module.exports[entry]()).running
  // V8 rejects a cache that another version of V8 has written, or a process with other V8 options.
  if (!compiled || script.cachedDataRejected) setTimeout(saveCompileCache, writeDelayMs, script, compiledFile).unref()
}

/** Reads the cache, and compares its checksum, because V8 does not detect damage. Undefined if it is missing or damaged. */
function readCompiled(file: string): Buffer | undefined {
  try {
    const content = readFileSync(file)
    const compiled = content.subarray(0, -4)
    return crc32(compiled) === content.readUInt32LE(compiled.length) ? compiled : undefined
  } catch {
    return undefined
  }
}

/** Writes the cache and its checksum. Ignores errors: the next start then compiles the functions itself. */
function saveCompileCache(script: Script, file: string): void {
  const draft = `${file}.${process.pid}`
  try {
    const compiled = script.createCachedData()
    const sum = Buffer.alloc(4)
    sum.writeUInt32LE(crc32(compiled))
    writeFileSync(draft, Buffer.concat([compiled, sum]))
    renameSync(draft, file)
  } catch {
    // Removes the draft, so that starts on a full disk do not leave files behind.
    rmSync(draft, { force: true })
  }
}
