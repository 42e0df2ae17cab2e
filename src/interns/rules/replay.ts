import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Query } from '#platform/db/db.ts'
import { printableExactly } from '#platform/text/printable.ts'
import { judge } from '../contract/rules/decide.ts'
import type { Action, Decision, Rule, RuleSet } from '../contract/rules/rule.ts'
import { keptMs, type PastQuestion, pastQuestions } from './past-questions.ts'
import type { Counted, ReplayedQuestion, RulesReplay, RulesReplayRequest } from './replay-answer.ts'
import { findRules, type RuleOwner } from './store.ts'

type ReplayDeps = { db: { query: Query }; now: Now }

const dayMs = 86_400_000
const mostDifferences = 50
const longestDetail = 300

/**
 * Judges the questions of a time by rules as they are or as somebody means to write them, beside all other rules that hold.
 * @throws Fault `invalid`, `client_closed_request`.
 */
export async function replayRules(
  deps: ReplayDeps,
  owner: RuleOwner,
  wanted: RulesReplayRequest,
  signal: AbortSignal,
): Promise<RulesReplay> {
  const period = periodOf(deps, wanted)
  const setsOf = await setsWith(deps.db.query, owner, wanted.rules as Rule[] | undefined)
  const tally = new Tally(wanted.list)
  for await (const page of pastQuestions(deps.db.query, owner, period)) {
    if (signal.aborted) throw new Fault('client_closed_request', 'The client left before the answer.')
    for (const past of page) tally.add(past, judge(await setsOf(past.internId), past.action, past.agent))
  }
  return { from: isoTime(period.from), to: isoTime(period.to), ...tally.result() }
}

function periodOf({ now }: { now: Now }, { from, to }: RulesReplayRequest): { from: number; to: number } {
  const end = to === undefined ? now() + 1 : Date.parse(to)
  const start = from === undefined ? end - 30 * dayMs : Date.parse(from)
  if (start >= end) throw new Fault('invalid', 'Invalid request: from: must be before to')
  if (end - start > keptMs)
    throw new Fault('invalid', `Invalid request: from: must be at most ${keptMs / dayMs} days before to`)
  return { from: start, to: end }
}

/** The rules that would hold for each intern: the draft, and those of the other scope as they are. */
async function setsWith(query: Query, owner: RuleOwner, draft: Rule[] | undefined) {
  const { workspaceId, internId } = owner
  const stored = async (of: RuleOwner): Promise<RuleSet[]> => {
    const found = await findRules(query, of)
    const scope = of.internId === null ? ('workspace' as const) : ('intern' as const)
    const isTried = draft !== undefined && of.internId === internId
    if (isTried) return [{ scope, version: (found?.version ?? 0) + 1, rules: draft }]
    return found ? [{ scope, version: found.version, rules: found.rules }] : []
  }
  const workspace = await stored({ workspaceId, internId: null })
  const own = new Map<string, RuleSet[]>()
  return async (id: string): Promise<RuleSet[]> => {
    const known = own.get(id) ?? (await stored({ workspaceId, internId: id }))
    own.set(id, known)
    return [...workspace, ...known]
  }
}

type Effect = keyof Pick<RulesReplay, 'would_allow' | 'would_ask' | 'would_deny' | 'no_rule'>
const places = { allow: 'would_allow', ask: 'would_ask', deny: 'would_deny' } as const

class Tally {
  readonly #all = newCount()
  readonly #by: Record<Effect, Counted> = {
    would_allow: newCount(),
    would_ask: newCount(),
    would_deny: newCount(),
    no_rule: newCount(),
  }
  readonly #rules = new Map<string, RulesReplay['by_rule'][number]>()
  readonly #otherwise: RulesReplay['people_decided_otherwise'] = []
  readonly #questions: RulesReplay['questions'] = []
  readonly #listed: number
  #incomplete = 0

  constructor(listed: number) {
    this.#listed = listed
  }

  add(past: PastQuestion, decision: Decision | undefined): void {
    const counts = [this.#all, this.#by[decision ? places[decision.effect] : 'no_rule']]
    if (decision) counts.push(this.#countOf(decision))
    for (const each of counts) count(each, past.answer)
    if (past.action.unsure) this.#incomplete++
    if (!decision) return
    if (this.#questions.length < this.#listed) this.#questions.push(told(past, decision))
    const { answer } = past
    if (answer === null || !isOtherwise(decision, answer) || this.#otherwise.length >= mostDifferences) return
    this.#otherwise.push({ ...told(past, decision), answer })
  }

  result(): Omit<RulesReplay, 'from' | 'to'> {
    const notes = [
      'A question was asked where no rule decided before; what an agent did without asking is not among them.',
      ...(this.#incomplete > 0
        ? [`Of ${this.#incomplete} questions not all is kept (redacted or long): no rule would allow these.`]
        : []),
    ]
    const by_rule = [...this.#rules.values()].sort((one, other) => other.questions - one.questions)
    const counts = { all: this.#all, ...this.#by }
    return {
      summary: summaryOf(counts),
      ...counts,
      by_rule,
      people_decided_otherwise: this.#otherwise,
      questions: this.#questions,
      notes,
    }
  }

  #countOf({ scope, rule, name, effect }: Decision): Counted {
    const key = `${scope} ${rule} ${effect}`
    const known = this.#rules.get(key) ?? { scope, rule, name, effect, ...newCount() }
    this.#rules.set(key, known)
    return known
  }
}

function told({ internId, id, askedAt, action, answer }: PastQuestion, decision: Decision): ReplayedQuestion {
  const { effect, scope, rule } = decision
  const about = { intern_id: internId, question_id: id, asked_at: isoTime(askedAt), operation: action.operation }
  const detail = printableExactly(detailOf(action).slice(0, longestDetail))
  return { ...about, detail, answer, effect, scope, rule }
}

const newCount = (): Counted => ({ questions: 0, people_allowed: 0, people_rejected: 0, unanswered: 0 })

function count(into: Counted, answer: string | null): void {
  into.questions++
  if (answer === null) into.unanswered++
  else if (answer.startsWith('allow')) into.people_allowed++
  else into.people_rejected++
}

const isOtherwise = ({ effect }: Decision, answer: string) =>
  effect === 'allow' ? !answer.startsWith('allow') : effect === 'deny' && answer.startsWith('allow')

const detailOf = ({ command, paths, hosts }: Action) => command ?? [...paths, ...hosts].join(' ')

function summaryOf({ all, would_allow: granted, would_deny: refused }: Record<'all' | Effect, Counted>): string {
  const rejected = granted.people_rejected === 0 ? 'none' : String(granted.people_rejected)
  const allowed = refused.people_allowed === 0 ? 'none' : String(refused.people_allowed)
  return [
    `Would have allowed ${granted.questions} of ${all.questions}, ${rejected} of the ${all.people_rejected} that people rejected;`,
    `would have denied ${refused.questions}, ${allowed} of the ${all.people_allowed} that people allowed.`,
  ].join(' ')
}
