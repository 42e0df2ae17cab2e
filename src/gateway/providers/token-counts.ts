import type { AnswerEvent, Extras, TokenCounts, TokenParts } from '#chat/events.ts'

/** The counts of a provider, not yet validated. A missing count is 0. */
export type ReportedCounts = {
  prompt: unknown
  completion: unknown
  /** The prompt with parts that some servers count beside it; the same for the completion. The total decides. */
  otherPrompt?: unknown
  otherCompletion?: unknown
  total?: unknown
} & Partial<Record<'cached' | 'cacheWritten' | 'reasoning' | keyof TokenParts, unknown>>

/** The units that a provider billed besides tokens, by name, and the service tier that answered. */
export type ReportedExtras = { pieces?: Record<string, unknown>; serviceTier?: unknown }

/** Far more than any prompt or answer holds, and little enough that costs and sums of them stay exact. */
const most = 1e9

type Sides = { prompt: number; completion: number; mismatch?: string }

/**
 * A provider's count, as far as it makes sense: money is charged by it. Undefined, for an estimate to take its place,
 * where prompt or completion are not such numbers or neither is reported; parts are not larger than what they are parts
 * of.
 */
function tokenCounts(reported: ReportedCounts, { prompt, completion }: Sides): TokenCounts {
  const cached = Math.min(countIn(reported.cached) ?? 0, prompt)
  const parts = partsIn(reported)
  return {
    prompt,
    completion,
    cached,
    cacheWritten: Math.min(countIn(reported.cacheWritten) ?? 0, prompt - cached),
    reasoning: Math.min(countIn(reported.reasoning) ?? 0, completion),
    ...(parts && { parts }),
  }
}

/** Prompt and completion as the total explains them. Where nothing does, the larger count is billed. */
function sidesOf(reported: ReportedCounts): Sides | undefined {
  if (reported.prompt == null && reported.completion == null) return undefined
  const prompt = countIn(reported.prompt ?? 0)
  const completion = countIn(reported.completion ?? 0)
  if (prompt === undefined || completion === undefined) return undefined
  const otherPrompt = countIn(reported.otherPrompt) ?? prompt
  const otherCompletion = countIn(reported.otherCompletion) ?? completion
  const total = countIn(reported.total) || undefined
  if (total === undefined) {
    const isBeside = (countIn(reported.reasoning) ?? 0) > completion
    return { prompt, completion: isBeside ? otherCompletion : completion }
  }
  const ways: Sides[] = [
    { prompt, completion },
    { prompt, completion: otherCompletion },
    { prompt: otherPrompt, completion },
    { prompt: otherPrompt, completion: otherCompletion },
  ]
  const exact = ways.find((way) => way.prompt + way.completion === total)
  if (exact) return exact
  const mismatch = `a total of ${total} tokens for a prompt of ${prompt} and a completion of ${completion}`
  return { prompt, completion: Math.max(completion, total - prompt), mismatch }
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

/** The same as an event of the answer: none where the count makes no sense. */
export function usageEvents(reported: ReportedCounts, reportedExtras?: ReportedExtras): AnswerEvent[] {
  const sides = sidesOf(reported)
  if (!sides) return []
  const tokens = tokenCounts(reported, sides)
  const extras = reportedExtras && extrasIn(reportedExtras)
  const { mismatch } = sides
  return [{ type: 'usage', tokens, ...(extras && { extras }), ...(mismatch !== undefined && { mismatch }) }]
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
