import type { Query, Tx } from '#platform/db/db.ts'
import type { Rule, RuleSet } from '../contract/rules/rule.ts'

/** The owner of rules, which allow or deny tool calls: an intern, or with null all interns of the workspace. */
export type RuleOwner = { workspaceId: string; internId: string | null }

/** One version of the rules of an owner. */
export type StoredRules = { version: number; rules: Rule[]; createdBy: string; createdAt: number }

const selectOwnerRows = (query: Query | Tx, { workspaceId, internId }: RuleOwner) =>
  query
    .selectFrom('intern_rules')
    .where('workspace_id', '=', workspaceId)
    .where('intern_id', internId === null ? 'is' : '=', internId)

/** Finds the current version, or an earlier one. */
export async function findRules(
  query: Query | Tx,
  owner: RuleOwner,
  version?: number,
): Promise<StoredRules | undefined> {
  const row = await selectOwnerRows(query, owner)
    .$if(version !== undefined, (rows) => rows.where('version', '=', version!))
    .orderBy('version', 'desc')
    .selectAll()
    .executeTakeFirst()
  if (!row) return undefined
  const { version: found, rules, created_by: createdBy, created_at: createdAt } = row
  return { version: found, rules: JSON.parse(rules) as Rule[], createdBy, createdAt }
}

export async function insertRules(tx: Tx, owner: RuleOwner, { version, rules, createdBy, createdAt }: StoredRules) {
  const { workspaceId, internId } = owner
  const id = `${internId ?? workspaceId}/${version}`
  const columns = { version, rules: JSON.stringify(rules), created_by: createdBy, created_at: createdAt }
  await tx
    .insertInto('intern_rules')
    .values({ id, workspace_id: workspaceId, intern_id: internId, ...columns })
    .execute()
}

type InternRef = { id: string; workspaceId: string }

/** The rules in force for an intern: the rules of its workspace, and the rules of the intern. */
export async function findRulesInForce(query: Query, { id, workspaceId }: InternRef): Promise<RuleSet[]> {
  const workspace = await findRules(query, { workspaceId, internId: null })
  const intern = await findRules(query, { workspaceId, internId: id })
  const sets: RuleSet[] = []
  if (workspace) sets.push({ scope: 'workspace', version: workspace.version, rules: workspace.rules })
  if (intern) sets.push({ scope: 'intern', version: intern.version, rules: intern.rules })
  return sets
}

/** The version of one of the rule sets of an intern. */
type RuleSetVersion = Pick<RuleSet, 'scope' | 'version'>

/** A text that identifies the versions of an intern's rules. Equal texts of the same intern mean equal rules. */
export const toVersionKey = (sets: RuleSetVersion[]) =>
  sets.map(({ scope, version }) => `${scope} ${version}`).join(', ')

/** Reads the versions of all rules with one query. @returns a function to the `toVersionKey` of an intern's rules in force. */
export async function readVersionKeys(query: Query): Promise<(intern: InternRef) => string> {
  const rows = await query
    .selectFrom('intern_rules')
    .groupBy(['workspace_id', 'intern_id'])
    .select((e) => ['workspace_id', 'intern_id', e.fn.max('version').as('version')])
    .execute()
  const versions = new Map(rows.map((row) => [row.intern_id ?? row.workspace_id, Number(row.version)]))
  return ({ id, workspaceId }) => {
    const workspaceVersion = versions.get(workspaceId)
    const internVersion = versions.get(id)
    const sets: RuleSetVersion[] = []
    if (workspaceVersion) sets.push({ scope: 'workspace', version: workspaceVersion })
    if (internVersion) sets.push({ scope: 'intern', version: internVersion })
    return toVersionKey(sets)
  }
}
