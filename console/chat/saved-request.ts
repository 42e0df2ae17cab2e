import type { ChatPresetBody } from '../api/types.ts'
import { fieldsOf, type Settings } from './request.ts'

/** The request that a preset is saved from: the first model or preset, with the settings. */
export function savedRequest(model: string | undefined, settings: Settings): ChatPresetBody {
  const system = settings.system.trim()
  return {
    ...fieldsOf(settings),
    ...(model && { model }),
    ...(system !== '' && { messages: [{ role: 'system' as const, content: system }] }),
  }
}

/** Lists what was not saved: fields that presets do not support, and all models but the first. */
export function skippedText(fields: string[], models: string[]): string | undefined {
  const all = [...fields, ...models.slice(1).map((model) => `the additional model ${model}`)]
  return all.length === 0 ? undefined : `Not saved: ${all.join(', ')}.`
}
