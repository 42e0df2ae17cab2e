import { dayMs, hourMs, minuteMs } from '#platform/core/clock.ts'
import { parseRetryAfter } from '#platform/net/retry-after.ts'

/** The longest accepted `Retry-After`, in milliseconds. */
const maxWaitMs = dayMs

type Headers = Record<string, string | string[] | undefined>

/** The waiting times in the headers of a response: the requested one, and the time until the rate limit is reset. */
export type HeaderWaits = { retryAfterMs: number | undefined; resetMs: number | undefined }

/** Headers with a time in milliseconds, of OpenAI and of Azure. */
const millisecondHeaders = ['retry-after-ms', 'x-ms-retry-after-ms'] as const

/** The time that a provider's headers ask to wait. */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  for (const name of millisecondHeaders) {
    const ms = Number(headers[name])
    if (Number.isFinite(ms) && ms > 0) return Math.min(maxWaitMs, Math.round(ms))
  }
  return parseResetTime(headers['retry-after'] ?? headers['x-retry-after'], now)
}

/** Rate limits of OpenAI's and Anthropic's servers: what remains, and when the limit is reset. */
const rateLimitHeaders = [
  ...['requests', 'tokens'].map((quantity) => ({
    remaining: `x-ratelimit-remaining-${quantity}`,
    reset: `x-ratelimit-reset-${quantity}`,
  })),
  // Cerebras, Mistral
  ...['requests', 'tokens'].flatMap((quantity) =>
    ['minute', 'hour', 'day', 'month'].map((period) => ({
      remaining: `x-ratelimit-remaining-${quantity}-${period}`,
      reset: `x-ratelimit-reset-${quantity}-${period}`,
    })),
  ),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((quantity) => ({
    remaining: `anthropic-ratelimit-${quantity}-remaining`,
    reset: `anthropic-ratelimit-${quantity}-reset`,
  })),
]

