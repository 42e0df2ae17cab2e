import { isObject } from '#platform/core/is-object.ts'
import type { ReportedCounts } from './token-counts.ts'
import { readCount, sumCounts } from './token-counts.ts'

type CountName = Exclude<keyof ReportedCounts, 'otherPrompt' | 'otherCompletion' | 'mismatch'>

/** The field names of token counts in the usage of some servers, as paths of one or two names. */
export type UsageFormat = {
  servers: string
  /** A field that only these servers report. Without it, the format does not apply. */
  onlyIfPresent?: string
  /** The tokens that these servers always count separately from prompt and completion. */
  separateCount?: 'cache' | 'reasoning'
} & Partial<Record<CountName, string>>

export type UsageObject = Record<string, unknown>

/** Counts whose first value other than 0 is used. Of all other counts, the largest value is used. */
const wholeCounts: ReadonlySet<string> = new Set(['prompt', 'completion', 'total'])

/** A format, prepared for reading. */
type CompiledUsageFormat = Pick<UsageFormat, 'onlyIfPresent' | 'separateCount'> & {
  paths: { name: CountName; group: string | undefined; field: string }[]
}

/** Formats in their order, and for each field of a usage a bit mask of the formats that read it. */
export type UsageFormatSet = {
  /** A list with one format: the one that clients of the protocol read. */
  clientFormats: readonly [CompiledUsageFormat]
  all: readonly CompiledUsageFormat[]
  formatMasks: Map<string, number>
}

/** The number of bits of a mask, because bit operations have 32 bits. */
const maxUsageFormats = 32

/** @param formats the first one is that of the protocol's clients. @throws Error for more than a mask has bits. */
export function buildUsageFormatSet(formats: readonly UsageFormat[]): UsageFormatSet {
  if (formats.length > maxUsageFormats)
    throw new Error(`${formats.length} usage formats; a mask has room for ${maxUsageFormats}`)
  const all = formats.map(compileUsageFormat)
  const formatMasks = new Map<string, number>()
  for (const [at, { paths }] of all.entries())
    for (const { group, field } of paths)
      formatMasks.set(group ?? field, (formatMasks.get(group ?? field) ?? 0) | (1 << at))
  return { clientFormats: [all[0]!], all, formatMasks }
}

function compileUsageFormat({ servers: _, onlyIfPresent, separateCount, ...paths }: UsageFormat): CompiledUsageFormat {
  return {
    ...(onlyIfPresent !== undefined && { onlyIfPresent }),
    ...(separateCount && { separateCount }),
    paths: Object.entries(paths).map(([name, path]) => {
      const dot = path.indexOf('.')
      const group = dot === -1 ? undefined : path.slice(0, dot)
      return { name: name as CountName, group, field: path.slice(dot + 1) }
    }),
  }
}

/** The formats that read a field of the usage. */
function findUsageFormats(
  usage: UsageObject,
  { clientFormats, all, formatMasks }: UsageFormatSet,
): readonly CompiledUsageFormat[] {
  let readers = 0
  for (const name in usage) readers |= formatMasks.get(name) ?? 0
  // Only the first format, as for most servers.
  if (readers === 1) return clientFormats
  return all.filter((_, at) => (readers & (1 << at)) !== 0)
}

/** Reads usage in any of the formats. */
export function readCounts(usage: UsageObject, formats: UsageFormatSet): ReportedCounts {
  return readWith(usage, findUsageFormats(usage, formats))
}

/** Reads usage as clients of the protocol do. */
export function readClientCounts(usage: UsageObject, { clientFormats }: UsageFormatSet): ReportedCounts {
  return readWith(usage, clientFormats)
}

function readWith(usage: UsageObject, formats: readonly CompiledUsageFormat[]): ReportedCounts {
  const counts: ReportedCounts = { prompt: undefined, completion: undefined }
  const separate: SeparateCounts = { cache: false, reasoning: false }
  for (const format of formats) {
    if (format.onlyIfPresent !== undefined && usage[format.onlyIfPresent] == null) continue
    for (const { name, group, field } of format.paths) {
      const value = group === undefined ? usage[field] : (usage[group] as UsageObject | null | undefined)?.[field]
      if (value == null) continue
      if (wholeCounts.has(name)) counts[name] ||= value
      else if ((readCount(value) ?? 0) > (readCount(counts[name]) ?? 0)) {
        counts[name] = value
        if (format.separateCount) separate[format.separateCount] = true
      }
    }
  }
  return withAlternatives(counts, separate)
}

/** The parts that were counted separately from prompt and completion. */
type SeparateCounts = Record<NonNullable<UsageFormat['separateCount']>, boolean>

/**
 * Adds the prompt and completion that result if the server counts cached or reasoning tokens separately. They replace the
 * reported ones if these parts are certainly separate. Otherwise they are alternatives, between which the total decides.
 */
function withAlternatives(counts: ReportedCounts, separate: SeparateCounts): ReportedCounts {
  if (!counts.cached && !counts.cacheWritten && !counts.reasoning) return counts
  const cache = sumCounts(counts.cached, counts.cacheWritten)
  const otherPrompt = cache && sumCounts(counts.prompt, cache)
  const otherCompletion = counts.reasoning && sumCounts(counts.completion, counts.reasoning)
  const isCacheSeparate = separate.cache && Number(cache) > Number(counts.prompt ?? 0)
  return {
    ...counts,
    prompt: isCacheSeparate ? otherPrompt : counts.prompt,
    completion: separate.reasoning ? otherCompletion : counts.completion,
    ...(otherPrompt && !isCacheSeparate ? { otherPrompt } : {}),
    ...(otherCompletion && !separate.reasoning ? { otherCompletion } : {}),
    ...((isCacheSeparate || separate.reasoning) && { total: undefined }),
  }
}

/** Converts counts that servers send as text to numbers. @returns the same object if no count is text. */
export function parseCounts<Usage extends object>(usage: Usage): Usage {
  for (const name in usage) {
    const value = usage[name]
    if (isCountText(value) || (isObject(value) && hasCountText(value))) return parseNumbers(usage) as Usage
  }
  return usage
}

function hasCountText(details: UsageObject): boolean {
  for (const name in details) if (isCountText(details[name])) return true
  return false
}

const isCountText = (value: unknown) => typeof value === 'string' && /^\d+(?:\.0+)?$/.test(value)

function parseNumbers(value: unknown): unknown {
  if (isCountText(value)) return Number(value)
  if (Array.isArray(value)) return value.map(parseNumbers)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, parseNumbers(inner)]))
}

/**
 * Merges two usages of a stream that reports its usage repeatedly. Counts are cumulative, so a zero or missing count does not
 * replace an earlier one.
 */
export function mergeUsage(before: UsageObject, next: UsageObject): UsageObject {
  const merged = { ...before }
  for (const name in next) {
    const value = next[name]
    if (value == null || (value === 0 && before[name] != null)) continue
    merged[name] = isObject(value) && isObject(before[name]) ? mergeUsage(before[name], value) : value
  }
  return merged
}
