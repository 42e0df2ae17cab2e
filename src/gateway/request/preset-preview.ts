import type { Db } from '#platform/db/db.ts'
import type { z } from '#platform/json/schema.ts'
import { chatPreset } from '../clients/chat/preset.ts'
import { applyPreset } from '../presets/apply-preset.ts'
import type { PresetScope } from '../presets/read-presets.ts'
import { type NewPresetVersion, resolveNewVersion } from '../presets/version-request.ts'

/** The contents of a version that is not saved, and the chat request that it makes. */
type PresetPreview = {
  system_prompt: string | null
  config: Record<string, unknown>
  skipped_fields: string[]
  chat: Record<string, unknown>
}

/** Returns what saving a version would store. @throws Fault `invalid`, or `not_found` if it names a missing preset. */
export async function previewVersion(
  deps: { db: Db },
  scope: PresetScope,
  body: z.infer<typeof NewPresetVersion>,
): Promise<PresetPreview> {
  const { settings, skippedFields } = await resolveNewVersion(deps, scope, body)
  const version = { system_prompt: settings.systemPrompt, config: settings.config }
  return { ...version, skipped_fields: skippedFields, chat: applyPreset(version, { messages: [] }, chatPreset) }
}
