import { Fault } from '#lib/fault.ts'

type Body = Record<string, unknown>

const mark = '@preset/'

/**
 * The preset a request names, by `preset` or in `model`, and the request without that name; undefined where it names
 * none. @throws Fault `invalid` when the two name different presets.
 */
export function presetReference(body: Body): { slug: string; rest: Body } | undefined {
  const { preset, model } = body
  const at = typeof model === 'string' ? model.indexOf(mark) : -1
  if (typeof preset !== 'string' && at === -1) return undefined
  const { preset: _preset, model: _model, ...others } = body
  if (at === -1) return { slug: preset as string, rest: model === undefined ? others : { model, ...others } }
  const slug = (model as string).slice(at + mark.length)
  if (typeof preset === 'string' && preset !== slug) {
    throw new Fault(
      'invalid',
      'Invalid request: preset: names another preset than model; name one, or the same in both',
    )
  }
  // The text before the mark is the model. If there is none, the preset chooses the model.
  return { slug, rest: at > 0 ? { model: (model as string).slice(0, at), ...others } : others }
}
