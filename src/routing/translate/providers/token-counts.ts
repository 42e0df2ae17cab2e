import type { AnswerEvent, Extras, TokenCounts, TokenParts } from '#chat/events.ts'

/** The counts of a provider, not yet validated. A missing count is 0. */
export type ReportedCounts = { prompt: unknown; completion: unknown } & Partial<
  Record<'cached' | 'cacheWritten' | 'reasoning' | keyof TokenParts, unknown>
>

/** The units that a provider billed besides tokens, by name, and the service tier that answered. */
export type ReportedExtras = { pieces?: Record<string, unknown>; serviceTier?: unknown }

/** Far more than any prompt or answer holds, and little enough that costs and sums of them stay exact. */
const most = 1e9

/**
 * A provider's count, as far as it makes sense: money is charged by it. Undefined, for an estimate to take its place,
 * where prompt or completion are no such numbers or neither is told; parts are no larger than what they are parts of.
 */
function tokenCounts(told: ReportedCounts): TokenCounts | undefined {
  if (told.prompt == null && told.completion == null) return undefined
  const prompt = countIn(told.prompt ?? 0)
  const completion = countIn(told.completion ?? 0)
  if (prompt === undefined || completion === undefined) return undefined
  const cached = Math.min(countIn(told.cached) ?? 0, prompt)
  const parts = partsIn(told)
  return {
    prompt,
    completion,
    cached,
    cacheWritten: Math.min(countIn(told.cacheWritten) ?? 0, prompt - cached),
    reasoning: Math.min(countIn(told.reasoning) ?? 0, completion),
    ...(parts && { parts }),
  }
}

const partNames = ['cacheWritten1h', 'audioPrompt', 'audioCompletion', 'imageCompletion'] as const

/** Those that there are. Whoever prices them keeps them within what they are parts of. */
function partsIn(told: ReportedCounts): TokenParts | undefined {
  let parts: TokenParts | undefined
  for (const name of partNames) {
    const count = countIn(told[name])
    if (!count) continue
    parts ??= {}
    parts[name] = count
  }
  return parts
}

/** The same as what an answer tells: nothing where the count makes no sense. */
export function usageEvents(told: ReportedCounts, toldExtras?: ReportedExtras): AnswerEvent[] {
  const tokens = tokenCounts(told)
  if (!tokens) return []
  const extras = toldExtras && extrasIn(toldExtras)
  return [extras ? { type: 'usage', tokens, extras } : { type: 'usage', tokens }]
}

/** More than any provider runs for one request. */
const mostPieces = 100_000
/** More kinds of them than any provider has: they are kept with the request. */
const mostUnits = 100

function extrasIn({ pieces, serviceTier }: ReportedExtras): Extras | undefined {
  const told: Record<string, number> = {}
  let units = 0
  for (const unit in pieces) {
    const count = countIn(pieces[unit])
    if (count !== undefined && count <= mostPieces) told[unit] = count
    if (++units === mostUnits) break
  }
  const tier = tierIn(serviceTier)
  const hasPieces = Object.keys(told).length > 0
  if (!hasPieces && tier === undefined) return undefined
  return { ...(hasPieces && { pieces: told }), ...(tier !== undefined && { serviceTier: tier }) }
}

/** The names that providers use for the service tier of their ordinary price list. */
const ordinaryTiers: ReadonlySet<unknown> = new Set(['default', 'standard', 'on_demand'])
const longestTier = 40

/** The tier that served; that it was the ordinary one is worth knowing where another was asked for. */
function tierIn(told: unknown): string | undefined {
  if (typeof told !== 'string' || told === '' || told === 'auto') return undefined
  const name = told.toLowerCase()
  return ordinaryTiers.has(name) ? 'default' : name.slice(0, longestTier)
}

/** A whole number that some tokens, or pieces, may be. */
export function countIn(told: unknown): number | undefined {
  return Number.isInteger(told) && (told as number) >= 0 && (told as number) <= most ? (told as number) : undefined
}

/** Of counts that are told apart, and nothing sensible when one of them is not. */
export function sumOf(...told: unknown[]): unknown {
  if (told.every((count) => count == null)) return undefined
  return told.reduce<number>((sum, count) => sum + (countIn(count ?? 0) ?? Number.NaN), 0)
}
