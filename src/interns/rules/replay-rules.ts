import { TimeSlices } from '#platform/async/time-slices.ts'
import { dayMs, isoTime, type Now } from '#platform/core/clock.ts'
import { clientClosedFault, Fault } from '#platform/core/fault.ts'
import type { Query } from '#platform/db/db.ts'
import { escapeUnambiguously } from '#platform/text/printable.ts'
import { decide } from '../contract/rules/decide.ts'
import type { Action, Decision, Rule, RuleSet } from '../contract/rules/rule.ts'
import { type PastQuestion, readPastQuestions, storedForMs } from './past-questions.ts'
import {
  defaultDays,
  maxDifferences,
  type QuestionCounts,
  type ReplayedQuestion,
  type RulesReplay,
  type RulesReplayRequest,
} from './replay-response.ts'
import { findRules, type RuleOwner } from './rules-store.ts'

type ReplayDeps = { db: { query: Query }; now: Now }

const maxDetailLength = 300
/** The event loop's time for all replays together: slices of 5 milliseconds. */
const slices = new TimeSlices(5)

/**
 * Applies stored or new rules to past questions, together with all other rules in force.
 * @throws Fault `invalid`, `client_closed_request`.
 */
export async function replayRules(
  deps: ReplayDeps,
  owner: RuleOwner,
  request: RulesReplayRequest,
  signal: AbortSignal,
): Promise<RulesReplay> {
  const period = resolvePeriod(deps, request)
  const findRuleSets = await ruleSetsWithDraft(deps.db.query, owner, request.rules as Rule[] | undefined)
  const tally = new Tally(request.list)
  for await (const page of readPastQuestions(deps.db.query, owner, period)) {
    for (const past of page) {
      await slices.waitIfUsedUp()
      if (signal.aborted) throw clientClosedFault()
      tally.add(past, decide(await findRuleSets(past.internId), past.action, past.agent))
    }
  }
  return { from: isoTime(period.from), to: isoTime(period.to), ...tally.result() }
}

function resolvePeriod({ now }: { now: Now }, { from, to }: RulesReplayRequest): { from: number; to: number } {
  const end = to === undefined ? now() + 1 : Date.parse(to)
  const start = from === undefined ? end - defaultDays * dayMs : Date.parse(from)
  if (start >= end) throw new Fault('invalid', 'Invalid request: from: must be before to')
  if (end - start > storedForMs)
    throw new Fault('invalid', `Invalid request: from: must be at most ${storedForMs / dayMs} days before to`)
  return { from: start, to: end }
}

/** The rules of each intern: the draft, and the stored rules of the scope (workspace or intern) that the draft does not have. */
async function ruleSetsWithDraft(query: Query, owner: RuleOwner, draft: Rule[] | undefined) {
  const { workspaceId, internId } = owner
  /** The draft or the stored rules; empty without rules. */
  const readRuleSets = async (setOwner: RuleOwner): Promise<RuleSet[]> => {
    const stored = await findRules(query, setOwner)
    const scope = setOwner.internId === null ? ('workspace' as const) : ('intern' as const)
    const hasDraft = draft !== undefined && setOwner.internId === internId
    if (hasDraft) return [{ scope, version: (stored?.version ?? 0) + 1, rules: draft }]
    return stored ? [{ scope, version: stored.version, rules: stored.rules }] : []
  }
  const workspace = await readRuleSets({ workspaceId, internId: null })
  const internRuleSets = new Map<string, RuleSet[]>()
  return async (id: string): Promise<RuleSet[]> => {
    const internRules = internRuleSets.get(id) ?? (await readRuleSets({ workspaceId, internId: id }))
    internRuleSets.set(id, internRules)
    return [...workspace, ...internRules]
  }
}

type EffectCount = keyof Pick<RulesReplay, 'would_allow' | 'would_ask' | 'would_deny' | 'no_rule'>
const countNames = { allow: 'would_allow', ask: 'would_ask', deny: 'would_deny' } as const

