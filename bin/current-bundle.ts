import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/** Where bundles are kept: each in a folder that is named after what it was made of. */
export const bundles = new URL('../node_modules/.cache/start/', import.meta.url)
const root = new URL('..', import.meta.url)

/** Besides the sources: which packages are installed, how names are resolved, and what makes a bundle of them. */
const besides = ['package.json', 'node_modules/.package-lock.json', 'bin/bundle.ts', 'bin/current-bundle.ts']

/** The folder of the bundle of these very sources; undefined where there is none. */
export function currentBundle(): URL | undefined {
  const list = new URL('sources.json', bundles)
  if (!existsSync(list)) return undefined
  try {
    const folder = folderFor(JSON.parse(readFileSync(list, 'utf8')))
    return existsSync(new URL('server.mjs', folder)) ? folder : undefined
  } catch {
    return undefined
  }
}

/** @param sources paths below the root. @throws where one of them is gone. */
export function folderFor(sources: readonly string[]): URL {
  const hash = createHash('sha256').update(`${process.version} ${root.href}`)
  for (const path of [...besides, ...sources]) {
    const content = readFileSync(new URL(path, root))
    hash.update(`\n${path} ${content.length}\n`).update(content)
  }
  return new URL(`${hash.digest('hex').slice(0, 32)}/`, bundles)
}
