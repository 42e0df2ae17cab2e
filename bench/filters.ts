import { type BuiltinSlug, builtinLabels, builtinSlugs, type FilterAction } from '#policy/filters/detectors/builtins.ts'
import { compileFilters, type FilterRule } from '#policy/filters/filter-rule.ts'
import { createScanner } from '#policy/filters/scanner.ts'
import { exitWithVerdict, report } from './report.ts'

// Measures content filters on a prompt, from the request to the verdict. Exits with 1 if a target is missed.
const kilobytes = 1024
/** Patterns that `linearity-proof.ts` proves to be linear in the fast, backtracking engine. Others need the slower, linear engine. */
const provenPatterns = [
  '\\bEMP-\\d{6}\\b',
  '(?i)project\\s+bluebird',
  '\\bACME-[A-Z]{3}-\\d{4,8}\\b',
  '(?i)\\b(?:alpha|beta|gamma)[-_ ]release\\b',
  'cust_[0-9a-z]{12}',
]
const unprovenPatterns = [
  '\\p{Lu}{2,}-\\d{5}',
  '(?i)bluebird\\w*\\s+draft',
  '[a-z]+\\.corp\\.internal',
  'confidential.{0,40}draft',
  '[A-Za-z0-9]{8,}-secret',
]
const catastrophicPatterns = ['(a+)+$', '(a|aa)+$', '(?:x?){20}y', '([a-z]+)*Z', '(.*)(.*)(.*)END']

const scanner = createScanner({ timeLimitMs: 60_000 })
const request = { requester: { workspaceId: 'w', keyHash: 'k' } }
const sentence =
  'The committee met on 2024-05-12 at 10:30 in Building 7 and upgraded the router to version 1.2.3.4 (order 4512-99812, commit 9f86d081). '
const personal =
  'Contact John Smith at john.smith@example.com or +1 415-555-2671, SSN 123-45-6789, card 4111 1111 1111 1111, from 192.168.2.17, EMP-123456. '
const promptOf = (length: number) =>
  `${sentence.repeat(9)}${personal}`.repeat(Math.ceil(length / 1000)).slice(0, length)

const allBuiltins = createFilters(builtinSlugs, [])
const builtinsCpuMs = await processorMs(allBuiltins, promptOf(32 * kilobytes))
report('nine builtins, 32 kB, processor time', ms(builtinsCpuMs), { text: '<= 1.5 ms', isMet: builtinsCpuMs <= 1.5 })
const builtinsMs = await p99(allBuiltins, promptOf(32 * kilobytes))
report('  p99, elapsed time', ms(builtinsMs), { text: '<= 2 ms', isMet: builtinsMs <= 2 })
const provenMs = (await p99(createFilters(builtinSlugs, provenPatterns), promptOf(32 * kilobytes))) - builtinsMs
report('added by five proven patterns, p99', ms(provenMs), { text: '<= 1 ms', isMet: provenMs <= 1 })
const unprovenMs = (await p99(createFilters(builtinSlugs, unprovenPatterns), promptOf(32 * kilobytes))) - builtinsMs
report('added by five patterns for the linear engine, p99', ms(unprovenMs), {
  text: '<= 12 ms',
  isMet: unprovenMs <= 12,
})

const catastrophicFilters = createFilters(builtinSlugs, catastrophicPatterns)
for (const [name, unit] of [
  ['prose', ''],
  ['a', 'a'],
  ['1 ', '1 '],
  ['a@', 'a@'],
  ['1234 ', '1234 '],
  ['John ', 'John '],
] as const) {
  const longPrompt = (length: number) => (unit ? unit.repeat(Math.ceil(length / unit.length)) : promptOf(length))
  const halfMs = await fastestScan(longPrompt(512 * kilobytes))
  const wholeMs = await fastestScan(longPrompt(1024 * kilobytes))
  const turns = watchTurns()
  await scanOnce(catastrophicFilters, longPrompt(1024 * kilobytes))
  const blocked = turns.longestMs()
  const growth = wholeMs / halfMs
  report(`1 MB of "${name}" with catastrophic patterns, compared with half`, growth.toFixed(2), {
    text: '<= 3',
    isMet: growth <= 3,
  })
  report('  longest turn of the event loop', ms(blocked), { text: '<= 10 ms', isMet: blocked <= 10 })
}
await scanner.close()
exitWithVerdict()

function createFilters(slugs: readonly BuiltinSlug[], patterns: readonly string[]): FilterRule[] {
  const action: FilterAction = 'redact'
  return compileFilters([
    {
      id: 'bench',
      name: 'Bench',
      policy: {
        content_filter_builtins: slugs.map((slug) => ({ slug, action, label: builtinLabels[slug] })),
        content_filters: patterns.map((pattern) => ({ pattern, action })),
      },
    },
  ])
}

/** The processor time of all threads for one scan, in milliseconds: the lowest of ten averages, because other load also fills the caches. */
async function processorMs(filters: FilterRule[], prompt: string): Promise<number> {
  for (let round = 0; round < 300; round++) await scanOnce(filters, prompt)
  const figures: number[] = []
  for (let sample = 0; sample < 10; sample++) {
    const before = process.cpuUsage()
    for (let round = 0; round < 100; round++) await scanOnce(filters, prompt)
    const { user, system } = process.cpuUsage(before)
    figures.push((user + system) / 1000 / 100)
  }
  return Math.min(...figures)
}

/** The p99 of 100 scans, in milliseconds: the lowest of ten, to exclude other load of the machine. */
async function p99(filters: FilterRule[], prompt: string): Promise<number> {
  for (let round = 0; round < 100; round++) await scanOnce(filters, prompt)
  const figures: number[] = []
  for (let sample = 0; sample < 10; sample++) {
    const times: number[] = []
    for (let round = 0; round < 100; round++) times.push(await scanOnce(filters, prompt))
    figures.push(times.sort((a, b) => a - b)[98]!)
  }
  return Math.min(...figures)
}

/** Measures the longest turn of the event loop, in processor time of this thread. */
function watchTurns(): { longestMs: () => number } {
  let longest = 0
  let last = process.threadCpuUsage()
  let next = setImmediate(function turn() {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
    next = setImmediate(turn)
  })
  return {
    longestMs() {
      clearImmediate(next)
      return longest / 1000
    },
  }
}

async function scanOnce(filters: FilterRule[], content: string): Promise<number> {
  const body = { messages: [{ role: 'user', content }] }
  const startedAt = performance.now()
  await scanner.scanRequest(filters, { chat: body, body }, request)
  return performance.now() - startedAt
}

async function fastestScan(prompt: string): Promise<number> {
  const times = [
    await scanOnce(catastrophicFilters, prompt),
    await scanOnce(catastrophicFilters, prompt),
    await scanOnce(catastrophicFilters, prompt),
  ]
  return Math.min(...times)
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`
}