class Tally {
  readonly #all = newCount()
  readonly #countsByEffect: Record<EffectCount, QuestionCounts> = {
    would_allow: newCount(),
    would_ask: newCount(),
    would_deny: newCount(),
    no_rule: newCount(),
  }
  readonly #rules = new Map<string, RulesReplay['by_rule'][number]>()
  readonly #differences: RulesReplay['people_decided_otherwise'] = []
  readonly #questions: RulesReplay['questions'] = []
  readonly #maxListed: number
  #incomplete = 0

  constructor(maxListed: number) {
    this.#maxListed = maxListed
  }

  add(past: PastQuestion, decision: Decision | undefined): void {
    const counts = [this.#all, this.#countsByEffect[decision ? countNames[decision.effect] : 'no_rule']]
    if (decision) counts.push(this.#countOf(decision))
    for (const questionCounts of counts) countAnswer(questionCounts, past.answer)
    if (past.action.unsure) this.#incomplete++
    if (!decision) return
    if (this.#questions.length < this.#maxListed) this.#questions.push(replayedQuestion(past, decision))
    const { answer } = past
    if (answer === null || !differsFrom(decision, answer) || this.#differences.length >= maxDifferences) return
    this.#differences.push({ ...replayedQuestion(past, decision), answer })
  }

  result(): Omit<RulesReplay, 'from' | 'to'> {
    const notes = [
      'Only asked questions are included: actions without a question, and actions that a rule decided, are not.',
    ]
    if (this.#incomplete > 0)
      notes.push(
        `${this.#incomplete} questions are stored incompletely (redacted or too long): no rule would allow them.`,
      )
    const by_rule = [...this.#rules.values()].sort((one, other) => other.questions - one.questions)
    const counts = { all: this.#all, ...this.#countsByEffect }
    return {
      summary: summarize(counts),
      ...counts,
      by_rule,
      people_decided_otherwise: this.#differences,
      questions: this.#questions,
      notes,
    }
  }

  #countOf({ scope, rule, name, effect }: Decision): QuestionCounts {
    const key = `${scope} ${rule} ${effect}`
    const ruleCounts = this.#rules.get(key) ?? { scope, rule, name, effect, ...newCount() }
    this.#rules.set(key, ruleCounts)
    return ruleCounts
  }
}

function replayedQuestion(
  { internId, id, askedAt, action, answer }: PastQuestion,
  decision: Decision,
): ReplayedQuestion {
  const { effect, scope, rule } = decision
  const pastQuestion = { intern_id: internId, question_id: id, asked_at: isoTime(askedAt), operation: action.operation }
  const detail = escapeUnambiguously(describeAction(action).slice(0, maxDetailLength))
  return { ...pastQuestion, detail, answer, effect, scope, rule }
}

const newCount = (): QuestionCounts => ({ questions: 0, people_allowed: 0, people_rejected: 0, unanswered: 0 })

function countAnswer(counts: QuestionCounts, answer: string | null): void {
  counts.questions++
  if (answer === null) counts.unanswered++
  else if (answer.startsWith('allow')) counts.people_allowed++
  else counts.people_rejected++
}

const differsFrom = ({ effect }: Decision, answer: string) =>
  effect === 'allow' ? !answer.startsWith('allow') : effect === 'deny' && answer.startsWith('allow')

const describeAction = ({ command, paths, hosts }: Action) => command ?? [...paths, ...hosts].join(' ')

function summarize({
  all,
  would_allow: granted,
  would_deny: refused,
}: Record<'all' | EffectCount, QuestionCounts>): string {
  const rejected = granted.people_rejected === 0 ? 'none' : String(granted.people_rejected)
  const allowed = refused.people_allowed === 0 ? 'none' : String(refused.people_allowed)
  return [
    `Would have allowed ${granted.questions} of ${all.questions}, ${rejected} of the ${all.people_rejected} that members rejected;`,
    `would have denied ${refused.questions}, ${allowed} of the ${all.people_allowed} that members allowed.`,
  ].join(' ')
}
