import type { PresetVersion, PresetWithVersion } from './preset.ts'
import { findLatestVersionNumber, findVersionById, insertPreset, insertVersion, updatePreset } from './preset-rows.ts'
import type { PresetSettings } from './preset-settings.ts'
import { nextUpdateTime, type PresetWriter, type WriteDeps, writePreset } from './write-preset.ts'

/**
 * Saves settings as the next version of a preset and designates it. Creates the preset if the slug is new; otherwise
 * its status stays the same.
 */
export function savePreset(
  deps: WriteDeps,
  caller: PresetWriter,
  slug: string,
  settings: PresetSettings,
): Promise<PresetWithVersion> {
  return save(deps, caller, slug, { settings, versionId: deps.newId(), isDesignated: true })
}

/**
 * Saves settings as the next version of a preset without designating it, so that requests keep their version. The first
 * version of a new preset is designated.
 */
export async function saveVersion(
  deps: WriteDeps,
  caller: PresetWriter,
  slug: string,
  settings: PresetSettings,
): Promise<{ version: PresetVersion; isDesignated: boolean }> {
  const versionId = deps.newId()
  const preset = await save(deps, caller, slug, { settings, versionId, isDesignated: false })
  const version = await findVersionById(deps.db.query, versionId)
  return { version, isDesignated: preset.designated_version_id === versionId }
}

type NewVersionOptions = { settings: PresetSettings; versionId: string; isDesignated: boolean }

function save(
  deps: WriteDeps,
  caller: PresetWriter,
  slug: string,
  { settings, versionId, isDesignated }: NewVersionOptions,
): Promise<PresetWithVersion> {
  return writePreset(deps, caller, slug, async (tx, previousPreset) => {
    const at = nextUpdateTime(deps, previousPreset)
    const presetId = previousPreset?.id ?? deps.newId()
    if (previousPreset)
      await updatePreset(tx, presetId, { ...(isDesignated && { designated_version_id: versionId }), updated_at: at })
    else await insertPreset(tx, createPresetRow(caller, slug, presetId, versionId, at))
    const version = (await findLatestVersionNumber(tx, presetId)) + 1
    await insertVersion(tx, {
      id: versionId,
      preset_id: presetId,
      version,
      creator_id: caller.userId,
      system_prompt: settings.systemPrompt,
      config: settings.config,
      created_at: at,
      updated_at: at,
    })
    if (!previousPreset) return { action: 'preset.created' }
    return { action: 'preset.version_added', ...(!isDesignated && { version: { id: versionId, version } }) }
  })
}

function createPresetRow(caller: PresetWriter, slug: string, id: string, versionId: string, at: number) {
  return {
    id,
    workspace_id: caller.workspaceId,
    creator_user_id: caller.userId,
    name: slug,
    slug,
    description: null,
    status: 'active',
    status_updated_at: null,
    designated_version_id: versionId,
    created_at: at,
    updated_at: at,
  }
}
