import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from '#platform/json/schema.ts'
import type { Model } from '../../index/model.ts'
import { CatalogueError } from '../layer.ts'

/**
 * The first dated name of each model, by id. Dated names are stored in guardrails, so they must not change when models.dev
 * corrects a release date.
 */
export type StoredNames = ReadonlyMap<string, string>

const Names = z.record(z.string(), z.string())

/** The path of the file of names, next to the stored file of models.dev. */
export const storedNamesPath = (dataFilePath: string) => `${dataFilePath.replace(/\.json$/, '')}.names.json`

/** Reads the stored names; empty if there is no file of names. @throws CatalogueError if the file is not valid. */
export async function readStoredNames(dataFilePath: string): Promise<StoredNames> {
  const path = storedNamesPath(dataFilePath)
  if (!existsSync(path)) return new Map()
  try {
    return new Map(Object.entries(Names.parse(JSON.parse(await readFile(path, 'utf8')))))
  } catch {
    throw new CatalogueError(`${path}, which stores the models' dated names, is damaged: restore it from a backup.`)
  }
}

/** Returns the content of the file with the names of new models added. */
export function encodeStoredNames(names: StoredNames, models: readonly Model[]): string {
  const all = {
    ...Object.fromEntries(models.map(({ id, canonicalSlug }) => [id, canonicalSlug])),
    ...Object.fromEntries(names),
  }
  return `${JSON.stringify(all, null, 1)}\n`
}
