import { isObject } from '#platform/core/is-object.ts'
import type { ReportedCounts } from './token-counts.ts'
import { readCount, sumCounts } from './token-counts.ts'

type CountName = Exclude<keyof ReportedCounts, 'otherPrompt' | 'otherCompletion' | 'mismatch'>

/** The names of counts in the usage of some servers, as paths of one or two names. */
export type UsageSpelling = {
  servers: string
  /** A member that only these servers report. Without it, the spelling does not apply. */
  onlyIfPresent?: string
  /** Parts that they always count separately from prompt and completion. */
  separateCount?: 'cache' | 'reasoning'
} & Partial<Record<CountName, string>>

export type UsageObject = Record<string, unknown>

/** Counts of the whole: the first spelling that has one other than zero sets it. For all other counts, the largest one is used. */
const wholeCounts: ReadonlySet<string> = new Set(['prompt', 'completion', 'total'])

/** A spelling, prepared for reading. */
type CompiledSpelling = Pick<UsageSpelling, 'onlyIfPresent' | 'separateCount'> & {
  paths: { name: CountName; group: string | undefined; member: string }[]
}

/** Spellings in their order, and for each member of a usage a bit mask of the spellings that read it. */
export type Spellings = {
  /** The spelling of the protocol's clients alone. */
  own: readonly [CompiledSpelling]
  all: readonly CompiledSpelling[]
  readersOf: Map<string, number>
}

/** A mask is one number, whose bit operations have 32 bits. */
const maxSpellings = 32

/** @param spellings the first one is that of the protocol's clients. @throws Error for more than a mask has bits. */
export function compileSpellings(spellings: readonly UsageSpelling[]): Spellings {
  if (spellings.length > maxSpellings)
    throw new Error(`${spellings.length} usage spellings; a mask has room for ${maxSpellings}`)
  const all = spellings.map(compileSpelling)
  const readersOf = new Map<string, number>()
  for (const [at, { paths }] of all.entries())
    for (const { group, member } of paths)
      readersOf.set(group ?? member, (readersOf.get(group ?? member) ?? 0) | (1 << at))
  return { own: [all[0]!], all, readersOf }
}

function compileSpelling({ servers: _, onlyIfPresent, separateCount, ...paths }: UsageSpelling): CompiledSpelling {
  return {
    ...(onlyIfPresent !== undefined && { onlyIfPresent }),
    ...(separateCount && { separateCount }),
    paths: Object.entries(paths).map(([name, path]) => {
      const dot = path.indexOf('.')
      const group = dot === -1 ? undefined : path.slice(0, dot)
      return { name: name as CountName, group, member: path.slice(dot + 1) }
    }),
  }
}

/** The spellings that read a member of the usage. */
function findSpellings(usage: UsageObject, { own, all, readersOf }: Spellings): readonly CompiledSpelling[] {
  let readers = 0
  for (const name in usage) readers |= readersOf.get(name) ?? 0
  // Only the first spelling, as for most servers.
  if (readers === 1) return own
  return all.filter((_, at) => (readers & (1 << at)) !== 0)
}

/** Reads usage in any of the spellings. */
export function readCounts(usage: UsageObject, spellings: Spellings): ReportedCounts {
  return readWith(usage, findSpellings(usage, spellings))
}

/** Reads usage as clients of the protocol do. */
export function readClientCounts(usage: UsageObject, { own }: Spellings): ReportedCounts {
  return readWith(usage, own)
}

function readWith(usage: UsageObject, spellings: readonly CompiledSpelling[]): ReportedCounts {
  const counts: ReportedCounts = { prompt: undefined, completion: undefined }
  const separate: SeparateCounts = { cache: false, reasoning: false }
  for (const spelling of spellings) {
    if (spelling.onlyIfPresent !== undefined && usage[spelling.onlyIfPresent] == null) continue
    for (const { name, group, member } of spelling.paths) {
      const value = group === undefined ? usage[member] : (usage[group] as UsageObject | null | undefined)?.[member]
      if (value == null) continue
      if (wholeCounts.has(name)) counts[name] ||= value
      else if ((readCount(value) ?? 0) > (readCount(counts[name]) ?? 0)) {
        counts[name] = value
        if (spelling.separateCount) separate[spelling.separateCount] = true
      }
    }
  }
  return withAlternatives(counts, separate)
}

/** The parts that were counted separately from prompt and completion. */
type SeparateCounts = Record<NonNullable<UsageSpelling['separateCount']>, boolean>

/** Adds the counts of servers that count a part separately from its whole. They apply at once if a part is separate. */
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

/** Counts as numbers. Some servers send them as text. @returns the same object if none is text. */
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
 * The latest usage of a stream that reports it repeatedly. Counts are cumulative, so a zero or missing count does not
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
