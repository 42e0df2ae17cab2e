import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readErrorText } from '#platform/process/system-error.ts'
import type { ModelDiscovery } from './discovery/model-discovery.ts'
import { readCatalogueFile } from './format/format.ts'
import { CatalogueError, type Layer, type Loaded } from './layer.ts'
import { mergeLayers } from './merge/merge.ts'
import { readModelsDev } from './models-dev/read-models-dev.ts'
import { readStoredNames, storedNamesPath } from './models-dev/stored-names.ts'

const starterPath = fileURLToPath(new URL('./starter.json', import.meta.url))

/** The sources of the catalogue. Later sources override earlier ones in this order. */
export type CatalogueSettings = {
  starter_catalogue: boolean
  /** Defaults to `models.dev.json` in the data folder, which is optional. */
  models_dev_file?: string
  catalogue_file?: string
  data_dir: string
}

export const modelsDevPath = (settings: Pick<CatalogueSettings, 'models_dev_file' | 'data_dir'>) =>
  settings.models_dev_file ?? join(settings.data_dir, 'models.dev.json')

/** The paths of all source files, including optional ones. */
export function sourcePaths(settings: CatalogueSettings): string[] {
  const modelsDevFile = modelsDevPath(settings)
  const paths = [modelsDevFile, storedNamesPath(modelsDevFile)]
  if (settings.starter_catalogue) paths.unshift(starterPath)
  if (settings.catalogue_file) paths.push(settings.catalogue_file)
  return paths
}

/**
 * Reads and merges all sources. The operator's own file overrides the lists of servers.
 * @throws CatalogueError if a source cannot be read or is not a catalogue at all.
 */
export async function loadCatalogue(settings: CatalogueSettings, discovery?: ModelDiscovery): Promise<Loaded> {
  const layers: Layer[] = []
  for await (const layer of readLayers(settings)) {
    layers.push(layer)
    await yieldToEventLoop()
  }
  const discoveredLayers = (await discovery?.discover(layers)) ?? []
  // The operator's file is the last layer.
  const operatorLayers = settings.catalogue_file ? layers.splice(-1) : []
  return combineLayers([...layers, ...discoveredLayers, ...operatorLayers])
}

/** Merges layers into a catalogue and reports on it. */
export function combineLayers(layers: readonly Layer[]): Loaded {
  const { data, skipped } = mergeLayers(layers)
  return {
    data,
    report: {
      sources: layers.map((layer) => layer.source),
      providers: data.providers.length,
      models: data.models.length,
      endpoints: data.models.reduce((sum, model) => sum + model.endpoints.length, 0),
      merged: layers.reduce((sum, layer) => sum + layer.mergedRows, 0),
      skipped: [...layers.flatMap((layer) => layer.skipped), ...skipped],
    },
  }
}

async function* readLayers(settings: CatalogueSettings): AsyncGenerator<Layer> {
  if (settings.starter_catalogue) yield readCatalogueFile(await readSource(starterPath), basename(starterPath))
  const modelsDevFile = modelsDevPath(settings)
  if (settings.models_dev_file || existsSync(modelsDevFile)) {
    yield readModelsDev(
      await readSource(modelsDevFile, 'models_dev_file'),
      modelsDevFile,
      await readStoredNames(modelsDevFile),
    )
  }
  if (settings.catalogue_file)
    yield readCatalogueFile(await readSource(settings.catalogue_file, 'catalogue_file'), settings.catalogue_file)
}

/**
 * @param setting the setting that names the file; the error message then contains it and the absolute path
 * @throws CatalogueError if the file cannot be read.
 */
export async function readSource(path: string, setting?: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const file = setting ? `${resolve(path)} (setting ${setting})` : path
    throw new CatalogueError(`${file} cannot be read: ${readErrorText(error)}.`)
  }
}
