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
  return writePreset(deps, caller, slug, async (tx, previousPreset) => {
    if (!previousPreset) return throwPresetNotFound(slug)
    const {
      name = previousPreset.name,
      description = previousPreset.description,
      status = previousPreset.status,
    } = patch
    const hasNewStatus = status !== previousPreset.status
    if (!hasNewStatus && name === previousPreset.name && description === previousPreset.description) return undefined
    const at = nextUpdateTime(deps, previousPreset)
    await updatePreset(tx, previousPreset.id, {
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
  return writePreset(deps, caller, slug, async (tx, previousPreset) => {
    if (!previousPreset) return throwPresetNotFound(slug)
    const version = (await findVersion(tx, previousPreset.id, number)) ?? throwVersionNotFound(slug, number)
    if (version.id === previousPreset.designated_version_id) return undefined
    await updatePreset(tx, previousPreset.id, {
      designated_version_id: version.id,
      updated_at: nextUpdateTime(deps, previousPreset),
    })
    return { action: 'preset.version_designated' }
  })
}
