import type { PresetPatch, PresetWithVersion } from './preset.ts'
import { findVersion, updatePreset } from './preset-rows.ts'
import { throwPresetNotFound, throwVersionNotFound } from './read-presets.ts'
import { nextUpdateTime, type PresetWriter, type WriteDeps, writePreset } from './write-preset.ts'

/** Changes name, description or status, if given. @throws Fault `not_found`, `conflict`. */
export function changePreset(
  deps: WriteDeps,
  caller: PresetWriter,
  slug: string,
  patch: PresetPatch,
): Promise<PresetWithVersion> {
  return writePreset(deps, caller, slug, async (tx, before) => {
    if (!before) return throwPresetNotFound(slug)
    const { name = before.name, description = before.description, status = before.status } = patch
    const hasNewStatus = status !== before.status
    if (!hasNewStatus && name === before.name && description === before.description) return undefined
    const at = nextUpdateTime(deps, before)
    await updatePreset(tx, before.id, {
      name,
      description,
      ...(hasNewStatus && { status, status_updated_at: at }),
      updated_at: at,
    })
    return { action: 'preset.updated' }
  })
}

/** Designates a version, usually an older one, for use. @throws Fault `not_found`, `conflict`. */
export function designateVersion(
  deps: WriteDeps,
  caller: PresetWriter,
  slug: string,
  number: number,
): Promise<PresetWithVersion> {
  return writePreset(deps, caller, slug, async (tx, before) => {
    if (!before) return throwPresetNotFound(slug)
    const version = (await findVersion(tx, before.id, number)) ?? throwVersionNotFound(slug, number)
    if (version.id === before.designated_version_id) return undefined
    await updatePreset(tx, before.id, { designated_version_id: version.id, updated_at: nextUpdateTime(deps, before) })
    return { action: 'preset.version_designated' }
  })
}
