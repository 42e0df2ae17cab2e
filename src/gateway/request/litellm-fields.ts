import { Fault } from '#platform/core/fault.ts'
import type { Body } from '../protocol/protocol.ts'

/**
 * Applies the fields of a body that LiteLLM understands and no provider does. `fallbacks` are appended to the models.
 * @throws Fault `invalid` for fields that this service does not support, because it never ignores one.
 */
export function applyLitellmFields(body: Body): Body {
  if (body.fallbacks == null && body.guardrails == null) return body
  const { fallbacks, guardrails, ...rest } = body
  if (Array.isArray(guardrails) ? guardrails.length > 0 : guardrails != null) {
    const reason = 'a request cannot choose guardrails. Assign them to the key or its member (docs/guardrails.md)'
    throw new Fault('invalid', `Invalid request: guardrails: ${reason}.`)
  }
  if (fallbacks == null) return rest
  const names = Array.isArray(fallbacks) ? fallbacks.map(nameOf) : [undefined]
  if (names.includes(undefined)) {
    const reason = 'must be a list of model names. Fallbacks with other messages or parameters are not supported'
    throw new Fault('invalid', `Invalid request: fallbacks: ${reason}.`)
  }
  const models = Array.isArray(rest.models) ? rest.models : []
  return { ...rest, models: [...models, ...names] }
}

/** The model of a fallback: a name, or an object with nothing else. */
function nameOf(fallback: unknown): string | undefined {
  const { model, ...others } = (typeof fallback === 'object' && fallback !== null ? fallback : {}) as Body
  const name = typeof fallback === 'string' ? fallback : model
  return typeof name === 'string' && Object.keys(others).length === 0 ? name : undefined
}
