import { canServe, type Model } from '#catalogue/index/model.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Task } from '#platform/core/vocabulary.ts'

/** Variants of OpenRouter that are features, not models, with what to do instead. */
const unsupportedVariants = new Map(
  Object.entries({
    online: 'searching the web for any model is not supported. Use a search tool of the provider in "tools"',
    exacto: 'routing by the quality of tool calls is not supported. Name providers in provider.order',
    extended: 'variants with a longer context are not supported. Name a model with a larger context_length',
    thinking:
      'variants that reason are not supported. Use the model without the suffix, with reasoning: {enabled: true}',
  }),
)

/** The most characters of a name in a message. */
const maxNameLength = 100

/** @throws Fault `invalid` for a name that asks OpenRouter for a feature that this service does not have. */
export function refuseUnsupportedFeature(name: string): void {
  const refuse = (reason: string) => {
    throw new Fault('invalid', `Invalid request: model: ${JSON.stringify(name.slice(0, maxNameLength))}: ${reason}.`)
  }
  // Libraries put `openrouter/` before an id: that name is not found, and the id is suggested.
  if (/^openrouter\/[^/]*$/.test(name))
    refuse('a router that chooses a model is not supported. Name a model, or several in "models"')
  const colon = name.lastIndexOf(':')
  const variant = colon < 0 ? '' : name.slice(colon + 1)
  const reason = unsupportedVariants.get(variant)
  if (reason !== undefined) refuse(reason)
}

const latestPattern = /^~([^/]+)\/(.+)-latest$/

/** Resolves `~anthropic/claude-sonnet-latest`: the newest model of the author whose name contains these words. */
export function findLatest(models: readonly Model[], name: string, task?: Task): Model | undefined {
  const [, author, words] = latestPattern.exec(name) ?? []
  if (words === undefined) return undefined
  const newest = (best: Model | undefined, model: Model) => (best && best.created >= model.created ? best : model)
  return models
    .filter((model) => model.author === author && canServe(model, task) && removeVersion(model.id) === words)
    .reduce(newest, undefined as Model | undefined)
}

/** Returns `claude-sonnet` for `anthropic/claude-sonnet-4.6`. Variants such as `:free` have no such name. */
function removeVersion(id: string): string {
  const words = id.slice(id.indexOf('/') + 1).split('-')
  return words.filter((word) => !isVersion(word)).join('-')
}

/** Matches `4.6`, `4o`, `k2.5`, `20250807`, `preview`. */
const isVersion = (word: string) => /^(?:[a-z]?\d[\d.]*[a-z]?|preview)$/.test(word)
