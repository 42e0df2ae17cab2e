import type { CatalogueDraft } from './catalogue.ts'
import type { LitellmConfig, Row } from './config.ts'
import type { Left } from './left.ts'
import { plainSlugOf } from './names.ts'

export type PresetWanted = { slug: string; body: Record<string, unknown> }

/**
 * The settings of a LiteLLM name besides its model: parameters of its row, and models to fall back on. A request names
 * the preset to get both.
 */
export function presetsOf(config: LitellmConfig, draft: CatalogueDraft, left: Left): PresetWanted[] {
  const fallbacks = fallbacksOf(config, left)
  const parameters = new Map<string, Record<string, unknown>>()
  for (const { row } of config.rows) {
    if (!row || !draft.groups.has(row.model_name) || parameters.has(row.model_name)) continue
    parameters.set(row.model_name, parametersOf(row))
  }
  const names = new Set([...parameters.keys(), ...fallbacks.keys()])
  const presets = new Map<string, PresetWanted>()
  for (const name of names) {
    const own = draft.groups.get(name)
    if (!own) {
      left.add(`fallbacks of ${name}`, 'no row of this name was taken')
      continue
    }
    const next = (fallbacks.get(name) ?? []).flatMap((other) => draft.groups.get(other) ?? [])
    const models = [...new Set([...own, ...next])]
    const config = parameters.get(name) ?? {}
    if (models.length === 1 && Object.keys(config).length === 0) continue
    const slug = plainSlugOf(name)
    if (presets.has(slug)) {
      left.add(name, `a preset ${slug} is made of another name already`)
      continue
    }
    presets.set(slug, { slug, body: { ...(models.length > 1 ? { models } : { model: models[0] }), ...config } })
    const more = [
      ...(models.length > 1 ? ['fallbacks'] : []),
      ...(Object.keys(config).length > 0 ? ['parameters'] : []),
    ]
    left.add(
      name,
      `a request for "${name}" gets ${models[0]} alone; for its ${more.join(' and ')}, let the request name "@preset/${slug}"`,
    )
  }
  return [...presets.values()]
}

const plain = ['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty'] as const

/** The parameters that a row adds to each request, in the form of `/responses`. */
function parametersOf({ litellm_params: params }: Row): Record<string, unknown> {
  const said = Object.fromEntries(
    plain.flatMap((name) => (typeof params[name] === 'number' ? [[name, params[name]]] : [])),
  )
  const limit = params.max_tokens ?? params.max_completion_tokens
  const thinking = params.thinking as { type?: unknown; budget_tokens?: unknown } | null | undefined
  const effort = typeof params.reasoning_effort === 'string' ? { effort: params.reasoning_effort } : undefined
  const budget =
    typeof thinking?.budget_tokens === 'number' ? { max_tokens: thinking.budget_tokens } : { enabled: true }
  const thinks = thinking?.type === 'enabled' || thinking?.type === 'adaptive' ? budget : undefined
  const reasoning = effort ?? thinks
  return { ...said, ...(Number(limit) > 0 && { max_output_tokens: Number(limit) }), ...(reasoning && { reasoning }) }
}

/** `fallbacks: [{a: [b, c]}]` of either section; those for one kind of error alone are not told apart here. */
function fallbacksOf({ router, litellm }: LitellmConfig, left: Left): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [section, from] of Object.entries({ router_settings: router, litellm_settings: litellm })) {
    for (const kind of ['fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks']) {
      const rows = Array.isArray(from[kind]) ? from[kind] : []
      if (rows.length > 0 && kind !== 'fallbacks')
        left.add(`${section}.${kind}`, 'they are tried after any failure, not after this one alone')
      for (const [name, next] of rows.flatMap((row) => Object.entries(row ?? {})))
        found.set(name, [...(found.get(name) ?? []), ...(Array.isArray(next) ? next : [next]).map(String)])
    }
  }
  return found
}