/** Rate limits of servers that have only one, and may omit the remaining amount. */
const singleLimitHeaders = [
  { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' },
  { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset-after' },
  { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' },
  { remaining: 'anthropic-ratelimit-unified-remaining', reset: 'anthropic-ratelimit-unified-reset' },
]

/** The time until the exhausted limits in the headers of a refusal are reset. */
export function readTimeToReset(headers: Headers, now: number): number | undefined {
  const exhausted = [
    // If the remaining amount is missing, one of several limits counts as not exhausted, and a single limit as exhausted.
    ...rateLimitHeaders.filter(({ remaining }) => Number(headers[remaining] ?? 1) <= 0),
    ...singleLimitHeaders.filter(({ remaining }) => Number(headers[remaining] ?? 0) <= 0),
  ]
  const resets = [...exhausted.map(({ reset }) => headers[reset]), readCombinedReset(headers.ratelimit)]
  const waits = resets.map((reset) => parseResetTime(reset, now)).filter((ms) => ms !== undefined)
  return waits.length > 0 ? Math.max(...waits) : undefined
}

/** The reset in the header `RateLimit` of the IETF's drafts, if nothing remains. */
function readCombinedReset(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header
  if (!text || !/\b(?:r|remaining)=0\b/i.test(text)) return undefined
  return /\b(?:t|reset)=(\d+)/i.exec(text)?.[1]
}

/** Numbers above these are Unix times, in seconds (from 2001 on) or in milliseconds (from 1973 on), and not durations. */
const minUnixSeconds = 1e9
const minUnixMs = 1e11

/** The milliseconds until a reset. The header is a Unix time in seconds or milliseconds, or has a form of `Retry-After`. */
function parseResetTime(header: string | string[] | undefined, now: number): number | undefined {
  const number = Number(header || undefined)
  // Also if it is not a number.
  if (!(number > minUnixSeconds)) return parseProviderRetryAfter(header, now)
  const at = number > minUnixMs ? number : number * 1000
  return Math.min(maxWaitMs, Math.max(0, at - now))
}

/** The time that an error message asks to wait, as many providers write it: "Please try again in 1m7.66s". */
export function parseWaitMessage(message: string): number | undefined {
  const match = waitPattern.exec(message)
  const [, amount, unit] = chineseWaitPattern.exec(message) ?? []
  return parseDuration(match?.groups?.time ?? (unit && `${amount}${unitOfChineseCharacter.get(unit[0]!)}`))
}

const waitPattern =
  /\b(?:try again|retry|retryDelay|wait|resets?|available):? (?:in |after |for )?(?=\d)(?<time>.{1,60})/is

const chineseWaitPattern = /(\d{1,9}(?:\.\d{1,9})?)\s*(秒|分|小时|天)钟?(?:之?后|再)/
const unitOfChineseCharacter = new Map([
  ['秒', 's'],
  ['分', 'm'],
  ['小', 'h'],
  ['天', 'd'],
])

/** Fields of errors with the time to wait, and their unit in milliseconds. */
const msPerUnitOfField = {
  retry_after: 1000,
  retryAfter: 1000,
  retry_after_seconds: 1000,
  retry_after_ms: 1,
  retryAfterMs: 1,
  // ChatGPT
  resets_in_seconds: 1000,
  // Hugging Face, while a model is loading
  estimated_time: 1000,
}

/** The time to wait in the body of a refusal. Also reads nested errors, up to `depth` levels. */
export function readBodyWait(body: unknown, now: number, depth = 3): number | undefined {
  if (typeof body !== 'object' || body === null || depth === 0) return undefined
  const fields = body as Record<string, unknown>
  for (const [name, unit] of Object.entries(msPerUnitOfField)) {
    const time = Number(fields[name] ?? Number.NaN)
    if (time > 0) return Math.min(maxWaitMs, Math.ceil(time * unit))
  }
  // OpenRouter repeats the headers of its provider.
  const resetHeader = (fields.headers as Record<string, unknown> | undefined)?.['X-RateLimit-Reset']
  const reset = typeof resetHeader === 'string' ? parseResetTime(resetHeader, now) : undefined
  return reset ?? readBodyWait(fields.error, now, depth - 1) ?? readBodyWait(fields.metadata, now, depth - 1)
}

/** `Retry-After` as providers send it: in either of its forms, or as a duration. @returns milliseconds from now. */
export function parseProviderRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const value = Array.isArray(header) ? header[0] : header
  if (!value) return undefined
  const text = value.replaceAll('"', '').replace(/^PT(?=\d)/, '')
  // Some proxies add another value or a parameter.
  const seconds = /^\d+(?:\.\d+)?(?=\s*(?:[,;]|$))/.exec(text)?.[0]
  const isDuration = /^\d+(?:\.\d+)?\s*[a-z]/i.test(text)
  const standardMs = isDuration ? undefined : parseRetryAfter(seconds ?? text, now)
  if (standardMs === undefined) return parseDuration(text) ?? parseWaitMessage(text)
  return Math.min(maxWaitMs, Math.round(standardMs))
}

const msPerUnit = new Map([
  ['d', dayMs],
  ['h', hourMs],
  ['m', minuteMs],
  ['s', 1000],
  ['ms', 1],
])

/** A duration at the start of a text, such as `1h2m3.5s`, `250ms` or `2 minutes`. */
function parseDuration(text: string | undefined): number | undefined {
  const amountWithUnit =
    /\s*(\d{1,9}(?:\.\d{1,9})?)\s?(ms|milliseconds?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])/iy
  let total: number | undefined
  for (let match = amountWithUnit.exec(text ?? ''); match; match = amountWithUnit.exec(text!)) {
    const [, amount, word] = match
    const unit = /^(?:ms|milli)/i.test(word!) ? 'ms' : word![0]!.toLowerCase()
    total = (total ?? 0) + Number(amount) * msPerUnit.get(unit)!
  }
  return total === undefined ? undefined : Math.min(maxWaitMs, Math.ceil(total))
}
