import { canServe, type Model } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Task } from '#platform/core/vocabulary.ts'
import type { Candidate, SortKey } from '../plan/plan.ts'
import type { ModelLookup } from './catalogue-lookup.ts'
import { suggestModels } from './model-suggestions.ts'
import { findLatest, refuseUnsupportedFeature } from './openrouter-names.ts'

/** Suffixes that select a sort. Others, such as `:free`, are part of a model id. */
const routingSuffixes = new Map<string, SortKey>([
  ['nitro', 'throughput'],
  ['floor', 'price'],
])

/** An example of a model, the list of the models, and the operation to name in messages. */
const taskGuidance: Record<Task | 'chat', { example: string; list: string; operation: string }> = {
  chat: { example: 'signalbox/demo', list: 'GET /models', operation: 'POST /chat/completions' },
  embeddings: {
    example: 'signalbox/demo-embedding',
    list: 'GET /embeddings/models',
    operation: 'POST /embeddings',
  },
}

/**
 * The models that a request names, in its order, each once. Unknown names are skipped if at least one is known, so that one
 * list works for several installations.
 * @param task undefined for chats.
 * @throws Fault `invalid` without any name, for an unsupported feature, or if no model can serve the task, `not_found` if
 * no name is found.
 */
export function resolveModels(
  catalogue: ModelLookup,
  names: { model?: string; models?: string[] | null },
  task?: Task,
): Candidate[] {
  const { example, list } = taskGuidance[task ?? 'chat']
  const requestedNames = names.model ? [names.model] : []
  if (names.models) requestedNames.push(...names.models)
  if (requestedNames.length === 0)
    throw new Fault('invalid', `Invalid request: model: name a model, such as "${example}"`)
  const candidates: Candidate[] = []
  const modelIds = new Set<string>()
  for (const name of requestedNames) {
    const candidate = resolveModel(catalogue, name, task)
    if (!candidate || modelIds.has(candidate.model.id)) continue
    modelIds.add(candidate.model.id)
    candidates.push(candidate)
  }
  const callableCandidates = candidates.filter(({ model }) => canServe(model, task))
  if (callableCandidates.length > 0) return callableCandidates
  if (candidates.length > 0)
    throw new Fault('invalid', candidates.map(({ model }) => otherOutputMessage(model, task)).join(' '))
  const modelsOfAlias = modelsWithAlias(catalogue, requestedNames[0]!)
  if (modelsOfAlias.length > 1) {
    const ids = quoteNames(modelsOfAlias)
    const message = `The name ${JSON.stringify(shorten(requestedNames[0]!))} is ambiguous: ${modelsOfAlias.length} models have it. Name one of ${ids}.`
    throw new Fault('not_found', message)
  }
  const unknownNames = [...new Set(requestedNames)]
  const others = unknownNames.length > maxListed ? ` or any of ${unknownNames.length - maxListed} more` : ''
  throw new Fault(
    'not_found',
    `Model ${quoteNames(unknownNames)}${others} not found. ${suggestionFor(catalogue, requestedNames[0]!, task)}${list} lists them all.`,
  )
}

/**
 * The model that a name means in a request, also with a suffix that selects a sort.
 * @throws Fault `not_found` with similar names.
 */
export function requireModel(catalogue: ModelLookup, name: string): Model {
  const found = findByName(catalogue, name)
  if (found) return found.model
  const { list } = taskGuidance.chat
  const message = `Model ${quoteNames([name])} not found. ${suggestionFor(catalogue, name, undefined)}${list} lists them all.`
  throw new Fault('not_found', message)
}

/** The most names in one message. */
const maxListed = 10

const quoteNames = (names: readonly string[]) =>
  names
    .slice(0, maxListed)
    .map((name) => JSON.stringify(shorten(name)))
    .join(', ')

const modelsWithAlias = ({ models = [] }: ModelLookup, name: string) =>
  models.flatMap(({ id, aliases }) => (aliases.includes(name) ? [id] : []))

function otherOutputMessage(model: Model, task: Task | undefined): string {
  const outputs = model.outputModalities.join(' and ')
  const returned = task ?? 'text'
  const { list } = taskGuidance[task ?? 'chat']
  const [, suitable] =
    Object.entries(taskGuidance).find(([name]) => canServe(model, name === 'chat' ? undefined : (name as Task))) ?? []
  const advice = suitable ? `Send it to ${suitable.operation}. ` : ''
  return `The model "${model.id}" cannot be used here: it generates ${outputs}, and this operation returns ${returned}. ${advice}${list} lists the models that generate ${returned}.`
}

/** Only models that can serve the task are suggested. */
function suggestionFor({ models = [] }: ModelLookup, name: string, task: Task | undefined): string {
  const suggestions = suggestModels(
    models.flatMap((model) => (canServe(model, task) ? [model.id] : [])),
    shorten(name),
  )
  return suggestions.length > 0 ? `Did you mean ${suggestions.map((id) => `"${id}"`).join(' or ')}? ` : ''
}

function resolveModel(catalogue: ModelLookup, name: string, task: Task | undefined): Candidate | undefined {
  const found = findByName(catalogue, name, task)
  if (!found) refuseUnsupportedFeature(name)
  return found && { model: found.model, endpoints: found.model.endpoints, ...(found.sort && { sort: found.sort }) }
}

function findByName(catalogue: ModelLookup, name: string, task?: Task): { model: Model; sort?: SortKey } | undefined {
  const exact = catalogue.findModel(name)
  if (exact) return { model: exact }
  const colon = name.lastIndexOf(':')
  const sort = colon > 0 ? routingSuffixes.get(name.slice(colon + 1)) : undefined
  const model = (sort && catalogue.findModel(name.slice(0, colon))) ?? findLatest(catalogue.models ?? [], name, task)
  return model && { model, ...(sort && { sort }) }
}

/** The most characters of a name in a message. */
const maxNameLength = 100

function shorten(name: string): string {
  return name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
}
