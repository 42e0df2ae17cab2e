import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../protocol/request-body.ts'

const prefix = '@preset/'
/** Matches `haiku@2`: version 2 of the preset haiku. No preset has more versions than nine digits can express. */
const versionPattern = /^(.*)@(\d{1,9})$/s

/** A preset, or one version of it. Without a version, the designated one applies. */
type PresetReference = { slug: string; version?: number; bodyWithoutPreset: Body }

/**
 * Finds the preset that a request names in `preset` or `model`. Returns it with the request without that name, or
 * undefined. @throws Fault `invalid` if the two fields name different presets.
 */
export function readPresetReference(body: Body): PresetReference | undefined {
  const { preset, model } = body
  const at = typeof model === 'string' ? model.indexOf(prefix) : -1
  if (typeof preset !== 'string' && at === -1) return undefined
  const { preset: _preset, model: _model, ...others } = body
  if (at === -1)
    return {
      ...parseReference(preset as string),
      bodyWithoutPreset: model === undefined ? others : { model, ...others },
    }
  const slug = (model as string).slice(at + prefix.length)
  if (typeof preset === 'string' && preset !== slug) {
    throw new Fault(
      'invalid',
      'Invalid request: preset: names a different preset than model. Use one field, or the same preset in both',
    )
  }
  // The text before the prefix is the model. If there is none, the preset chooses the model.
  return {
    ...parseReference(slug),
    bodyWithoutPreset: at > 0 ? { model: (model as string).slice(0, at), ...others } : others,
  }
}

function parseReference(text: string): Pick<PresetReference, 'slug' | 'version'> {
  const [, slug, version] = versionPattern.exec(text) ?? []
  return slug === undefined ? { slug: text } : { slug, version: Number(version) }
}
