import { open, rename, rm } from 'node:fs/promises'
import { describeConnectionFailure } from '#platform/core/connection-failure.ts'
import { readBodyText } from '#platform/text/body-text.ts'
import { CatalogueError, type LoadReport } from './layer.ts'
import { combineLayers } from './load.ts'
import { readModelsDev } from './models-dev/read-models-dev.ts'
import { encodeStoredNames, readStoredNames, storedNamesPath } from './models-dev/stored-names.ts'

export const modelsDevUrl = 'https://models.dev/api.json'

const timeoutMs = 60_000
/** The maximum size of the data of models.dev, many times its current size. */
const maxBytes = 256 * 1024 * 1024

/** Downloads the data of models.dev. @throws CatalogueError with the reason. */
export async function fetchModelsDev(url: string, fetch = globalThis.fetch): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.ok) return await readBodyText(response, maxBytes)
    throw new Error(`the response was ${response.status} ${response.statusText}`)
  } catch (error) {
    const reason = describeConnectionFailure(error as Error, URL.parse(url)?.host ?? url)
    throw new CatalogueError(`${url} cannot be read: ${reason}.`)
  }
}

/**
 * Validates the data of models.dev and replaces the stored file atomically. First adds the dated names of new models to the
 * file of names beside it, so that no stored model has a name that can still change.
 * @throws CatalogueError if the data is not valid; the stored files do not change.
 */
export async function storeModelsDevFile(text: string, source: string, path: string): Promise<LoadReport> {
  const storedNames = await readStoredNames(path)
  const { data, report } = combineLayers([readModelsDev(text, source, storedNames)])
  if (report.models === 0) throw new CatalogueError(`${source} contains no usable model.`)
  await replaceAtomically(storedNamesPath(path), encodeStoredNames(storedNames, data.models))
  await replaceAtomically(path, text)
  return report
}

async function replaceAtomically(path: string, text: string): Promise<void> {
  const temporaryPath = `${path}.${process.pid}.new`
  try {
    await writeAndFlush(temporaryPath, text)
    await rename(temporaryPath, path)
  } catch (error) {
    await rm(temporaryPath, { force: true })
    throw new CatalogueError(`${path} cannot be written: ${(error as Error).message}.`)
  }
}

async function writeAndFlush(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
}
