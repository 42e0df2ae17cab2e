import type { PermissionAnswer } from '#interns/contract/answer.ts'
import type { PermissionKind } from '#interns/contract/question.ts'
import { judge } from '#interns/contract/rules/decide.ts'
import type { Action, Decision, LoggedDecision, RulesInForce } from '#interns/contract/rules/rule.ts'
import type { DecisionStore } from '../store/decision-store.ts'

/** The rules that a daemon judges by, and what it decided by them. */
export type Decisions = {
  judgeBy(rules: RulesInForce): void
  judge(action: Action): Decision | undefined
  /** Kept until the server has it. Throws when it cannot be: then nothing is granted. */
  keep(decision: Omit<LoggedDecision, 'seq'>): void
  after(seq: number): LoggedDecision[]
}

export function createDecisions(store: DecisionStore): Decisions {
  let rules: RulesInForce = { agent: '', sets: [] }
  return {
    judgeBy: (told) => {
      rules = told
    },
    judge: (action) => judge(rules.sets, action, rules.agent),
    keep: store.add,
    after: (seq) => {
      store.forget(seq)
      return store.oldest()
    },
  }
}

/** The word that does what a rule says without anybody being asked. */
export function answerByRule(effect: 'allow' | 'deny', options: PermissionKind[]): PermissionAnswer {
  if (effect === 'allow') return 'allow_once'
  return (
    options.find((option) => option === 'reject_once') ??
    options.find((option) => option === 'reject_always') ??
    'cancel'
  )
}

/** A rule that asks is to be asked each time: what would be remembered is not offered, where there is anything else. */
export function askedByRule(options: PermissionKind[]): PermissionKind[] {
  const once = options.filter((option) => option.endsWith('_once'))
  return once.some((option) => option === 'allow_once') ? once : options
}
