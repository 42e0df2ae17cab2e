import { open, rename, rm } from 'node:fs/promises'
import { connectionFailure } from '#platform/core/connection-failure.ts'
import { bodyText } from '#platform/text/body-text.ts'
import { CatalogueRefused } from './layer.ts'
import { combine, type LoadReport } from './load.ts'
import { namesPath, readNames, withNames } from './models-dev/kept-names.ts'
import { readModelsDev } from './models-dev/read.ts'

export const modelsDevUrl = 'https://models.dev/api.json'

const patienceMs = 60_000
/** The maximum size of a snapshot, many times its current size. */
const maxBytes = 256 * 1024 * 1024

/** Downloads a text. @throws CatalogueRefused with the reason. */
export async function fetchSnapshot(url: string, fetch = globalThis.fetch): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) })
    if (response.ok) return await bodyText(response, maxBytes)
    throw new Error(`the answer was ${response.status} ${response.statusText}`)
  } catch (error) {
    const reason = connectionFailure(error as Error, URL.parse(url)?.host ?? url)
    throw new CatalogueRefused(`${url} cannot be read: ${reason}.`)
  }
}

/**
 * Validates a models.dev snapshot and replaces the stored one atomically.
 * @throws CatalogueRefused if it is not a valid snapshot; the stored one stays.
 */
export async function storeSnapshot(text: string, source: string, path: string): Promise<LoadReport> {
  const names = await readNames(path)
  const { data, report } = combine([readModelsDev(text, source, names)])
  if (report.models === 0) throw new CatalogueRefused(`${source} contains no usable model.`)
  await replace(namesPath(path), withNames(names, data.models))
  await replace(path, text)
  return report
}

/** Replaces a file atomically. */
async function replace(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`
  try {
    const file = await open(unfinished, 'w', 0o600)
    await file.writeFile(text)
    await file.sync()
    await file.close()
    await rename(unfinished, path)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw new CatalogueRefused(`${path} cannot be written: ${(error as Error).message}.`)
  }
}
