import type { CatalogueDraft } from './catalogue/catalogue-draft.ts'
import type { LitellmConfig, Row } from './config.ts'
import type { ImportNotes } from './import-notes.ts'
import { plainSlugOf } from './names.ts'

export type NewPreset = { slug: string; body: Record<string, unknown> }

/**
 * Converts the parameters and the fallback models of LiteLLM names to presets. Requests that use the preset get both.
 */
export function importPresets(config: LitellmConfig, draft: CatalogueDraft, notes: ImportNotes): NewPreset[] {
  const fallbacks = fallbacksOf(config, notes)
  const parameters = new Map<string, Record<string, unknown>>()
  for (const { row } of config.rows) {
    if (!row || !draft.groups.has(row.model_name) || parameters.has(row.model_name)) continue
    parameters.set(row.model_name, parametersOf(row))
  }
  const names = new Set([...parameters.keys(), ...fallbacks.keys()])
  const presets = new Map<string, NewPreset>()
  for (const name of names) {
    const ownModels = draft.groups.get(name)
    if (!ownModels) {
      notes.add(`fallbacks of ${name}`, 'no row of this name was imported')
      continue
    }
    const fallbackModels = (fallbacks.get(name) ?? []).flatMap((other) => draft.groups.get(other) ?? [])
    const models = [...new Set([...ownModels, ...fallbackModels])]
    const presetParameters = parameters.get(name) ?? {}
    if (models.length === 1 && Object.keys(presetParameters).length === 0) continue
    const slug = plainSlugOf(name)
    if (presets.has(slug)) {
      notes.add(name, `the preset ${slug} already exists for another name`)
      continue
    }
    presets.set(slug, {
      slug,
      body: { ...(models.length > 1 ? { models } : { model: models[0] }), ...presetParameters },
    })
    const additions: string[] = []
    if (models.length > 1) additions.push('fallbacks')
    if (Object.keys(presetParameters).length > 0) additions.push('parameters')
    notes.add(
      name,
      `a request for "${name}" uses ${models[0]} only; for its ${additions.join(' and ')}, use the model "@preset/${slug}"`,
    )
  }
  return [...presets.values()]
}

const numberParameters = ['temperature', 'top_p', 'top_k', 'frequency_penalty', 'presence_penalty'] as const

/** The parameters that a row adds to each request, as fields of `/responses`. */
function parametersOf({ litellm_params: params }: Row): Record<string, unknown> {
  const numbers = Object.fromEntries(
    numberParameters.flatMap((name) => (typeof params[name] === 'number' ? [[name, params[name]]] : [])),
  )
  const parameters: Record<string, unknown> = { ...numbers }
  const limit = Number(params.max_tokens ?? params.max_completion_tokens)
  if (limit > 0) parameters.max_output_tokens = limit
  const reasoning = reasoningOf(params)
  if (reasoning) parameters.reasoning = reasoning
  return parameters
}

function reasoningOf(params: Row['litellm_params']): object | undefined {
  if (typeof params.reasoning_effort === 'string') return { effort: params.reasoning_effort }
  const thinking = params.thinking as { type?: unknown; budget_tokens?: unknown } | null | undefined
  if (thinking?.type !== 'enabled' && thinking?.type !== 'adaptive') return undefined
  return typeof thinking.budget_tokens === 'number' ? { max_tokens: thinking.budget_tokens } : { enabled: true }
}

/** Reads `fallbacks: [{a: [b, c]}]` of both sections, including those for only one kind of error. */
function fallbacksOf({ router, litellm }: LitellmConfig, notes: ImportNotes): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [section, from] of Object.entries({ router_settings: router, litellm_settings: litellm })) {
    for (const kind of ['fallbacks', 'context_window_fallbacks', 'content_policy_fallbacks']) {
      const rows = Array.isArray(from[kind]) ? from[kind] : []
      if (rows.length > 0 && kind !== 'fallbacks')
        notes.add(`${section}.${kind}`, 'the fallbacks are used after any failure, not only after this kind')
      for (const [name, models] of rows.flatMap((row) => Object.entries(row ?? {})))
        found.set(name, [...(found.get(name) ?? []), ...[models].flat().map(String)])
    }
  }
  return found
}
