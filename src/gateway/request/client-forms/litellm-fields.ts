import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../../protocol/request-body.ts'

/**
 * Applies the fields of a body that LiteLLM understands and no provider does. `fallbacks` are appended to the models.
 * @throws Fault `invalid` for fields that this service does not support: it refuses a field that it would have to ignore.
 */
export function applyLitellmFields(original: Body): Body {
  const body = withTags(original)
  if (body.fallbacks == null && body.guardrails == null) return body
  const { fallbacks, guardrails, ...rest } = body
  if (Array.isArray(guardrails) ? guardrails.length > 0 : guardrails != null) {
    const reason = 'a request cannot choose guardrails. Assign them to the key or its member (docs/guardrails.md)'
    throw new Fault('invalid', `Invalid request: guardrails: ${reason}.`)
  }
  if (fallbacks == null) return rest
  const names = Array.isArray(fallbacks) ? fallbacks.map(readModelName) : undefined
  if (!names?.every((name) => name !== undefined)) {
    const reason = 'must be a list of model names. Fallbacks with other messages or parameters are not supported'
    throw new Fault('invalid', `Invalid request: fallbacks: ${reason}.`)
  }
  const models = Array.isArray(rest.models) ? rest.models : []
  return { ...rest, models: [...models, ...names] }
}

/** `metadata.tags` as text, because values of metadata are text here and at providers. */
function withTags(body: Body): Body {
  const { tags } = (body.metadata ?? {}) as Body
  if (!Array.isArray(tags)) return body
  if (!tags.every((tag) => typeof tag === 'string' && tag !== '' && !tag.includes(','))) {
    const reason = 'must be a list of texts without commas'
    throw new Fault('invalid', `Invalid request: metadata.tags: ${reason}.`)
  }
  const { tags: _, ...metadata } = body.metadata as Body
  return { ...body, metadata: tags.length > 0 ? { ...metadata, tags: tags.join(',') } : metadata }
}

/** The model of a fallback: a name, or an object with nothing else. Undefined for another fallback. */
function readModelName(fallback: unknown): string | undefined {
  const { model, ...others } = (typeof fallback === 'object' && fallback !== null ? fallback : {}) as Body
  const name = typeof fallback === 'string' ? fallback : model
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : undefined
}
