import { agentNameOf } from '#interns/contract/rules/rule.ts'
import type { Intern } from '#interns/registry/store.ts'
import { rulesOf, ruleVersions, versionsIn } from '#interns/rules/store.ts'
import type { Db } from '#platform/db/db.ts'
import type { Provisioner } from './provisioner.ts'

type PushDeps = { db: Db; provisioner: Pick<Provisioner, 'runs'> }

const patienceMs = 5000
/** One that has just been started, or is far away on a busy host, may miss its time once. */
const tries = 3

/** Tells daemons the rules that they judge by, and tells anew what has changed. */
export class RulePusher {
  readonly #deps: PushDeps
  /** The versions that each daemon was told. */
  readonly #told = new Map<string, string>()

  constructor(deps: PushDeps) {
    this.#deps = deps
  }

  /** The daemon is another one, or will be: it knows nothing. */
  forget(id: string): void {
    this.#told.delete(id)
  }

  /** Of those, the interns whose daemons judge by other rules than hold now. By one question to the database. */
  async outdated(interns: Intern[]): Promise<Intern[]> {
    if (interns.length === 0) return []
    const versionsOf = await ruleVersions(this.#deps.db.query)
    return interns.filter((intern) => this.#told.get(intern.id) !== versionsOf(intern))
  }

  /** @throws Error when the daemon does not take them. */
  async push(intern: Intern): Promise<void> {
    const { db, provisioner } = this.#deps
    const sets = await rulesOf(db.query, intern)
    const rules = { agent: agentNameOf(intern.agent), sets }
    for (let tried = 1; ; tried++) {
      try {
        await provisioner.runs(intern).judgeBy(rules, AbortSignal.timeout(patienceMs))
        break
      } catch (error) {
        if (tried === tries) throw error
      }
    }
    this.#told.set(intern.id, versionsIn(sets))
  }
}
