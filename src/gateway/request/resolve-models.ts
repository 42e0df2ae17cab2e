import { canBeCalled, type Model } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Candidate, SortKey } from '../plan/plan.ts'
import type { ModelLookup } from './catalogue-lookup.ts'
import { nearNames } from './model-suggestions.ts'

/** Suffixes that say how to route rather than which model. `:free` and the like name a variant in the catalogue. */
const routingSuffixes = new Map<string, SortKey>([
  ['nitro', 'throughput'],
  ['floor', 'price'],
])

/**
 * The models a request names, first choice first. Unknown fallbacks are passed over as long as one name is known: a
 * list made for several installations should not fail on each.
 * @throws Fault `invalid` without any name, `not_found` when no name is known.
 */
export function resolveModels(
  catalogue: ModelLookup,
  names: { model?: string; models?: string[] | null },
): Candidate[] {
  const first = names.model ? [names.model] : []
  const wanted = names.models ? [...new Set([...first, ...names.models])] : first
  if (wanted.length === 0) throw new Fault('invalid', 'Invalid request: model: name a model, such as "signalbox/demo"')
  const found: Candidate[] = []
  for (const name of wanted) {
    const candidate = resolveModel(catalogue, name)
    if (candidate) found.push(candidate)
  }
  const callable = found.filter(({ model }) => canBeCalled(model))
  if (callable.length > 0) return callable
  if (found.length > 0) throw new Fault('invalid', found.map(({ model }) => makesNoText(model)).join(' '))
  const holders = modelsWithAlias(catalogue, wanted[0]!)
  if (holders.length > 1) {
    const ids = quoted(holders)
    const message = `The name ${JSON.stringify(shortened(wanted[0]!))} is ambiguous: ${holders.length} models have it. Name one of ${ids}.`
    throw new Fault('not_found', message)
  }
  const others = wanted.length > mostListed ? ` or any of ${wanted.length - mostListed} more` : ''
  throw new Fault(
    'not_found',
    `There is no model ${quoted(wanted)}${others}. ${meant(catalogue, wanted[0]!)}GET /models lists them all.`,
  )
}

/** The most names in one message. */
const mostListed = 10

const quoted = (names: readonly string[]) =>
  names
    .slice(0, mostListed)
    .map((name) => JSON.stringify(shortened(name)))
    .join(', ')

const modelsWithAlias = ({ models = [] }: ModelLookup, name: string) =>
  models.flatMap(({ id, aliases }) => (aliases.includes(name) ? [id] : []))

function makesNoText({ id, outputModalities }: Model): string {
  const made = outputModalities.join(' and ')
  return `The model "${id}" cannot be asked here: it makes ${made}, and every operation of this service answers with text. GET /models lists the models that make text.`
}

function meant({ models = [] }: ModelLookup, name: string): string {
  const near = nearNames(
    models.map(({ id }) => id),
    shortened(name),
  )
  return near.length > 0 ? `Did you mean ${near.map((id) => `"${id}"`).join(' or ')}? ` : ''
}

function resolveModel(catalogue: ModelLookup, name: string): Candidate | undefined {
  const exact = catalogue.findModel(name)
  if (exact) return { model: exact, endpoints: exact.endpoints }
  const colon = name.lastIndexOf(':')
  const sort = colon > 0 ? routingSuffixes.get(name.slice(colon + 1)) : undefined
  const model = sort && catalogue.findModel(name.slice(0, colon))
  return model && { model, endpoints: model.endpoints, sort }
}

function shortened(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name
}
