import type { PresetWithVersion } from './preset.ts'
import { insertPreset, insertVersion, newestVersionNumber, updatePreset } from './rows.ts'
import type { PresetSettings } from './settings.ts'
import { type WriteDeps, type Writer, writePreset } from './write.ts'

/**
 * Saves settings as the next version of a preset, which becomes the designated one. The preset is created when there
 * is none of that slug; its status stays what it was when there is.
 */
export function savePreset(
  deps: WriteDeps,
  caller: Writer,
  slug: string,
  settings: PresetSettings,
): Promise<PresetWithVersion> {
  return writePreset(deps, caller, slug, async (tx, before) => {
    const at = deps.now()
    const versionId = deps.newId()
    const presetId = before?.id ?? deps.newId()
    if (before) await updatePreset(tx, presetId, { designated_version_id: versionId, updated_at: at })
    else await insertPreset(tx, newPreset(caller, slug, presetId, versionId, at))
    await insertVersion(tx, {
      id: versionId,
      preset_id: presetId,
      version: (await newestVersionNumber(tx, presetId)) + 1,
      creator_id: caller.userId,
      system_prompt: settings.systemPrompt,
      config: settings.config,
      created_at: at,
      updated_at: at,
    })
    return { action: before ? 'preset.version_added' : 'preset.created' }
  })
}

function newPreset(caller: Writer, slug: string, id: string, versionId: string, at: number) {
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
