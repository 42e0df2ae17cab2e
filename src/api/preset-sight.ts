import type { Caller } from '#accounts/caller.ts'
import type { Config } from '#config/settings.ts'
import type { Db } from '#db/db.ts'
import { modelOfKey } from '#interns/store.ts'
import { presetNamed } from '#presets/named.ts'
import type { PresetSight } from '#presets/read.ts'

/** Which presets a caller may read. An intern's own key reads the one that the intern thinks with, if it names one. */
export async function presetSight(
  deps: { db: Db; config: Pick<Config, 'default_intern_model'> },
  caller: Caller,
): Promise<PresetSight> {
  const { workspaceId, keyKind, keyHash } = caller
  if (keyKind !== 'intern') return { workspaceId }
  const named = presetNamed({ model: (await modelOfKey(deps, keyHash)) ?? deps.config.default_intern_model })
  return { workspaceId, slugs: named ? [named.slug] : [] }
}
