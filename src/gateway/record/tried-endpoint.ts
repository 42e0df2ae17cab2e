import type { RequestBound } from '../admission/bounds/lazy-usage-bound.ts'
import type { Target } from '../plan/plan.ts'
import { unpricedIn } from '../pricing/unpriced.ts'
import type { Charge } from './charge.ts'

/** One endpoint that was asked: by whose key, and what that can come to at the most. */
export type TriedEndpoint = { target: Target; byok: boolean; bound: RequestBound }

/** What was billed and has no price. What was asked for counts, too: a provider that does not report it may bill it. */
export function unpricedOf({ target, bound }: TriedEndpoint, { tokens, extras }: Charge): string[] | undefined {
  if (!extras && !tokens.parts && bound.surelyAllows(tokens)) return undefined
  const asked = bound.whole.bill?.unpriced.map(({ price }) => price) ?? []
  const told = unpricedIn(target.endpoint.prices, tokens, extras)
  return asked.length + told.length > 0 ? [...new Set([...asked, ...told])] : undefined
}
