import type { FilterAction } from './builtins.ts'
import { effortMs } from './effort.ts'
import { type FilterFailed, type Found, findIn } from './find.ts'
import { type Leaf, rewriteBody } from './leaves.ts'
import type { Filters, Rule } from './rules.ts'
import { type Replacement, replaceSpans } from './span.ts'
import { createWorkers } from './workers.ts'

/** What a rule found, for the record: never the text. */
export type Finding = Pick<Rule, 'guardrail' | 'rule'> & { action: Exclude<FilterAction, 'block'>; count: number }

/** The request must not leave the house: something was found, or a filter failed, which refuses too. */
export type Blocked = Pick<Rule, 'guardrail' | 'rule'> & { outcome: 'blocked'; why: 'found' | 'failed' }

/** What may leave the house. Where nothing was redacted it is the very object that was given. */
export type Passed<Content> = { outcome: 'passed'; content: Content; findings: Finding[] }

export type Scanner = {
  /**
   * Filters the forms of one request, such as the chat request and the client's own body, by the same rules. A text
   * that occurs in several is looked at once.
   */
  scanRequest: <Bodies extends Record<string, object>>(
    filters: Filters,
    bodies: Bodies,
  ) => Promise<Blocked | Passed<Bodies>>
  /** Filters a prompt that is one text, written by the user. */
  scanText: (filters: Filters, text: string) => Promise<Blocked | Passed<string>>
  close: () => Promise<void>
}

/** What takes no longer is done at once; everything else by other threads. */
const atOnceMs = 4

/** @param options.timeLimitMs how long the texts of one request may be looked at before it is refused. */
export function createScanner(options: { timeLimitMs?: number } = {}): Scanner {
  const workers = createWorkers({ timeLimitMs: options.timeLimitMs ?? 5000 })

  async function find({ rules }: Filters, leaves: Leaf[]): Promise<Found[] | FilterFailed> {
    const wanted = rules.map(({ sought, userOnly }) => ({ sought, userOnly }))
    return effortMs(wanted, leaves) <= atOnceMs ? findIn(wanted, leaves) : workers.find(wanted, leaves)
  }

  async function scanRequest<Bodies extends Record<string, object>>(filters: Filters, bodies: Bodies) {
    const [first] = filters.rules
    if (!first) return passed(bodies, [])
    // A body that cannot even be walked through (nested too deep) must not pass unseen.
    return filter(filters, bodies).catch(() => blockedBy(first, 'failed'))
  }

  async function filter<Bodies extends Record<string, object>>(
    filters: Filters,
    bodies: Bodies,
  ): Promise<Blocked | Passed<Bodies>> {
    const texts = gather(bodies)
    const leaves = [...texts.leaves.values()]
    const found = await find(filters, leaves)
    const verdict = judge(filters, found)
    if (verdict) return verdict
    const finds = found as Found[]
    if (finds.length === 0) return passed(bodies, [])
    const rewritten = redacted(filters, leaves, finds)
    const change = (leaf: Leaf) => rewritten.get(keyOf(leaf)) ?? leaf.text
    const content = rewritten.size === 0 ? bodies : mapBodies(bodies, (body) => rewriteBody(body, change))
    return passed(content, count(filters, finds, texts.occurrences))
  }

  return {
    scanRequest,
    async scanText(filters, text) {
      const outcome = await scanRequest(filters, { prompt: { prompt: text } })
      return outcome.outcome === 'blocked' ? outcome : passed(outcome.content.prompt.prompt, outcome.findings)
    },
    close: workers.close,
  }
}

function passed<Content>(content: Content, findings: Finding[]): Passed<Content> {
  return { outcome: 'passed', content, findings }
}

/** One body given under two names stays one. */
function mapBodies<Bodies extends Record<string, object>>(bodies: Bodies, change: (body: object) => object): Bodies {
  const changed = new Map<object, object>()
  const once = (body: object) => changed.get(body) ?? changed.set(body, change(body)).get(body)
  return Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, once(body)])) as Bodies
}

/** Whom a text is from and what its field is called can change what is found in it. */
function keyOf({ text, context, user }: Leaf): string {
  return `${user ? 1 : 0}${context.length}:${context}${text}`
}

/** The different texts of all bodies, and how often each occurs in the body where it occurs most. */
function gather(bodies: Record<string, object>): { leaves: Map<string, Leaf>; occurrences: number[] } {
  const leaves = new Map<string, Leaf>()
  const most = new Map<string, number>()
  for (const body of new Set(Object.values(bodies))) {
    const here = new Map<string, number>()
    rewriteBody(body, (leaf) => {
      const key = keyOf(leaf)
      leaves.set(key, leaf)
      here.set(key, (here.get(key) ?? 0) + 1)
      return leaf.text
    })
    for (const [key, times] of here) most.set(key, Math.max(times, most.get(key) ?? 0))
  }
  return { leaves, occurrences: [...leaves.keys()].map((key) => most.get(key)!) }
}

/** Rules are strictest first, so what blocks is named before anything else. */
function judge({ rules }: Filters, found: Found[] | FilterFailed): Blocked | undefined {
  if ('failedRule' in found) return blockedBy(rules[found.failedRule]!, 'failed')
  const first = found.find(({ rule }) => rules[rule]!.action === 'block')
  return first && blockedBy(rules[first.rule]!, 'found')
}

function blockedBy({ guardrail, rule }: Rule, why: Blocked['why']): Blocked {
  return { outcome: 'blocked', guardrail, rule, why }
}

/** The texts that change, as they are to be. */
function redacted({ rules }: Filters, leaves: Leaf[], found: Found[]): Map<string, string> {
  const replacements = new Map<number, Replacement[]>()
  for (const { rule, leaf, places } of found) {
    const { action, label } = rules[rule]!
    if (action !== 'redact') continue
    const here = replacements.get(leaf) ?? []
    for (let i = 0; i < places.length; i += 2) here.push({ start: places[i]!, end: places[i + 1]!, label })
    replacements.set(leaf, here)
  }
  return new Map(
    [...replacements].map(([leaf, spans]) => [keyOf(leaves[leaf]!), replaceSpans(leaves[leaf]!.text, spans)]),
  )
}

function count({ rules }: Filters, found: Found[], occurrences: number[]): Finding[] {
  const counts = new Map<number, number>()
  for (const { rule, leaf, places } of found) {
    counts.set(rule, (counts.get(rule) ?? 0) + (places.length / 2) * occurrences[leaf]!)
  }
  return [...counts].map(([index, times]) => {
    const { guardrail, rule, action } = rules[index]!
    return { guardrail, rule, action: action as Finding['action'], count: times }
  })
}
