import { Fault } from '#platform/core/fault.ts'

type Body = Record<string, unknown>

const mark = '@preset/'
/** `haiku@2`: of the preset haiku its version 2. Nine digits are more versions than anybody makes. */
const versioned = /^(.*)@(\d{1,9})$/s

/** A preset, or one version of it where that is named; else the one in use is meant. */
export type PresetReference = { slug: string; version?: number; rest: Body }

/**
 * The preset a request names, by `preset` or in `model`, and the request without that name; undefined where it names
 * none. @throws Fault `invalid` when the two name different presets.
 */
export function presetReference(body: Body): PresetReference | undefined {
  const { preset, model } = body
  const at = typeof model === 'string' ? model.indexOf(mark) : -1
  if (typeof preset !== 'string' && at === -1) return undefined
  const { preset: _preset, model: _model, ...others } = body
  if (at === -1) return { ...named(preset as string), rest: model === undefined ? others : { model, ...others } }
  const slug = (model as string).slice(at + mark.length)
  if (typeof preset === 'string' && preset !== slug) {
    throw new Fault(
      'invalid',
      'Invalid request: preset: names another preset than model; name one, or the same in both',
    )
  }
  // The text before the mark is the model. If there is none, the preset chooses the model.
  return { ...named(slug), rest: at > 0 ? { model: (model as string).slice(0, at), ...others } : others }
}

function named(text: string): Pick<PresetReference, 'slug' | 'version'> {
  const [, slug, version] = versioned.exec(text) ?? []
  return slug === undefined ? { slug: text } : { slug, version: Number(version) }
}
