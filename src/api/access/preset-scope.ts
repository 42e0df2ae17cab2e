import { readPresetReference } from '#gateway/presets/preset-reference.ts'
import type { PresetScope } from '#gateway/presets/read-presets.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { findModelByKey } from '#interns/registry/intern-store.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Db } from '#platform/db/db.ts'

/** The presets that a caller can read. An intern's own key can read the preset that is configured as its model. */
export async function presetScope(
  deps: { db: Db; config: Pick<Config, 'default_intern_model'> },
  caller: Caller,
): Promise<PresetScope> {
  const { workspaceId, keyKind, keyHash } = caller
  if (keyKind !== 'intern') return { workspaceId }
  const preset = readPresetReference({
    model: (await findModelByKey(deps, keyHash)) ?? deps.config.default_intern_model,
  })
  return { workspaceId, slugs: preset ? [preset.slug] : [] }
}
