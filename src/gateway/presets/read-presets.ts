import { Fault } from '#platform/core/fault.ts'
import type { Db } from '#platform/db/db.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import type { Preset, PresetVersion, PresetWithVersion } from './preset.ts'
import { findPreset, findPresetPage, findVersion, findVersionPage } from './preset-rows.ts'

/** The presets that a caller can read: all of a workspace, or only those in `slugs`. Others are treated as missing. */
export type PresetScope = { workspaceId: string; slugs?: readonly string[] }

/** Lists presets of every status, the most recently changed first. */
export function listPresets(deps: { db: Db }, scope: PresetScope, page: PageQuery): Promise<Page<Preset>> {
  return findPresetPage(deps.db.query, scope, page)
}

/** @throws Fault `not_found`. */
export async function getPreset(
  deps: { db: Db },
  { workspaceId, slugs }: PresetScope,
  slug: string,
): Promise<PresetWithVersion> {
  if (slugs && !slugs.includes(slug)) throwPresetNotFound(slug)
  return (await findPreset(deps.db.query, workspaceId, slug)) ?? throwPresetNotFound(slug)
}

/** Lists versions, the oldest first. @throws Fault `not_found`. */
export async function listVersions(
  deps: { db: Db },
  scope: PresetScope,
  slug: string,
  page: PageQuery,
): Promise<Page<PresetVersion>> {
  const preset = await getPreset(deps, scope, slug)
  return findVersionPage(deps.db.query, preset.id, page)
}

/** @throws Fault `not_found`. */
export async function getVersion(
  deps: { db: Db },
  scope: PresetScope,
  slug: string,
  version: number,
): Promise<PresetVersion> {
  const preset = await getPreset(deps, scope, slug)
  return (await findVersion(deps.db.query, preset.id, version)) ?? throwVersionNotFound(slug, version)
}

export function throwPresetNotFound(slug: string): never {
  throw new Fault('not_found', `Preset "${slug}" not found.`)
}

export function throwVersionNotFound(slug: string, version: number): never {
  throw new Fault('not_found', `Version ${version} of preset "${slug}" not found.`)
}
