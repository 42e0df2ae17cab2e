import { canBeCalled, type Model } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Candidate, SortKey } from '../plan/plan.ts'
import type { ModelLookup } from './catalogue-lookup.ts'
import { suggestModels } from './model-suggestions.ts'
import { findLatest, refuseUnsupportedFeature } from './openrouter-names.ts'

/** Suffixes that select a sort. Others, such as `:free`, are part of a model id. */
const routingSuffixes = new Map<string, SortKey>([
  ['nitro', 'throughput'],
  ['floor', 'price'],
])

/**
 * The models that a request names, in its order. Unknown names are skipped if at least one is known, so that one list
 * works for several installations.
 * @throws Fault `invalid` without any name or for an unsupported feature, `not_found` if no name is found.
 */
export function resolveModels(
  catalogue: ModelLookup,
  names: { model?: string; models?: string[] | null },
): Candidate[] {
  const first = names.model ? [names.model] : []
  const requested = names.models ? first.concat(names.models) : first
  if (requested.length === 0)
    throw new Fault('invalid', 'Invalid request: model: name a model, such as "signalbox/demo"')
  const found: Candidate[] = []
  const modelIds = new Set<string>()
  for (const name of requested) {
    const candidate = resolveModel(catalogue, name)
    if (!candidate || modelIds.has(name)) continue
    modelIds.add(name)
    found.push(candidate)
  }
  const callable = found.filter(({ model }) => canBeCalled(model))
  if (callable.length > 0) return callable
  if (found.length > 0) throw new Fault('invalid', found.map(({ model }) => noTextMessage(model)).join(' '))
  const modelsOfAlias = modelsWithAlias(catalogue, requested[0]!)
  if (modelsOfAlias.length > 1) {
    const ids = quoted(modelsOfAlias)
    const message = `The name ${JSON.stringify(shortened(requested[0]!))} is ambiguous: ${modelsOfAlias.length} models have it. Name one of ${ids}.`
    throw new Fault('not_found', message)
  }
  const unknown = [...new Set(requested)]
  const others = unknown.length > maxListed ? ` or any of ${unknown.length - maxListed} more` : ''
  throw new Fault(
    'not_found',
    `Model ${quoted(unknown)}${others} not found. ${suggestionFor(catalogue, requested[0]!)}GET /models lists them all.`,
  )
}

/** The most names in one message. */
const maxListed = 10

const quoted = (names: readonly string[]) =>
  names
    .slice(0, maxListed)
    .map((name) => JSON.stringify(shortened(name)))
    .join(', ')

const modelsWithAlias = ({ models = [] }: ModelLookup, name: string) =>
  models.flatMap(({ id, aliases }) => (aliases.includes(name) ? [id] : []))

function noTextMessage({ id, outputModalities }: Model): string {
  const outputs = outputModalities.join(' and ')
  return `The model "${id}" cannot be used: it generates ${outputs}, and all operations of this service return text. GET /models lists the models that generate text.`
}

function suggestionFor({ models = [] }: ModelLookup, name: string): string {
  const suggestions = suggestModels(
    models.map(({ id }) => id),
    shortened(name),
  )
  return suggestions.length > 0 ? `Did you mean ${suggestions.map((id) => `"${id}"`).join(' or ')}? ` : ''
}

function resolveModel(catalogue: ModelLookup, name: string): Candidate | undefined {
  const exact = catalogue.findModel(name)
  if (exact) return { model: exact, endpoints: exact.endpoints }
  const colon = name.lastIndexOf(':')
  const sort = colon > 0 ? routingSuffixes.get(name.slice(colon + 1)) : undefined
  const model = (sort && catalogue.findModel(name.slice(0, colon))) ?? findLatest(catalogue.models ?? [], name)
  if (!model) refuseUnsupportedFeature(name)
  return model && { model, endpoints: model.endpoints, ...(sort && { sort }) }
}

function shortened(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}
