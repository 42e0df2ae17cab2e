import type { PermissionAnswer } from '#interns/contract/answer.ts'
import type { PermissionKind } from '#interns/contract/question.ts'
import { decide } from '#interns/contract/rules/decide.ts'
import type { Action, Decision, LoggedDecision, RulesInForce } from '#interns/contract/rules/rule.ts'
import type { DecisionStore } from '../../store/decision-store.ts'

/** The rules in force in a daemon, and the decisions made by them. */
export class Decisions {
  readonly #store: DecisionStore
  #rules: RulesInForce = { agent: '', sets: [] }

  constructor(store: DecisionStore) {
    this.#store = store
  }

  setRules(rules: RulesInForce): void {
    this.#rules = rules
  }

  decide(action: Action): Decision | undefined {
    return decide(this.#rules.sets, action, this.#rules.agent)
  }

  /** Saves a decision until the server has fetched it. @throws StoreError; the action must not be allowed then. */
  save(decision: Omit<LoggedDecision, 'seq'>): void {
    this.#store.add(decision)
  }

  /** Deletes the decisions up to `seq`, because the server has stored them. @returns the oldest remaining decisions. */
  acknowledge(seq: number): LoggedDecision[] {
    this.#store.forget(seq)
    return this.#store.oldest()
  }
}

/** The answer that applies the decision of a rule without a question. Rules allow only if the agent offers `allow_once`. */
export function chooseAnswerByRule(effect: 'allow' | 'deny', options: PermissionKind[]): PermissionAnswer {
  if (effect === 'allow') return 'allow_once'
  return (
    options.find((option) => option === 'reject_once') ??
    options.find((option) => option === 'reject_always') ??
    'cancel'
  )
}

/** The options for a question that a rule requires: only options that the agent does not remember, if one of them allows. */
export function selectOnceOptions(options: PermissionKind[]): PermissionKind[] {
  const once = options.filter((option) => option.endsWith('_once'))
  return once.some((option) => option === 'allow_once') ? once : options
}
