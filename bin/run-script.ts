import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { constants, Script } from 'node:vm'
import { crc32 } from 'node:zlib'

const root = new URL('..', import.meta.url)

type Entry = 'server' | 'worker'
type Service = Record<Entry, () => Promise<{ running: Promise<void> }>>

/** Not while the first requests come: it takes some 40 ms. What they called is then compiled, too. */
const laterMs = 3000

/**
 * Runs the script of a bundle from what V8 compiled in an earlier start. Node's own cache (`module.enableCompileCache`) is
 * made before anything of a module runs, so that the functions that a start calls are compiled anew each time.
 * @param here the file in the bundle that asks for it.
 */
export async function runScript(here: string, entry: Entry): Promise<void> {
  const filename = fileURLToPath(new URL('service.cjs', here))
  // Primary and workers call other functions.
  const compiledFile = fileURLToPath(new URL(`${entry}.compiled`, here))
  const compiled = readCompiled(compiledFile)
  const script = new Script(readFileSync(filename, 'utf8'), {
    filename,
    ...(compiled && { cachedData: compiled }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const module = { exports: {} as Service }
  script.runInThisContext()(module.exports, createRequire(root), module, here)
  await (await module.exports[entry]()).running
  // V8 itself rejects what another version, or one with other options, has compiled.
  if (!compiled || script.cachedDataRejected) setTimeout(keepCompiled, laterMs, script, compiledFile).unref()
}

/** Undefined where there is none, or a damaged one, which V8 would not notice. */
function readCompiled(file: string): Buffer | undefined {
  try {
    const content = readFileSync(file)
    const compiled = content.subarray(0, -4)
    return crc32(compiled) === content.readUInt32LE(compiled.length) ? compiled : undefined
  } catch {
    return undefined
  }
}

/** Where it cannot be written, the next start compiles what it calls. */
function keepCompiled(script: Script, file: string): void {
  const draft = `${file}.${process.pid}`
  try {
    const compiled = script.createCachedData()
    const sum = Buffer.alloc(4)
    sum.writeUInt32LE(crc32(compiled))
    writeFileSync(draft, Buffer.concat([compiled, sum]))
    renameSync(draft, file)
  } catch {
    // On a full disk each start would leave another one.
    rmSync(draft, { force: true })
  }
}
