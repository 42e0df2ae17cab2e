import { agentNameOf } from '#interns/contract/rules/rule.ts'
import type { Intern } from '#interns/registry/intern-store.ts'
import { findRulesInForce, readVersionKeys, toVersionKey } from '#interns/rules/rules-store.ts'
import { retry } from '#platform/async/retry.ts'
import type { Db } from '#platform/db/db.ts'
import type { Provisioner } from './provisioner.ts'

type PushDeps = { db: Db; provisioner: Pick<Provisioner, 'runsOf'> }

const timeoutMs = 5000
/** A daemon that has just started, or runs on a busy host, can miss the deadline once. */
const maxAttempts = 3

/** Pushes the permission rules to daemons, and again after each change. */
export class RulePusher {
  readonly #deps: PushDeps
  /** The versions of the rules that each daemon has. */
  readonly #pushedVersions = new Map<string, string>()

  constructor(deps: PushDeps) {
    this.#deps = deps
  }

  /** Called when the daemon is replaced: the new one has no rules. */
  forget(id: string): void {
    this.#pushedVersions.delete(id)
  }

  /** The interns among these whose daemons have outdated rules. It sends one query. */
  async findOutdated(interns: Intern[]): Promise<Intern[]> {
    if (interns.length === 0) return []
    const versionKeyOf = await readVersionKeys(this.#deps.db.query)
    return interns.filter((intern) => this.#pushedVersions.get(intern.id) !== versionKeyOf(intern))
  }

  /** Pushes the current rules to the daemon of an intern. @throws Error if the daemon does not accept them. */
  async push(intern: Intern): Promise<void> {
    const { db, provisioner } = this.#deps
    const sets = await findRulesInForce(db.query, intern)
    const rules = { agent: agentNameOf(intern.agent), sets }
    await retry(
      () => provisioner.runsOf(intern).setRules(rules, AbortSignal.timeout(timeoutMs)),
      (failures) => (failures < maxAttempts ? 0 : undefined),
    )
    this.#pushedVersions.set(intern.id, toVersionKey(sets))
  }
}
