import type { Caller } from '#accounts/caller.ts'
import type { Config } from '#config/settings.ts'
import type { Db } from '#db/db.ts'
import { modelOfKey } from '#interns/store.ts'
import { presetReference } from '#presets/preset-reference.ts'
import type { PresetScope } from '#presets/read.ts'

/** Which presets a caller may read. An intern's own key reads the one that the intern thinks with, if it names one. */
export async function presetScope(
  deps: { db: Db; config: Pick<Config, 'default_intern_model'> },
  caller: Caller,
): Promise<PresetScope> {
  const { workspaceId, keyKind, keyHash } = caller
  if (keyKind !== 'intern') return { workspaceId }
  const named = presetReference({ model: (await modelOfKey(deps, keyHash)) ?? deps.config.default_intern_model })
  return { workspaceId, slugs: named ? [named.slug] : [] }
}
